/**
 * Access to the gateway: for programs on this machine, and for clients that know the token. Pages
 * in a browser have none, whatever address their name resolves to (DNS rebinding).
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { GatewayError } from '../files/errors.ts'
import { ownHeaders } from './headers.ts'

export interface AccessOptions {
  readonly host: string
  readonly token?: string | undefined
}

/** `url` does not contain the token any more. */
type AccessVerdict =
  | { readonly type: 'allowed'; readonly url: string }
  | { readonly type: 'denied'; readonly status: 400 | 401 | 403; readonly reason: string }

/**
 * For `own` routes, `authorization` may contain the token. On all other routes it is the
 * provider's. `probe`s need no token.
 */
export type RouteKind = 'provider' | 'own' | 'probe'

export interface Access {
  /** `findKind` gets the address, with the token removed. */
  check(
    request: Pick<IncomingMessage, 'url' | 'headers'>,
    findKind: (url: string) => RouteKind,
  ): AccessVerdict
}

const LEAST_TOKEN_CHARACTERS = 16
const TOKEN_PATH = /^\/t\/([^/?]+)(.*)$/s
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

/** Throws `GatewayError` for an address that others can reach if it has no token. */
export function createAccess({ host, token }: AccessOptions): Access {
  const isLocal = isLoopback(host)
  if (token === undefined && !isLocal) {
    throw new GatewayError(
      'unsafe-address',
      `Serving on ${host}: others can reach it, and it would send requests for all of them. Give --token or PRECIS_TOKEN, or serve on 127.0.0.1.`,
    )
  }
  if (token !== undefined && (token.length < LEAST_TOKEN_CHARACTERS || !/^[\w.~-]+$/.test(token))) {
    throw new GatewayError(
      'unsafe-address',
      `The token has to have at least ${LEAST_TOKEN_CHARACTERS} letters, digits, "-", "_", "." or "~": "openssl rand -hex 24" makes one.`,
    )
  }
  const expected = token === undefined ? undefined : hash(token)
  const knows = (given: string | undefined) =>
    given !== undefined && expected !== undefined && timingSafeEqual(hash(given), expected)
  return {
    check({ url = '', headers }, findKind) {
      if (!url.startsWith('/')) return deny(400, 'the address has to be a path')
      if (isForeignPage(headers)) return deny(403, 'pages of other servers may not ask here')
      // A token that is not asked for is nothing for a provider.
      const [, inPath, rest = ''] = TOKEN_PATH.exec(url) ?? []
      const path = inPath === undefined ? url : rest.startsWith('/') ? rest : `/${rest}`
      const allowed = { type: 'allowed', url: path } as const
      if (isLocal && !isNameOf(host, headers.host))
        return deny(403, 'the header "host" names another server')
      const kind = findKind(path)
      if (!expected || kind === 'probe') return allowed
      const given = [
        readOne(headers[ownHeaders.token]),
        inPath,
        kind === 'own' ? readCredential(headers) : undefined,
      ]
      return given.some(knows)
        ? allowed
        : deny(401, `the token is missing or wrong. Send it as ${ownHeaders.token}`)
    },
  }
}

/** Whether only this machine can reach an address. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.test(
    host.includes(':') ? `[${host.replace(/^\[|\]$/g, '')}]` : host.toLowerCase(),
  )
}

function deny(status: 400 | 401 | 403, reason: string): AccessVerdict {
  return { type: 'denied', status, reason }
}

/** By headers that only browsers set. A page of the gateway itself has access. */
function isForeignPage({ origin, host, 'sec-fetch-site': site }: IncomingHttpHeaders): boolean {
  if (origin !== undefined && origin !== `http://${host}` && origin !== `https://${host}`)
    return true
  return site !== undefined && site !== 'none' && site !== 'same-origin'
}

/** Whether the header `host` is a name of this machine, or the name that is served. */
function isNameOf(bound: string, host: string | undefined): boolean {
  const name = /^(\[[\da-f:.]+\]|[^:/?#@\s]+)(?::\d{1,5})?$/i.exec(host ?? '')?.[1]?.toLowerCase()
  return name !== undefined && (LOOPBACK.test(name) || name === bound.toLowerCase())
}

/** `Bearer <token>`, or `Basic` with it as the password. */
function readCredential({ authorization = '' }: IncomingHttpHeaders): string | undefined {
  const [, scheme, value = ''] = /^(bearer|basic) +(\S+)$/i.exec(authorization) ?? []
  if (scheme === undefined) return undefined
  if (scheme.toLowerCase() === 'bearer') return value
  const pair = Buffer.from(value, 'base64').toString()
  return pair.slice(pair.indexOf(':') + 1)
}

function readOne(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}

// Has the same length for any input.
function hash(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
