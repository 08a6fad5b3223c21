/** What `precis serve` and `precis wrap` are told about a gateway alike. */

import { type Command, Option } from 'commander'
import { findArchive } from '../compression/ports.ts'
import type { Configuration } from '../configuration/configuration.ts'
import type { GatewayOptions, UpstreamName } from '../gateway/gateway.ts'
import { defaultUpstreams, upstreamNames } from '../gateway/upstreams.ts'
import { createLimitParser, parseWindow } from './options.ts'
import { addDatabaseOption, type DatabaseFlags } from './read-configured.ts'

export interface GatewayFlags extends DatabaseFlags {
  readonly port?: number
  readonly window?: number
  readonly save?: boolean
  readonly websockets?: boolean
  /** `--upstream-anthropic` and the others, as commander names them. */
  readonly [flag: `upstream${string}`]: string | undefined
}

export const DEFAULT_PORT = 4141
const MOST_PORT = 65_535

export function createPortOption(meaning: string, least = 1): Option {
  const parse = createLimitParser(MOST_PORT, least)
  return new Option('--port <n>', meaning).argParser(parse).default(undefined, `${DEFAULT_PORT}`)
}

export function addGatewayOptions(command: Command): Command {
  for (const name of upstreamNames) {
    command.addOption(
      new Option(`--upstream-${name} <url>`, `where requests for ${name} go`).default(
        undefined,
        defaultUpstreams[name],
      ),
    )
  }
  return addDatabaseOption(command)
    .option(
      '-w, --window <tokens>',
      'the window of every model, instead of what is known of it',
      parseWindow,
    )
    .option('--save', 'compress where the planner says that it pays, also where everything fits')
    .option(
      '--websockets',
      'let the WebSockets of agents pass, where nothing can be done; without it they use HTTP',
    )
}

export type Upstreams = Readonly<Partial<Record<UpstreamName, string>>>

/** Flags over the configuration, over what the agent was told before. */
export function readGatewayOptions(
  flags: GatewayFlags,
  { archive, gateway }: Configuration,
  told: Upstreams = {},
) {
  const upstreams: Record<UpstreamName, string> = { ...defaultUpstreams }
  for (const name of upstreamNames) {
    upstreams[name] =
      readUpstreamFlag(flags, name) ?? gateway?.upstreams?.[name] ?? told[name] ?? upstreams[name]
  }
  return {
    upstreams,
    database: archive?.database,
    archive: findArchive(archive),
    windowTokens: flags.window ?? gateway?.windowTokens,
    saves: flags.save ?? gateway?.saves ?? false,
    relaysWebSockets: flags.websockets ?? gateway?.websockets ?? false,
  } satisfies Partial<GatewayOptions>
}

export function readUpstreamFlag(flags: GatewayFlags, name: UpstreamName): string | undefined {
  return flags[
    `upstream${name.replace(/(?:^|-)(.)/g, (_, letter: string) => letter.toUpperCase())}`
  ]
}
