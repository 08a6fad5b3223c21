/** What "precis install --gateway" puts into the files of an agent. */
import { InvalidArgumentError } from 'commander'
import type { Agent, SettingsEntry } from '../agents/shared/agent.ts'
import { type GatewayAddress, hideToken } from '../agents/shared/wire.ts'
import { readConfigured } from '../configuration/read-configured.ts'
import { DEFAULT_PORT } from '../gateway/gateway-options.ts'
import { defaultUpstreams, isVendor, upstreamNames } from '../gateway/upstreams.ts'
import {
  findInstalledGateway,
  listNewGatewayEntries,
  listOwnGatewayEntries,
} from '../installation/gateway-entries.ts'
import type { InstalledGateway } from '../installation/installation-records.ts'
import { neutralizeLine } from '../terminal/render.ts'
import { wrongUsage } from './failure.ts'

export const DEFAULT_GATEWAY = `http://127.0.0.1:${DEFAULT_PORT}`

export function parseGatewayUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isAddress = url && /^https?:$/.test(url.protocol) && url.search === '' && url.hash === ''
  if (!isAddress) throw new InvalidArgumentError(`Give an address such as ${DEFAULT_GATEWAY}.`)
  return text.replace(/\/+$/, '')
}

/** The entries for a gateway, and what the records will contain about it. */
export interface GatewayPlan {
  readonly entries: readonly SettingsEntry[]
  readonly record: InstalledGateway | undefined
}

/** From the configuration of "precis serve" if the user names none. */
export async function readAddress(
  { wire }: Agent,
  url: string | undefined,
): Promise<GatewayAddress> {
  const { gateway } = await readConfigured()
  const upstream = upstreamNames.find((name) => name === wire?.launch.upstream)
  const base = upstream && (gateway?.upstreams?.[upstream] ?? defaultUpstreams[upstream])
  const token = process.env.PRECIS_TOKEN
  const own = `http://127.0.0.1:${gateway?.port ?? DEFAULT_PORT}${token ? `/t/${token}` : ''}`
  return {
    url: url ?? own,
    isVendor: upstream !== undefined && base !== undefined && isVendor(upstream, base),
  }
}

export function listGateway(agent: Agent, address: GatewayAddress): GatewayPlan {
  const { url } = address
  const { name, title, wire } = agent
  const doing = `Setting the gateway of ${title}:`
  if (!wire) throw wrongUsage(`${doing} not supported. "precis serve" works for any client.`)
  if (!wire.listGatewayEntries) {
    throw wrongUsage(
      `${doing} its settings cannot contain an address. Start it with "precis wrap ${name}".`,
    )
  }
  const installed = findInstalledGateway(agent)
  if (installed && installed.url !== url) {
    const other = neutralizeLine(hideToken(installed.url))
    throw wrongUsage(`${doing} it already uses ${other}. Run "precis uninstall ${name}" first.`)
  }
  const entries = listNewGatewayEntries(agent, process.env, address)
  return { entries, record: { url, entries: entries.map(({ what }) => what) } }
}

/** A repeated installation changes nothing about the gateway. */
export function keepGateway(agent: Agent): GatewayPlan {
  return { entries: listOwnGatewayEntries(agent, process.env), record: findInstalledGateway(agent) }
}
