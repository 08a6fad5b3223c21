import { type ParseError, parse } from 'jsonc-parser'
import { asObject, asText, type JsonObject } from '../../files/lines.ts'
import type { Environment, SettingsEntry } from '../shared/agent.ts'
import { SERVER_NAME } from '../shared/entry.ts'
import { type GatewayAddress, type Launch, replaceAddress } from '../shared/wire.ts'
import { findConfiguration, readConfigurations } from './configuration.ts'
import { OPENCODE_PRODUCT } from './product.ts'

export const VARIABLE = 'OPENCODE_CONFIG_CONTENT'
// The version of the API is part of a provider's address (opencode.ai/docs/providers, base URL).
const PROVIDERS = { anthropic: '/v1', openai: '/v1', google: '/v1beta' } as const

/**
 * Settings in a variable, which override all files (opencode.ai/docs/config, tested with 1.18.33).
 */
export const launch: Launch = {
  program: 'opencode',
  install: 'npm install -g opencode-ai',
  upstream: 'anthropic',
  findUpstreams(environment, directory) {
    const chosen = findChosen([
      ...readConfigurations(OPENCODE_PRODUCT, directory, environment),
      readConfigurationContent(environment),
    ])
    return chosen ? { [chosen.upstream]: chosen.address } : {}
  },
  plan({ gateway, environment, server, directory }) {
    const before = readConfigurationContent(environment)
    const configurations = [...readConfigurations(OPENCODE_PRODUCT, directory, environment), before]
    const own = (name: string) =>
      configurations.some((settings) => findAddress(settings, name) !== undefined)
    const chosen = findChosen(configurations)
    const kept = Object.keys(PROVIDERS).filter((name) => own(name) && name !== chosen?.name)
    // The gateway sends all requests of the chosen provider's kind to that provider only.
    const others = Object.entries(PROVIDERS).filter(
      ([name]) => !own(name) && name !== chosen?.upstream,
    )
    const addresses = others.map(([name, version]) => [name, gateway.url + version])
    if (chosen) addresses.push([chosen.name, replaceAddress(chosen.address, gateway)])
    const settings = {
      ...before,
      provider: {
        ...asObject(before.provider),
        ...Object.fromEntries(
          addresses.map(([name = '', address = '']) => [
            name,
            addAddress(findProvider(before, name), address),
          ]),
        ),
      },
      mcp: {
        ...asObject(before.mcp),
        [SERVER_NAME]: { type: 'local', command: [server.program, ...server.words], enabled: true },
      },
    }
    return {
      environment: { [VARIABLE]: JSON.stringify(settings) },
      arguments: [],
      files: [],
      recallTool: 'precis_recall',
      note:
        kept.length > 0
          ? `the settings of OpenCode give an address to ${kept.join(' and ')}, which does not go through the gateway`
          : undefined,
    }
  },
}

// The library that calls a provider determines which API it has.
const KINDS: Readonly<Record<string, keyof typeof PROVIDERS>> = {
  '@ai-sdk/openai-compatible': 'openai',
  '@ai-sdk/openai': 'openai',
  '@ai-sdk/anthropic': 'anthropic',
  '@ai-sdk/google': 'google',
}

/**
 * The provider of the model that OpenCode is set to use, if its settings give that provider an
 * address.
 */
function findChosen(configurations: readonly JsonObject[]) {
  const model = configurations.flatMap(({ model }) => asText(model) ?? []).at(-1)
  const name = model?.split('/')[0] ?? ''
  const found: JsonObject[] = []
  for (const settings of configurations) found.push(findProvider(settings, name) ?? {})
  const address = found.flatMap(({ options }) => asText(asObject(options)?.baseURL) ?? []).at(-1)
  const kind = found.flatMap(({ npm }) => asText(npm) ?? []).at(-1) ?? `@ai-sdk/${name}`
  const upstream = KINDS[kind]
  return address === undefined || upstream === undefined ? undefined : { name, upstream, address }
}

function findProvider({ provider }: JsonObject, name: string): JsonObject | undefined {
  return asObject(asObject(provider)?.[name])
}

function findAddress(settings: JsonObject, name: string): unknown {
  return asObject(findProvider(settings, name)?.options)?.baseURL
}

function addAddress(provider: JsonObject | undefined, baseURL: string): JsonObject {
  return { ...provider, options: { ...asObject(provider?.options), baseURL } }
}

/** The user's own value of the variable. If precis cannot read it, the agent cannot either. */
export function readConfigurationContent(environment: Environment): JsonObject {
  const errors: ParseError[] = []
  const value: unknown = parse(environment[VARIABLE] || '{}', errors, { allowTrailingComma: true })
  return (errors.length === 0 && asObject(value)) || {}
}

/** The addresses of providers in its settings, which apply to every start. */
export function listGatewayEntries(
  environment: Environment,
  { url }: GatewayAddress,
): readonly SettingsEntry[] {
  return Object.entries(PROVIDERS).map(([name, version]) => ({
    type: 'json',
    path: findConfiguration(OPENCODE_PRODUCT, environment),
    what: `address of ${name}`,
    names: ['provider', name, 'options', 'baseURL'],
    isElement: false,
    value: url + version,
    isOwn: (found) => found === url + version,
  }))
}
