import { join } from 'node:path'
import { asObject, asText, type JsonObject } from '../../files/lines.ts'
import type { Environment, SettingsEntry } from '../shared/agent.ts'
import { SERVER_NAME } from '../shared/entry.ts'
import { readJson } from '../shared/next-model.ts'
import type { GatewayAddress, Launch } from '../shared/wire.ts'
import { findSettingsFile } from './installation.ts'

const ADDRESS = 'ANTHROPIC_BASE_URL'
// Then it talks to a cloud in an API of its own.
const CLOUDS = {
  CLAUDE_CODE_USE_BEDROCK: 'Amazon Bedrock',
  CLAUDE_CODE_USE_VERTEX: 'Vertex AI',
} as const

/**
 * As its documentation of gateways says (code.claude.com/docs/en/llm-gateway; tried with 2.1.329).
 */
export const launch: Launch = {
  program: 'claude',
  install: 'npm install -g @anthropic-ai/claude-code',
  upstream: 'anthropic',
  renderSetting: (url) => `${ADDRESS}=${url}`,
  findUpstreams: (environment) => ({
    anthropic: asText(readVariables(environment)[ADDRESS]) ?? (environment[ADDRESS] || undefined),
  }),
  plan({ gateway, environment, server, folder }) {
    const variables = listVariables(gateway, environment)
    const mcpServers = {
      [SERVER_NAME]: { type: 'stdio', command: server.program, args: server.words },
    }
    const servers = { path: join(folder, 'mcp.json'), text: JSON.stringify({ mcpServers }) }
    // Variables of its settings count more than those of its process, and those of this file more
    // than both.
    const settings = {
      path: join(folder, 'settings.json'),
      text: JSON.stringify({ env: variables }),
    }
    const isSet = Object.keys(readVariables(environment)).some((name) => name in variables)
    const cloud = Object.entries(CLOUDS).find(([name]) => environment[name])?.[1]
    return {
      environment: variables,
      // With a sign of equality: otherwise the first one takes every word behind it for one more
      // file.
      arguments: [
        `--mcp-config=${servers.path}`,
        ...(isSet ? [`--settings=${settings.path}`] : []),
      ],
      files: isSet ? [servers, settings] : [servers],
      recallTool: 'mcp__precis__recall',
      note: cloud && `Claude Code is set to use ${cloud}, which does not go through the gateway`,
    }
  },
}

/** Those of its settings. */
function readVariables(environment: Environment): JsonObject {
  return asObject(readJson(findSettingsFile(environment)).env) ?? {}
}

/**
 * Behind any base address it leaves out what only its vendor has; here the vendor is behind the
 * address.
 */
function listVariables(
  { url, isVendor }: GatewayAddress,
  environment: Environment,
): Record<string, string> {
  return {
    [ADDRESS]: url,
    ...(isVendor && {
      _CLAUDE_CODE_ASSUME_FIRST_PARTY_BASE_URL: '1',
      ENABLE_TOOL_SEARCH: environment.ENABLE_TOOL_SEARCH ?? 'true',
    }),
  }
}

/** The variables of its `settings.json`, which hold for every start. */
export function listGatewayEntries(
  environment: Environment,
  gateway: GatewayAddress,
): readonly SettingsEntry[] {
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
