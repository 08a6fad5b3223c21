import { homedir } from 'node:os'
import { join } from 'node:path'
import { createHookEntry } from './hook-entry.ts'
import type { AgentIntegration, TomlEntry } from './integration.ts'
import { SERVER_IN_WORDS, SERVER_NAME, SERVER_WORD } from './mcp-entry.ts'
import { isOwnCommand } from './start-command.ts'

const HOOK_SECONDS = 30

/**
 * The server as `codex mcp add` writes it, in `config.toml`; the hook in `hooks.json`
 * (developers.openai.com/codex/mcp and /codex/hooks; tried with 0.169.0).
 */
export const codex: AgentIntegration = {
  agent: 'codex',
  recallTool: 'mcp__precis.recall',
  findTraces: (environment) => [findFolder(environment)],

  listEntries({ environment, command }) {
    const folder = findFolder(environment)
    const server: TomlEntry = {
      type: 'toml',
      path: join(folder, 'config.toml'),
      what: SERVER_IN_WORDS,
      names: ['mcp_servers', SERVER_NAME],
      values: { command: command.program, args: [...command.words, SERVER_WORD] },
      isOwn: (strings) => isOwnCommand(strings, SERVER_WORD),
    }
    return [
      server,
      createHookEntry(
        {
          path: join(folder, 'hooks.json'),
          agent: 'codex',
          event: 'PreCompact',
          timeout: HOOK_SECONDS,
          what: 'hook that keeps the session before it is compacted',
        },
        command,
      ),
    ]
  },

  note: 'Codex runs a new hook only after you have trusted it: it asks at its next start, or see /hooks.',
}

function findFolder({ CODEX_HOME }: NodeJS.ProcessEnv): string {
  return CODEX_HOME || join(homedir(), '.codex')
}
