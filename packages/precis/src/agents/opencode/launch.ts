import { type ParseError, parse } from 'jsonc-parser'
import { asObject, type JsonObject } from '../../files/lines.ts'
import type { Entry, Environment } from '../ground/agent.ts'
import { SERVER_NAME, SERVER_WORD } from '../ground/entry.ts'
import type { GatewayAddress, Launch } from '../ground/wire.ts'
import { findConfiguration } from './installation.ts'

const VARIABLE = 'OPENCODE_CONFIG_CONTENT'
// The version of the API is part of the address that a provider is given (opencode.ai/docs/providers, base URL).
const PROVIDERS = { anthropic: '/v1', openai: '/v1', google: '/v1beta' } as const

/** Settings in a variable, above those of all files (opencode.ai/docs/config; tried with 1.18.33). */
export const launch: Launch = {
  program: 'opencode',
  plan({ gateway, environment, command }) {
    const server = { type: 'local', command: [command.program, ...command.words, SERVER_WORD], enabled: true }
    const before = readContent(environment)
    const providers = Object.entries(PROVIDERS).map(([name, version]) => [
      name,
      merge(asObject(asObject(before.provider)?.[name]), { options: { baseURL: gateway.url + version } }),
    ])
    const settings = {
      ...before,
      provider: { ...asObject(before.provider), ...Object.fromEntries(providers) },
      mcp: { ...asObject(before.mcp), [SERVER_NAME]: server },
    }
    return {
      environment: { [VARIABLE]: JSON.stringify(settings) },
      arguments: [],
      files: [],
      recallTool: 'precis_recall',
    }
  },
}

function merge(settings: JsonObject | undefined, { options }: { readonly options: JsonObject }): JsonObject {
  return { ...settings, options: { ...asObject(settings?.options), ...options } }
}

/** What the user has in the variable already; what cannot be read there, the agent cannot read either. */
function readContent(environment: Environment): JsonObject {
  const errors: ParseError[] = []
  const value: unknown = parse(environment[VARIABLE] || '{}', errors, { allowTrailingComma: true })
  return (errors.length === 0 && asObject(value)) || {}
}

export function listGatewayEntries(environment: Environment, { url }: GatewayAddress): readonly Entry[] {
  return Object.entries(PROVIDERS).map(([name, version]) => ({
    type: 'json',
    path: findConfiguration(environment),
    what: `address of ${name}`,
    names: ['provider', name, 'options', 'baseURL'],
    isElement: false,
    value: url + version,
    isOwn: (found) => found === url + version,
  }))
}
