import { join } from 'node:path'
import type { Entry, Environment } from '../ground/agent.ts'
import { SERVER_NAME, SERVER_WORD } from '../ground/entry.ts'
import type { GatewayAddress, Launch } from '../ground/wire.ts'
import { findSettingsFile } from './installation.ts'

/** As its documentation of gateways says (code.claude.com/docs/en/llm-gateway; tried with 2.1.329). */
export const launch: Launch = {
  program: 'claude',
  plan({ gateway, environment, command, folder }) {
    const path = join(folder, 'mcp.json')
    const server = { type: 'stdio', command: command.program, args: [...command.words, SERVER_WORD] }
    return {
      environment: listVariables(gateway, environment),
      // With a sign of equality: otherwise it takes every word behind it for one more file.
      arguments: [`--mcp-config=${path}`],
      files: [{ path, text: JSON.stringify({ mcpServers: { [SERVER_NAME]: server } }) }],
      recallTool: 'mcp__precis__recall',
    }
  },
}

/** Behind any base address it leaves out what only its vendor has; here the vendor is behind the address. */
function listVariables({ url, isVendor }: GatewayAddress, environment: Environment): Record<string, string> {
  return {
    ANTHROPIC_BASE_URL: url,
    ...(isVendor && {
      _CLAUDE_CODE_ASSUME_FIRST_PARTY_BASE_URL: '1',
      ENABLE_TOOL_SEARCH: environment.ENABLE_TOOL_SEARCH ?? 'true',
    }),
  }
}

/** The variables of its `settings.json`, which hold for every start. */
export function listGatewayEntries(environment: Environment, gateway: GatewayAddress): readonly Entry[] {
  return Object.entries(listVariables(gateway, {})).map(([name, value]) => ({
    type: 'json',
    path: findSettingsFile(environment),
    what: `variable ${name}`,
    names: ['env', name],
    isElement: false,
    value,
    isOwn: (found) => found === value,
  }))
}
