import { homedir } from 'node:os'
import { join } from 'node:path'
import { createSyntheticMessage, readText } from '@precis/core/conversation'
import type { CompactedConversation } from '@precis/core/facts'
import { formats } from '@precis/core/formats'
import { asObject, asText, type JsonObject } from '../../files/lines.ts'
import { createMemorySource, readInputFile } from '../../files/read-document.ts'
import type { Environment } from '../shared/agent.ts'
import { describeLosses, restoreLost } from '../shared/compaction-repair.ts'
import {
  answerByKeeping,
  createHookEntry,
  createMcpEntry,
  isOwnLine,
  renderShellLine,
} from '../shared/entry.ts'
import type { HookHost, Installation } from '../shared/installation.ts'
import { readJson } from '../shared/next-model.ts'
import { createSkillEntry, renderSkillFile } from '../shared/skill.ts'
import { readTimeline } from './timeline.ts'

const HOOKS = [
  { event: 'PreCompact', what: 'hook that keeps the session before it is compacted' },
  {
    event: 'SessionStart',
    matcher: 'compact',
    what: 'hook that puts back what a compaction may lose',
  },
  { event: 'PostCompact', what: 'hook that says what a compaction lost' },
]

const HOOK_SECONDS = 30
// The line counts down minutes, and each refresh starts a process.
const REFRESH_SECONDS = 5

/**
 * The server as `claude mcp add --scope user` writes it, in `.claude.json`. Hooks and the status
 * line are in `settings.json` (code.claude.com/docs/en/mcp, /hooks and /statusline, tested with
 * 2.1.329).
 */
export const installation: Installation = {
  recallTool: 'mcp__precis__recall',
  bestWay: {
    commands: ['claude plugin marketplace add <repository>', 'claude plugin install precis@precis'],
    does: 'answers it inside the agent',
    cost: 'no request',
    isOnlyByPlugin: true,
  },
  pluginRecallTool: 'mcp__plugin_precis_precis__recall',
  findTraces: (environment) => [findFolder(environment), findStateFile(environment)],

  listEntries({ environment, command }) {
    const hook = {
      path: findSettingsFile(environment),
      agent: 'claude-code',
      timeout: HOOK_SECONDS,
    }
    return [
      createMcpEntry(findStateFile(environment), ['mcpServers'], command, { type: 'stdio' }),
      ...HOOKS.map((kind) => createHookEntry({ ...hook, ...kind }, command)),
      {
        type: 'json',
        path: hook.path,
        what: 'status line',
        names: ['statusLine'],
        isElement: false,
        value: {
          type: 'command',
          command: renderShellLine(command, ['statusline']),
          padding: 0,
          refreshInterval: REFRESH_SECONDS,
        },
        isOwn: (value) => isOwnLine(asText(asObject(value)?.command) ?? '', /^statusline$/),
        whenTaken: 'yours stays; "precis statusline --help" says how to have both',
      },
      createSkillEntry(
        {
          path: join(findFolder(environment), 'skills', 'precis', 'SKILL.md'),
          agent: 'claude-code',
          render: renderSkillFile,
          isBrought: () => hasPlugin(hook.path),
        },
        command,
      ),
    ]
  },

  async answerHook(input, host) {
    switch (input.hook_event_name) {
      case 'SessionStart':
        return await restoreContext(input, host)
      case 'PostCompact':
        return await sayWhatIsLost(input, host)
      default:
        return await answerByKeeping(input, host)
    }
  },
}

/** Whether the plugin, from any marketplace, is enabled for the user. */
function hasPlugin(settings: string): boolean {
  const plugins = Object.entries(asObject(readJson(settings).enabledPlugins) ?? {})
  return plugins.some(([name, isEnabled]) => name.startsWith('precis@') && isEnabled === true)
}

// The model sees only the beginning of longer texts (code.claude.com/docs/en/hooks). 2.1.329 counts
// UTF-16 units.
const MOST_CHARACTERS = 10_000

/**
 * For the model that continues. The hook runs after the summary is made, but neither the hook nor
 * the file contains the summary yet (2.1.329).
 */
async function restoreContext(input: JsonObject, host: HookHost): Promise<object | undefined> {
  const restored = await restore(input, host)
  if (!restored?.message) return undefined
  return {
    hookSpecificOutput: {
      hookEventName: 'SessionStart',
      additionalContext: readText(restored.message),
    },
  }
}

async function restore(input: JsonObject, host: HookHost) {
  const path = asText(input.transcript_path)
  // Its gateway made a complete summary.
  if (path === undefined || (await host.isAnswered(path))) return undefined
  const recall = await host.findRecall(path)
  const compacted: CompactedConversation = { ...readTranscript(path), after: [] }
  return {
    compacted,
    recall,
    message: restoreLost(compacted, { limitCharacters: MOST_CHARACTERS, recall }),
  }
}

/** What is sent before the compaction, and the user's words from before earlier compactions. */
function readTranscript(path: string): Pick<CompactedConversation, 'before' | 'history'> {
  const source = createMemorySource(readInputFile(path))
  return {
    before: formats['claude-code'].parse(source),
    history: readTimeline(source).timed.map(({ message }) => message),
  }
}

/**
 * The agent shows the user what this hook prints, unchanged. By its own rules, 2.1.329 may keep
 * some of the latest messages next to the summary. It names them only after the hook, so only the
 * summary is counted.
 */
async function sayWhatIsLost(input: JsonObject, host: HookHost): Promise<string | undefined> {
  // It is empty if a mod answered.
  const summary = asText(input.compact_summary) || undefined
  const restored = summary === undefined ? undefined : await restore(input, host)
  if (summary === undefined || !restored) return undefined
  const { compacted, message, recall } = restored
  const after = [createSyntheticMessage('user', summary)]
  return describeLosses(
    { ...compacted, after },
    { restored: message, hasRecall: recall !== undefined, hasAll: false },
  )
}

export function findFolder({ CLAUDE_CONFIG_DIR }: Environment): string {
  return CLAUDE_CONFIG_DIR || join(homedir(), '.claude')
}

/** Next to its folder, or inside the folder if the user chose it. */
function findStateFile({ CLAUDE_CONFIG_DIR }: Environment): string {
  return join(CLAUDE_CONFIG_DIR || homedir(), '.claude.json')
}

export function findSettingsFile(environment: Environment): string {
  return join(findFolder(environment), 'settings.json')
}
