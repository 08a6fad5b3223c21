import { homedir } from 'node:os'
import { join } from 'node:path'
import { createHookEntry } from './hook-entry.ts'
import type { AgentIntegration } from './integration.ts'
import { createMcpEntry, SERVER_NAME } from './mcp-entry.ts'

const HOOK_MS = 30_000

/** Both in `settings.json` (geminicli.com/docs/tools/mcp-server and /docs/hooks/reference; tried with 0.61.0). */
export const geminiCli: AgentIntegration = {
  agent: 'gemini-cli',
  recallTool: 'mcp_precis_recall',
  findTraces: (environment) => [findFolder(environment)],

  listEntries({ environment, command }) {
    const path = join(findFolder(environment), 'settings.json')
    return [
      createMcpEntry(path, ['mcpServers'], command),
      createHookEntry(
        {
          path,
          agent: 'gemini-cli',
          event: 'PreCompress',
          timeout: HOOK_MS,
          what: 'hook that keeps the session before it is compressed',
          more: { name: SERVER_NAME },
        },
        command,
      ),
    ]
  },
}

function findFolder({ GEMINI_CLI_HOME }: NodeJS.ProcessEnv): string {
  return join(GEMINI_CLI_HOME || homedir(), '.gemini')
}
