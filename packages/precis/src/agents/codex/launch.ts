import { homedir } from 'node:os'
import { join } from 'node:path'
import { quietly } from '../../files/errors.ts'
import { readInputFile } from '../../files/read-document.ts'
import type { Environment, SettingsEntry } from '../shared/agent.ts'
import { SERVER_NAME } from '../shared/entry.ts'
import { type GatewayAddress, type Launch, replaceAddress } from '../shared/wire.ts'

const ADDRESS = 'openai_base_url'
const OWN_PROVIDER = 'openai'

/**
 * Settings on the command line (developers.openai.com/codex/config-advanced, tested with 0.169.0).
 * They change the address of Codex's built-in provider, so a login with ChatGPT stays valid and
 * sessions keep their provider.
 */
export const launch: Launch = {
  program: 'codex',
  install: 'npm install -g @openai/codex',
  upstream: 'openai',
  renderSetting: (url) => `codex -c ${ADDRESS}=${url}/v1`,
  findUpstreams: (environment) => ({ openai: findProvider(environment).address }),
  plan({ gateway, environment, server }) {
    const table = `mcp_servers.${SERVER_NAME}`
    const provider = findProvider(environment)
    const isRouted = provider.name === OWN_PROVIDER || provider.address !== undefined
    const settings = {
      ...(provider.name !== OWN_PROVIDER && provider.address !== undefined
        ? {
            [`model_providers.${provider.name}.base_url`]: replaceAddress(
              provider.address,
              gateway,
            ),
          }
        : { [ADDRESS]: `${gateway.url}/v1` }),
      [`${table}.command`]: server.program,
      [`${table}.args`]: server.words,
    }
    return {
      environment: {},
      // A string or a list of strings is the same in JSON and in TOML.
      arguments: Object.entries(settings).flatMap(([name, value]) => [
        '-c',
        `${name}=${JSON.stringify(value)}`,
      ]),
      files: [],
      recallTool: 'mcp__precis.recall',
      note: isRouted
        ? undefined
        : `Codex is set to use the provider "${provider.name}", which does not go through the gateway; "codex -c model_provider=openai" does`,
    }
  },
}

/** The provider that it is set to use, and its address if the user set one. */
function findProvider(environment: Environment) {
  const text =
    quietly(() => readInputFile(join(findFolder(environment), 'config.toml')).toString('utf8')) ??
    ''
  const [top = '', ...tables] = text.split(/^[ \t]*\[/m)
  const name = readSetting(top, 'model_provider') ?? OWN_PROVIDER
  if (name === OWN_PROVIDER) return { name, address: readSetting(top, ADDRESS) }
  // A setting on the command line cannot contain other names.
  const headings = /^[\w-]+$/.test(name)
    ? [`model_providers.${name}]`, `model_providers."${name}"]`]
    : []
  const table = tables.find((each) => headings.some((heading) => each.startsWith(heading)))
  return { name, address: table === undefined ? undefined : readSetting(table, 'base_url') }
}

/** A string at the beginning of a line. */
function readSetting(text: string, name: string): string | undefined {
  for (const line of text.split('\n')) {
    const [, found, value] = /^[ \t]*(\w+)[ \t]*=[ \t]*["']([^"'\\]*)["']/.exec(line) ?? []
    if (found === name) return value
  }
  return undefined
}

/** The address in its `config.toml`, which applies to every start. */
export function listGatewayEntries(
  environment: Environment,
  { url }: GatewayAddress,
): readonly SettingsEntry[] {
  const path = join(findFolder(environment), 'config.toml')
  return [
    { type: 'toml-value', path, what: 'address of openai', name: ADDRESS, value: `${url}/v1` },
  ]
}

export function findFolder({ CODEX_HOME }: Environment): string {
  return CODEX_HOME || join(homedir(), '.codex')
}
