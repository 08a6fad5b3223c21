import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Environment, Installation } from '../ground/agent.ts'
import { createHookEntry, isOwnCommand, SERVER_IN_WORDS, SERVER_NAME, SERVER_WORD } from '../ground/entry.ts'

const HOOK_SECONDS = 30

/**
 * The server as `codex mcp add` writes it, in `config.toml`; the hook in `hooks.json`
 * (developers.openai.com/codex/mcp and /codex/hooks; tried with 0.169.0).
 */
export const installation: Installation = {
  recallTool: 'mcp__precis.recall',
  findTraces: (environment) => [findFolder(environment)],

  listEntries({ environment, command }) {
    const folder = findFolder(environment)
    return [
      {
        type: 'toml',
        path: join(folder, 'config.toml'),
        what: SERVER_IN_WORDS,
        names: ['mcp_servers', SERVER_NAME],
        values: { command: command.program, args: [...command.words, SERVER_WORD] },
        isOwn: (strings) => isOwnCommand(strings, SERVER_WORD),
      },
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

export function findFolder({ CODEX_HOME }: Environment): string {
  return CODEX_HOME || join(homedir(), '.codex')
}
