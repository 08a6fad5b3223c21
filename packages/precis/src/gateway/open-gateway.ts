import { asList } from '../agents/shared/next-model.ts'
import type { GatewayAddress, Launch } from '../agents/shared/wire.ts'
import type { Configuration } from '../configuration/configuration.ts'
import { asObject, type JsonObject } from '../files/lines.ts'
import {
  DEFAULT_PORT,
  type GatewayFlags,
  readGatewayOptions,
  readUpstreamFlag,
  type Upstreams,
} from './gateway-options.ts'
import { defaultUpstreams, isVendor, upstreamNames } from './upstreams.ts'

export interface GatewayRequest {
  readonly launch: Launch
  readonly flags: GatewayFlags
  readonly configuration: Configuration
  readonly version: string
  readonly note: (text: string) => void
}

export interface OpenedGateway {
  readonly address: GatewayAddress
  /** The address of the page that shows what it does. */
  readonly pageUrl: string
  /** Has no effect on a gateway that was already running. */
  readonly close: () => Promise<void>
}

const HOST = '127.0.0.1'

/**
 * The gateway that runs on the port, if it has the required options. If not, one in this process.
 * Throws `GatewayError`.
 */
export async function openGateway({
  launch,
  flags,
  configuration,
  version,
  note,
}: GatewayRequest): Promise<OpenedGateway> {
  const url = `http://${HOST}:${flags.port ?? configuration.gateway?.port ?? DEFAULT_PORT}`
  const told = listUpstreams(launch, url)
  if (Object.keys(told).length === 0 && !isAsked(flags)) {
    const address = await findRunning(url, { launch, version })
    if (address) return { address, pageUrl: `${address.url}/`, close: async () => {} }
  }
  const options = readGatewayOptions(flags, configuration, told)
  const { startGateway } = await import('./server.ts')
  const gateway = await startGateway({ ...options, version, port: 0, host: HOST, note })
  const upstream = upstreamNames.find((name) => name === launch.upstream)
  return {
    address: {
      url: gateway.url,
      isVendor: upstream !== undefined && isVendor(upstream, options.upstreams[upstream]),
    },
    pageUrl: gateway.pageUrl ?? `${gateway.url}/`,
    async close() {
      // The agent has ended, and no client waits for an answer.
      const closed = gateway.close()
      await gateway.close()
      await closed
    },
  }
}

/** The agent's earlier addresses, unless they are this gateway. */
function listUpstreams(launch: Launch, url: string): Upstreams {
  const found = launch.findUpstreams(process.env, process.cwd())
  const others = upstreamNames.map((name) => [name, found[name]] as const)
  return Object.fromEntries(
    others.filter(
      ([name, base]) =>
        base !== undefined && base !== defaultUpstreams[name] && !base.startsWith(url),
    ),
  )
}

/** Whether the user requires options that a running gateway may not have. */
function isAsked(flags: GatewayFlags): boolean {
  const values = [
    flags.database,
    flags.window,
    flags.save,
    ...upstreamNames.map((name) => readUpstreamFlag(flags, name)),
  ]
  return values.some((value) => value !== undefined)
}

const WAIT_MS = 1000

async function findRunning(
  url: string,
  { launch, version }: Pick<GatewayRequest, 'launch' | 'version'>,
): Promise<GatewayAddress | undefined> {
  const ready = await askGateway(`${url}/readyz`)
  // Another version may not behave like this one.
  if (
    ready?.body.name !== 'precis' ||
    ready.body.status !== 'ready' ||
    ready.body.version !== version
  )
    return undefined
  const token = process.env.PRECIS_TOKEN
  const open = token ? `${url}/t/${token}` : url
  for (const base of [url, open]) {
    // Requires the token for the same paths as agents' requests.
    const status = (await askGateway(`${base}/metrics`))?.status
    if (status === 200)
      return { url: base, isVendor: asList(ready.body.vendors).includes(launch.upstream) }
  }
  return undefined
}

interface Asked {
  readonly status: number
  readonly body: JsonObject
}

/** Undefined if there is no answer. */
export async function askGateway(url: string): Promise<Asked | undefined> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(WAIT_MS) })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.startsWith('application/json')
    const body: unknown = isJson ? JSON.parse(text) : undefined
    return { status: response.status, body: asObject(body) ?? {} }
  } catch {
    // The server on the port is not a gateway.
    return undefined
  }
}
