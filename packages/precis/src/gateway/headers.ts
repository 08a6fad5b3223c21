/**
 * Headers on their way through the gateway. Unknown headers pass with their order, spelling and
 * number. Headers that belong to one connection do not (RFC 9110, 7.6.1).
 */

import type { IncomingHttpHeaders } from 'node:http'

/** Alternating names and values, like `rawHeaders` of Node. */
export type RawHeaders = readonly string[]

/** Raw headers by name and value. */
export function listPairs(raw: RawHeaders): [name: string, value: string][] {
  const pairs: [string, string][] = []
  for (let index = 0; index + 1 < raw.length; index += 2)
    pairs.push([raw[index] ?? '', raw[index + 1] ?? ''])
  return pairs
}

const OF_ONE_CONNECTION: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'transfer-encoding',
  'upgrade',
])

/** Headers of the gateway itself. */
export const ownHeaders = {
  token: 'x-precis-token',
  bypass: 'x-precis-bypass',
  /** The ids of the gateways that a request came through. */
  passed: 'x-precis-gateway',
  /** The action, in an answer. */
  act: 'x-precis-act',
  tokensBefore: 'x-precis-tokens-before',
  tokensAfter: 'x-precis-tokens-after',
  /** The path of the page with what the gateway did for this credential. */
  page: 'x-precis-page',
} as const

// These headers are for this server, or it writes its own. It has already answered "expect".
const SET_ANEW: ReadonlySet<string> = new Set([
  'host',
  'expect',
  ownHeaders.token,
  ownHeaders.passed,
])

export interface PassedOn {
  /** Whether the upstream is the provider itself, which must not see gateways. */
  readonly isVendor: boolean
  /** The value of the header that stops a second gateway from acting too. */
  readonly passed: string
  /** Whether the body is sent in one piece, so that its length is known. */
  readonly isWhole: boolean
  /** Whether the body was replaced. A replacement is not compressed. */
  readonly isReplaced?: boolean
}

/** The headers of a client for its upstream. */
export function passRequestHeaders(raw: RawHeaders, options: PassedOn): string[] {
  const { isVendor, passed, isWhole, isReplaced = false } = options
  const headers = passHeaders(raw, (name) => {
    if (SET_ANEW.has(name)) return false
    if (name === 'content-length') return !isWhole
    if (name === 'content-encoding') return !isReplaced
    return !(isVendor && name === ownHeaders.bypass)
  })
  if (!isVendor) headers.push(ownHeaders.passed, passed)
  return headers
}

/**
 * All headers except those of one connection, by their own names or because `connection` names
 * them.
 */
export function passHeaders(
  raw: RawHeaders,
  isWanted: (name: string) => boolean = () => true,
): string[] {
  const named = listNamed(raw)
  const headers: string[] = []
  for (const [name, value] of listPairs(raw)) {
    const lower = name.toLowerCase()
    // If this word is missing, an upstream leaves out its trailers.
    if (lower === 'te' && value.trim().toLowerCase() === 'trailers') headers.push(name, value)
    if (OF_ONE_CONNECTION.has(lower) || named.has(lower) || !isWanted(lower)) continue
    headers.push(name, value)
  }
  return headers
}

/** The headers that `connection` names. */
function listNamed(raw: RawHeaders): ReadonlySet<string> {
  const words = listPairs(raw).flatMap(([name, value]) =>
    name.toLowerCase() === 'connection' ? value.toLowerCase().split(',') : [],
  )
  const named = words.map((word) => word.trim())
  return new Set(named.filter((word) => word !== 'keep-alive' && word !== 'close'))
}

/** The value of a header that occurs at most once. */
export function readRawHeader(raw: RawHeaders, name: string): string | undefined {
  return listPairs(raw).find(([known]) => known.toLowerCase() === name)?.[1]
}

/** Whether a client sets one of the headers that are switches. */
export const isSwitchedOn = (headers: IncomingHttpHeaders, name: string): boolean =>
  /^(?:true|1)$/i.test(String(headers[name] ?? ''))
