import { homedir } from 'node:os'
import { join } from 'node:path'
import { asText, type JsonObject } from '../../files/lines.ts'
import type { Environment, HookHost, Installation } from '../ground/agent.ts'
import { answerByKeeping, createHookEntry, createMcpEntry } from '../ground/entry.ts'

const HOOK_SECONDS = 30

/**
 * The server as `claude mcp add --scope user` writes it, in `.claude.json`; hooks in `settings.json`
 * (code.claude.com/docs/en/mcp and /hooks; tried with 2.1.329).
 */
export const installation: Installation = {
  recallTool: 'mcp__precis__recall',
  findTraces: (environment) => [findFolder(environment), findStateFile(environment)],

  listEntries({ environment, command }) {
    const hook = {
      path: findSettingsFile(environment),
      agent: 'claude-code',
      timeout: HOOK_SECONDS,
    }
    return [
      createMcpEntry(findStateFile(environment), ['mcpServers'], command, { type: 'stdio' }),
      createHookEntry(
        { ...hook, event: 'PreCompact', what: 'hook that keeps the session before it is compacted' },
        command,
      ),
      createHookEntry(
        { ...hook, event: 'SessionStart', matcher: 'compact', what: 'hook that says where it is kept' },
        command,
      ),
    ]
  },

  async answerHook(input, host) {
    return input.hook_event_name === 'SessionStart'
      ? await sayWhatIsKept(input, host)
      : await answerByKeeping(input, host)
  },
}

/** For the model that continues after a compaction. */
async function sayWhatIsKept({ session_id, transcript_path }: JsonObject, host: HookHost): Promise<object | undefined> {
  const session = asText(session_id) ?? asText(transcript_path)
  const kept = session === undefined ? undefined : await host.findKept(session)
  if (!kept) return undefined
  const { reference, recallTool } = kept
  return {
    hookSpecificOutput: {
      hookEventName: 'SessionStart',
      additionalContext: `What was said before the compaction is kept word for word under reference ${reference}: rather than guess or do the work again, call ${recallTool} with {"reference": "${reference}", "query": "<a few words>"}.`,
    },
  }
}

export function findFolder({ CLAUDE_CONFIG_DIR }: Environment): string {
  return CLAUDE_CONFIG_DIR || join(homedir(), '.claude')
}

/** Beside its folder, unless the folder was chosen: then inside. */
function findStateFile({ CLAUDE_CONFIG_DIR }: Environment): string {
  return join(CLAUDE_CONFIG_DIR || homedir(), '.claude.json')
}

export function findSettingsFile(environment: Environment): string {
  return join(findFolder(environment), 'settings.json')
}
