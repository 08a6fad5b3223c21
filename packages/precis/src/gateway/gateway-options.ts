/** The options of a gateway that `precis serve` and `precis wrap` share. */

import { findArchive } from '../compression/ports.ts'
import type { Configuration } from '../configuration/configuration.ts'
import type { GatewayOptions, UpstreamName } from './gateway.ts'
import { defaultUpstreams, upstreamNames } from './upstreams.ts'

/** Named as in commander. */
export interface GatewayFlags {
  readonly database?: string
  readonly port?: number
  readonly window?: number
  readonly save?: boolean
  readonly websockets?: boolean
  /** `--upstream-anthropic` and the others, named as in commander. */
  readonly [flag: `upstream${string}`]: string | undefined
}

export const DEFAULT_PORT = 4141
export type Upstreams = Readonly<Partial<Record<UpstreamName, string>>>

/** Flags override the configuration, which overrides the agent's earlier setting. */
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
