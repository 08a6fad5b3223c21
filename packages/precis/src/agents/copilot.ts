import { join } from 'node:path'
import { findAgentHomes } from '../sessions/agent-home.ts'
import type { AgentIntegration } from './integration.ts'
import { createMcpEntry } from './mcp-entry.ts'

/** The server in the `mcp.json` of the user's profile (code.visualstudio.com/docs/copilot/reference/mcp-configuration). */
export const copilot: AgentIntegration = {
  agent: 'copilot',
  recallTool: 'mcp_precis_recall',
  findTraces: (environment) => [findFolder(environment)],
  listEntries: ({ environment, command }) => [
    createMcpEntry(join(findFolder(environment), 'mcp.json'), ['servers'], command, { type: 'stdio' }),
  ],
}

function findFolder(environment: NodeJS.ProcessEnv): string {
  const home = findAgentHomes(environment).find(({ agent }) => agent === 'copilot')
  return home?.sessionsDirectory ?? ''
}
