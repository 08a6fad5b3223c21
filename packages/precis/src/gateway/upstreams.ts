/** The default addresses of providers, and how the address of a request is built. */
import { GatewayError } from '../files/errors.ts'
import type { UpstreamName } from './gateway.ts'
import type { FoundRoute } from './routes.ts'

export const defaultUpstreams: Readonly<Record<UpstreamName, string>> = {
  anthropic: 'https://api.anthropic.com',
  openai: 'https://api.openai.com',
  chatgpt: 'https://chatgpt.com',
  google: 'https://generativelanguage.googleapis.com',
  'google-internal': 'https://cloudcode-pa.googleapis.com',
  bedrock: 'https://bedrock-runtime.us-east-1.amazonaws.com',
  vertex: 'https://{location}-aiplatform.googleapis.com',
}

/** In the order in which people read them. */
export const upstreamNames = Object.keys(defaultUpstreams).filter(isUpstreamName)

const VENDOR_HOSTS: Readonly<Record<UpstreamName, RegExp>> = {
  anthropic: /^api\.anthropic\.com$/,
  openai: /^(?:[a-z]{2}\.)?api\.openai\.com$/,
  chatgpt: /^chatgpt\.com$/,
  google: /^generativelanguage\.googleapis\.com$/,
  'google-internal': /^cloudcode-pa\.googleapis\.com$/,
  bedrock: /^bedrock-runtime(?:-fips)?\.[a-z0-9-]+\.amazonaws\.com(?:\.cn)?$/,
  vertex: /^(?:[a-z0-9-]+-)?aiplatform\.googleapis\.com$/,
}

/** Whether requests to this address reach the provider itself, and not another gateway. */
export function isVendor(name: UpstreamName, base: string): boolean {
  const { protocol, hostname } = new URL(fillLocation(base))
  return protocol === 'https:' && VENDOR_HOSTS[name].test(hostname)
}

/** Throws `GatewayError` for an address that cannot receive requests. */
export function checkUpstream(name: UpstreamName, base: string): void {
  const filled = fillLocation(base)
  const url = URL.canParse(filled) ? new URL(filled) : undefined
  const found = findFault(url)
  if (found === undefined) return
  // The address itself may contain a password.
  throw new GatewayError(
    'bad-upstream',
    `The upstream "${name}" ${found}. Give its base address alone, as ${defaultUpstreams[name]}.`,
  )
}

function findFault(url: URL | undefined): string | undefined {
  if (!url || !/^https?:$/.test(url.protocol))
    return 'is no address that begins with https:// or http://'
  if (url.username !== '' || url.password !== '') return 'has a user or a password in its address'
  return url.search !== '' || url.hash !== '' ? 'has more than a host and a path' : undefined
}

const LAST_VERSION = /\/v\d+[a-z]*\d*$/
const FIRST_VERSION = /^\/v\d+[a-z]*\d*(?=\/)/

export interface UpstreamAddress {
  readonly origin: string
  readonly path: string
}

/**
 * The address of a request at its upstream. If the base address has a version or a path already, it
 * is not repeated.
 */
export function locate(
  base: string,
  { path, location }: Pick<FoundRoute, 'path' | 'location'>,
): UpstreamAddress {
  const { origin, pathname } = new URL(fillLocation(base, location))
  const above = pathname.replace(/\/+$/, '')
  if (above === '' || path.startsWith(`${above}/`)) return { origin, path }
  return {
    origin,
    path: `${above}${LAST_VERSION.test(above) ? path.replace(FIRST_VERSION, '') : path}`,
  }
}

const PLACE = '{location}'

/** The name of Google's host for all regions contains no region. */
function fillLocation(base: string, location = 'global'): string {
  return location === 'global'
    ? base.replace(`${PLACE}-`, '').replace(PLACE, location)
    : base.replace(PLACE, location)
}

function isUpstreamName(name: string): name is UpstreamName {
  return Object.hasOwn(defaultUpstreams, name)
}
