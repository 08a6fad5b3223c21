import { join } from 'node:path'
import { asObject, asText, type JsonObject } from '../../files/lines.ts'
import type { Environment, SettingsEntry } from '../shared/agent.ts'
import { SERVER_NAME } from '../shared/entry.ts'
import { readJson } from '../shared/next-model.ts'
import type { GatewayAddress, Launch } from '../shared/wire.ts'
import { findSettingsFile } from './installation.ts'

const ADDRESS = 'ANTHROPIC_BASE_URL'
// With such a variable, it uses a cloud with an API of its own.
const CLOUDS = {
  CLAUDE_CODE_USE_BEDROCK: 'Amazon Bedrock',
  CLAUDE_CODE_USE_VERTEX: 'Vertex AI',
} as const

/**
 * As its documentation of gateways describes (code.claude.com/docs/en/llm-gateway, tested with
 * 2.1.329).
 */
export const launch: Launch = {
  program: 'claude',
  install: 'npm install -g @anthropic-ai/claude-code',
  upstream: 'anthropic',
  renderSetting: (url) => `${ADDRESS}=${url}`,
  findUpstreams: (environment) => ({
    anthropic: asText(readVariables(environment)[ADDRESS]) ?? (environment[ADDRESS] || undefined),
  }),
  plan({ gateway, environment, server, directory, folder }) {
    const variables = listVariables(gateway, environment)
    const mcpServers = {
      [SERVER_NAME]: { type: 'stdio', command: server.program, args: server.words },
    }
    const servers = { path: join(folder, 'mcp.json'), text: JSON.stringify({ mcpServers }) }
    // Variables of its settings override those of its process, and this file overrides both.
    const settings = {
      path: join(folder, 'settings.json'),
      text: JSON.stringify({ env: variables }),
    }
    const isSet = Object.keys(readVariables(environment)).some((name) => name in variables)
    const cloud = Object.entries(CLOUDS).find(([name]) => environment[name])?.[1]
    const project = isSet ? undefined : findProjectAddress(directory, gateway)
    return {
      environment: variables,
      // The equals sign is needed. Without it, the first option reads every later word as one more
      // file.
      arguments: [
        `--mcp-config=${servers.path}`,
        ...(isSet ? [`--settings=${settings.path}`] : []),
      ],
      files: isSet ? [servers, settings] : [servers],
      recallTool: 'mcp__precis__recall',
      note: cloud
        ? `Claude Code is set to use ${cloud}, which does not go through the gateway`
        : project &&
          `"${project}" gives Claude Code an address, which does not go through the gateway`,
    }
  },
}

/** The environment variables in its settings. */
function readVariables(environment: Environment): JsonObject {
  return readEnv(findSettingsFile(environment))
}

const readEnv = (settings: string): JsonObject => asObject(readJson(settings).env) ?? {}

/**
 * The settings of a project with an address, which also override the variables of the process. The
 * gateway sends nothing there, because a repository is not trusted with the user's key.
 */
const findProjectAddress = (directory: string, { url }: GatewayAddress): string | undefined =>
  ['settings.json', 'settings.local.json']
    .map((name) => join(directory, '.claude', name))
    .find((settings) => ![undefined, '', url].includes(asText(readEnv(settings)[ADDRESS])))

/**
 * With a base address, it leaves out what only its vendor supports. Here the vendor receives the
 * requests.
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

/** The variables of its `settings.json`, which apply to every start. */
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
