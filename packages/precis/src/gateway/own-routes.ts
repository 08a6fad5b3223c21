/** Addresses that the gateway answers itself, in one table. All others belong to a provider. */
import { type IncomingHttpHeaders, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Metrics } from './metrics.ts'

export interface OwnRoute {
  readonly method: 'GET' | 'POST'
  /** The whole path. If it ends in `/*`, everything below it. */
  readonly path: string
  /** Whether clients without the token may ask, such as probes. */
  readonly isOpen?: boolean
  /** If it throws, the client only learns that the request failed. */
  answer(request: OwnRequest): Promise<OwnAnswer> | OwnAnswer
}

export interface OwnRequest {
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingHttpHeaders
  /** Aborted when the client is gone. */
  readonly client: AbortSignal
  /** Undefined if it is larger than 64 MB. */
  readBody(): Promise<Uint8Array | undefined>
}

export interface OwnAnswer {
  readonly status: number
  readonly contentType: string
  readonly body: string | Uint8Array
  readonly headers?: Readonly<Record<string, string>>
}

/** What the gateway's own routes know about it. */
export interface OwnState {
  readonly version: string
  readonly metrics: Metrics
  readonly isReady: () => boolean
  /** The upstreams that are providers themselves, not other gateways. */
  readonly vendors: readonly string[]
}

export function listOwnRoutes({
  version,
  metrics,
  isReady,
  vendors,
}: OwnState): readonly OwnRoute[] {
  const ready: OwnRoute['answer'] = () => {
    const status = isReady() ? 'ready' : 'closing'
    return renderJson({ name: 'precis', version, status, vendors }, isReady() ? 200 : 503)
  }
  return [
    {
      method: 'GET',
      path: '/livez',
      isOpen: true,
      answer: () => renderJson({ name: 'precis', version }),
    },
    ...['/readyz', '/health', '/healthz'].map(
      (path): OwnRoute => ({ method: 'GET', path, isOpen: true, answer: ready }),
    ),
    {
      method: 'GET',
      path: '/metrics',
      async answer() {
        const { contentType, text } = await metrics.render()
        return { status: 200, contentType, body: text }
      },
    },
  ]
}

/** `HEAD` is answered like `GET`, except for `/`, which agents use to find their provider. */
export function findOwnRoute(
  routes: readonly OwnRoute[],
  method: string,
  path: string,
): OwnRoute | undefined {
  const asked = method === 'HEAD' && path !== '/' ? 'GET' : method
  return routes.find((route) => route.method === asked && isPathOf(route, path))
}

function isPathOf(route: OwnRoute, path: string): boolean {
  return route.path.endsWith('/*') ? path.startsWith(route.path.slice(0, -1)) : path === route.path
}

export function renderJson(value: object, status = 200): OwnAnswer {
  return { status, contentType: 'application/json', body: `${JSON.stringify(value)}\n` }
}

/** An error of the gateway, in the place where the clients of every provider read the message. */
export function renderProblem(status: number, message: string): OwnAnswer {
  const error = { type: 'api_error', code: status, message: `precis: ${message}` }
  return renderJson({ type: 'error', error }, status)
}

export function sendOwn(
  response: ServerResponse,
  { status, contentType, body, headers }: OwnAnswer,
): void {
  if (response.destroyed) return
  // Otherwise the reason of an upstream's answer would stay, if that answer could not begin.
  response.writeHead(status, STATUS_CODES[status] ?? '', {
    'content-type': contentType,
    // RFC 9110: an answer 204 has no length.
    ...(status !== 204 && { 'content-length': Buffer.byteLength(body) }),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...headers,
  })
  response.end(body)
  endUnread(response)
}

/**
 * Nobody reads the rest of a body behind its answer. An immediate end could take the answer from a
 * client that is still sending.
 */
function endUnread(response: ServerResponse): void {
  const { req: request } = response
  if (request.complete) return
  const timer = setTimeout(() => {
    if (!request.complete) request.socket.destroy()
  }, UNREAD_MS).unref()
  for (const end of ['end', 'close']) request.once(end, () => clearTimeout(timer))
}

// As long as the headers may take.
const UNREAD_MS = 15_000
