import { homedir } from 'node:os'
import { join } from 'node:path'
import { createHookEntry } from './hook-entry.ts'
import type { AgentIntegration } from './integration.ts'
import { createMcpEntry } from './mcp-entry.ts'

const HOOK_SECONDS = 30

/**
 * The server as `claude mcp add --scope user` writes it, in `.claude.json`; hooks in `settings.json`
 * (code.claude.com/docs/en/mcp and /hooks; tried with 2.1.329).
 */
export const claudeCode: AgentIntegration = {
  agent: 'claude-code',
  recallTool: 'mcp__precis__recall',
  findTraces: (environment) => [findFolder(environment), findStateFile(environment)],

  listEntries({ environment, command }) {
    const settings = {
      path: join(findFolder(environment), 'settings.json'),
      agent: 'claude-code',
      timeout: HOOK_SECONDS,
    } as const
    return [
      createMcpEntry(findStateFile(environment), ['mcpServers'], command, { type: 'stdio' }),
      createHookEntry(
        { ...settings, event: 'PreCompact', what: 'hook that keeps the session before it is compacted' },
        command,
      ),
      createHookEntry(
        { ...settings, event: 'SessionStart', matcher: 'compact', what: 'hook that says where it is kept' },
        command,
      ),
    ]
  },
}

function findFolder({ CLAUDE_CONFIG_DIR }: NodeJS.ProcessEnv): string {
  return CLAUDE_CONFIG_DIR || join(homedir(), '.claude')
}

/** Beside its folder, unless the folder was chosen: then inside. */
function findStateFile({ CLAUDE_CONFIG_DIR }: NodeJS.ProcessEnv): string {
  return join(CLAUDE_CONFIG_DIR || homedir(), '.claude.json')
}
