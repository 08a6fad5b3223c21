/**
 * Headers on their way through. Whatever is unknown passes, in its order and letters, as often as
 * it stands there; what belongs to one connection alone does not (RFC 9110, 7.6.1).
 */

/** Names and values in turn, as `rawHeaders` of Node has them. */
export type RawHeaders = readonly string[]

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

/** What clients ask of the gateway itself. */
export const ownHeaders = {
  token: 'x-precis-token',
  bypass: 'x-precis-bypass',
  /** The gateways that a request came through, by their ids. */
  passed: 'x-precis-gateway',
  /** What was done, in an answer. */
  act: 'x-precis-act',
  tokensBefore: 'x-precis-tokens-before',
  tokensAfter: 'x-precis-tokens-after',
  /** The path of the page that shows what the gateway did for this credential. */
  page: 'x-precis-page',
} as const

// Set anew: by what the body is, and by where the request goes. What a client expects is promised
// by this server already.
const SET_ANEW: ReadonlySet<string> = new Set([
  'host',
  'expect',
  ownHeaders.token,
  ownHeaders.passed,
])

export interface PassedOn {
  /** Whether the upstream is the provider itself, which hears nothing of gateways. */
  readonly isVendor: boolean
  /** The value of the header that keeps a second gateway from acting too. */
  readonly passed: string
  /** Whether the body goes out as one piece, whose length is counted then. */
  readonly isWhole: boolean
  /** Whether the body is another one, which is not compressed. */
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
 * All but what belongs to one connection, by its own name or because the header `connection` names
 * it.
 */
export function passHeaders(
  raw: RawHeaders,
  isWanted: (name: string) => boolean = () => true,
): string[] {
  const named = listNamed(raw)
  const headers: string[] = []
  for (let index = 0; index + 1 < raw.length; index += 2) {
    const name = raw[index] ?? ''
    const value = raw[index + 1] ?? ''
    const lower = name.toLowerCase()
    // Without this word an upstream keeps its trailers to itself.
    if (lower === 'te' && value.trim().toLowerCase() === 'trailers') headers.push(name, value)
    if (OF_ONE_CONNECTION.has(lower) || named?.has(lower) || !isWanted(lower)) continue
    headers.push(name, value)
  }
  return headers
}

function listNamed(raw: RawHeaders): ReadonlySet<string> | undefined {
  let named: Set<string> | undefined
  for (let index = 0; index + 1 < raw.length; index += 2) {
    if (raw[index]?.toLowerCase() !== 'connection') continue
    const words = (raw[index + 1] ?? '').toLowerCase().split(',')
    const others = words
      .map((word) => word.trim())
      .filter((word) => word !== 'keep-alive' && word !== 'close')
    named = new Set([...(named ?? []), ...others])
  }
  return named
}

/** The value of a header that stands there at most once. */
export function readHeader(raw: RawHeaders, name: string): string | undefined {
  for (let index = 0; index + 1 < raw.length; index += 2) {
    if (raw[index]?.toLowerCase() === name) return raw[index + 1]
  }
  return undefined
}
