import { join } from 'node:path'
import { quietly } from '../../files/errors.ts'
import { readInputFile } from '../../files/read-document.ts'
import type { Entry, Environment } from '../ground/agent.ts'
import { SERVER_NAME } from '../ground/entry.ts'
import type { GatewayAddress, Launch } from '../ground/wire.ts'
import { findFolder } from './installation.ts'

const ADDRESS = 'openai_base_url'
const OWN_PROVIDER = 'openai'

/**
 * Settings on the command line (developers.openai.com/codex/config-advanced; tried with 0.169.0). The address is that of the
 * provider that Codex comes with: a login with ChatGPT stays, and its sessions are those of that provider.
 */
export const launch: Launch = {
  program: 'codex',
  install: 'npm install -g @openai/codex',
  upstream: 'openai',
  findUpstreams: (environment) => ({ openai: readSetting(environment, ADDRESS) }),
  plan({ gateway, environment, server }) {
    const table = `mcp_servers.${SERVER_NAME}`
    const settings = {
      [ADDRESS]: `${gateway.url}/v1`,
      [`${table}.command`]: server.program,
      [`${table}.args`]: server.words,
    }
    const provider = readSetting(environment, 'model_provider') ?? OWN_PROVIDER
    return {
      environment: {},
      // A string or a list of strings is the same in JSON and in TOML.
      arguments: Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${JSON.stringify(value)}`]),
      files: [],
      recallTool: 'mcp__precis.recall',
      note:
        provider === OWN_PROVIDER
          ? undefined
          : `Codex is set to use the provider "${provider}", which does not go through the gateway; "codex -c model_provider=openai" does`,
    }
  },
}

/** A string of its `config.toml` that stands before all tables. */
function readSetting(environment: Environment, name: string): string | undefined {
  const text = quietly(() => readInputFile(join(findFolder(environment), 'config.toml')).toString('utf8')) ?? ''
  const [top = ''] = text.split(/^[ \t]*\[/m)
  for (const line of top.split('\n')) {
    const [, found, value] = /^[ \t]*(\w+)[ \t]*=[ \t]*["']([^"'\\]*)["']/.exec(line) ?? []
    if (found === name) return value
  }
  return undefined
}

/** The address in its `config.toml`, which holds for every start. */
export function listGatewayEntries(environment: Environment, { url }: GatewayAddress): readonly Entry[] {
  const path = join(findFolder(environment), 'config.toml')
  return [{ type: 'toml-value', path, what: 'address of openai', name: ADDRESS, value: `${url}/v1` }]
}
