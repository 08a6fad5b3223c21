/** The gateway as a server: access, its own answers, and what is sent to a provider. */
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { readPathname } from '../agents/shared/request-text.ts'
import { openStore } from '../archive/open-store.ts'
import { createDispatcher } from '../configuration/create-dispatcher.ts'
import { ignore } from '../database/database.ts'
import { type Access, createAccess, isLoopback, type RouteKind } from './access.ts'
import { createAccounts } from './accounts.ts'
import { GatewayActs } from './acts.ts'
import { createBodyMemory } from './body-memory.ts'
import { type ExchangeHost, exchange, type Incoming, isLeftAlone } from './exchange.ts'
import { forgetOwner, renderDatabasePlace } from './forget-owner.ts'
import type { Acts, GatewayOptions } from './gateway.ts'
import { listPairs, passRequestHeaders } from './headers.ts'
import { listen } from './listen.ts'
import { createMetrics } from './metrics.ts'
import { findOwnRoute, listOwnRoutes, type OwnRoute, renderProblem, sendOwn } from './own-routes.ts'
import { createOwnerFinder, readOwnerKey } from './owner.ts'
import { listPageRoutes, type PageHost, renderAllPath } from './page-routes.ts'
import { endUpgrade, isWebSocket, relayWebSocket } from './relay-websocket.ts'
import { readBody } from './request-body.ts'
import { findRoute } from './routes.ts'
import { listSidecarRoutes } from './sidecar-routes.ts'
import { checkUpstream, isVendor, locate, upstreamNames } from './upstreams.ts'

export interface ServerOptions extends GatewayOptions {
  /** The version of precis. */
  readonly version: string
  /** Replaces its own worker threads. */
  readonly acts?: Acts
}

export interface Gateway {
  /** `http://127.0.0.1:4141` */
  readonly url: string
  /** The page of all owners, for the operator. Undefined if others can reach it. */
  readonly pageUrl: string | undefined
  /**
   * Accepts nothing new, and waits up to ten seconds for open requests. A second call ends
   * immediately.
   */
  close(): Promise<void>
}

const GRACE_MS = 10_000
// The headers of an agent arrive at once. A slow sender would occupy a connection. A body has as
// long as it likes while it progresses.
const HEADERS_MS = 15_000
const CHECK_MS = 5000
// Longer than clients themselves keep a connection, so that it is not closed during a request.
const IDLE_MS = 75_000
const PROBE_MS = 30_000
const MOST_HEADER_BYTES = 128 << 10
const MOST_CONNECTIONS = 4096

/** Resolves when requests are accepted. Throws `GatewayError` and `DatabaseError`. */
export async function startGateway(options: ServerOptions): Promise<Gateway> {
  const access = createAccess(options)
  for (const name of upstreamNames) checkUpstream(name, options.upstreams[name])
  const key = await readOwnerKey(options.database)
  // With a token, the gateway may be reachable through another server, by people who could claim
  // each other's accounts.
  const isLocal = isLoopback(options.host) && options.token === undefined
  const findOwner = createOwnerFinder(key, { isShared: !isLocal })
  const store = openStore(options.database, { host: 'gateway' })
  const accounts = createAccounts({ store, note: options.note })
  const acts = options.acts ?? new GatewayActs(options)
  const metrics = createMetrics()
  const dispatcher = createDispatcher(process.env)
  const ports = { acts, accounts, metrics, dispatcher, findOwner }
  const { upstreams, windowTokens, note } = options
  const given = { upstreams, windowTokens, note }
  const host = { ...given, ...ports, id: randomUUID(), memory: createBodyMemory() }
  const state = { isClosing: false, upgraded: new Set<Duplex>() }
  const pages: PageHost = {
    accounts,
    findOwner,
    key,
    isLocal,
    database: renderDatabasePlace(options.database),
    forget: (ownerId, hasOriginals) =>
      forgetOwner(ownerId, { store, database: options.database, hasOriginals }),
  }
  const routes = [
    ...listOwnRoutes({
      version: options.version,
      metrics,
      isReady: () => !state.isClosing,
      vendors: upstreamNames.filter((name) => isVendor(name, options.upstreams[name])),
    }),
    ...listPageRoutes(pages),
    ...listSidecarRoutes(host),
  ]
  const relaysWebSockets = options.relaysWebSockets ?? false
  const server = createHttpServer({ host, access, routes, state, relaysWebSockets })
  const end = async () => {
    await dispatcher.destroy()
    await acts.close()
    await accounts.close()
  }
  const url = await listen(server, options).catch(async (error: unknown) => {
    await end()
    throw error
  })
  const endAll = () => {
    server.closeAllConnections()
    for (const socket of state.upgraded) socket.destroy()
  }
  let closed: Promise<void> | undefined
  const close = async () => {
    state.isClosing = true
    const grace = setTimeout(endAll, GRACE_MS)
    await new Promise((resolve) => server.close(resolve))
    clearTimeout(grace)
    await end()
  }
  const path = renderAllPath(pages)
  return {
    url,
    pageUrl: path && `${url}${path}`,
    close() {
      if (closed) endAll()
      closed ??= close()
      return closed
    },
  }
}

/** Everything that serving a request needs. */
interface Serving {
  readonly host: ExchangeHost
  readonly access: Access
  readonly routes: readonly OwnRoute[]
  readonly relaysWebSockets: boolean
  readonly state: { isClosing: boolean; readonly upgraded: Set<Duplex> }
}

function createHttpServer(serving: Serving): Server {
  const { state } = serving
  // The latest answer of each connection that has not ended.
  const answering = new WeakMap<Duplex, ServerResponse>()
  const server = createServer({
    headersTimeout: HEADERS_MS,
    requestTimeout: 0,
    connectionsCheckingInterval: CHECK_MS,
    keepAliveTimeout: IDLE_MS,
    maxHeaderSize: MOST_HEADER_BYTES,
    // A client whose machine disappears never closes its connection.
    keepAlive: true,
    keepAliveInitialDelay: PROBE_MS,
  })
  server.maxConnections = MOST_CONNECTIONS
  // Above a number, Node silently drops headers, even the length of the body. Their size is limited
  // above.
  server.maxHeadersCount = 0
  server.on('request', (request, response) => {
    // "close" reports the end, regardless of the reason.
    response.on('error', ignore)
    const { socket } = request
    answering.set(socket, response)
    // An idle connection is not waited for.
    response.once('close', () => {
      if (answering.get(socket) === response) answering.delete(socket)
      if (state.isClosing) setImmediate(() => server.closeIdleConnections())
    })
    serve(serving, request, response).catch((error: unknown) => {
      serving.host.note(describeBug(error))
      if (response.headersSent) response.destroy()
      else
        sendOwn(response, renderProblem(500, 'an error that should not happen. Please report it'))
    })
  })
  server.on('upgrade', (request, socket, head) => {
    if (!state.upgraded.has(socket)) {
      state.upgraded.add(socket)
      socket.once('close', () => state.upgraded.delete(socket))
      socket.on('error', ignore)
    }
    if (!isWebSocket(request)) {
      // The connection is that of an earlier answer until it ends.
      const before = answering.get(socket)
      const serveNext = () => serveAnyway(server, request, socket, head)
      if (before) before.once('close', serveNext)
      else serveNext()
      return
    }
    upgrade(serving, request, socket, head).catch((error: unknown) => {
      serving.host.note(describeBug(error))
      socket.destroy()
    })
  })
  return server
}

/**
 * A server may ignore an upgrade that it does not know (RFC 9110, 7.8). Node has left the
 * connection, so it gets it anew, with the same request without the header.
 */
function serveAnyway(
  server: Server,
  { method, url, httpVersion, rawHeaders, socket: connection }: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): void {
  if (socket.destroyed) return
  // An earlier answer has limited how long it may be idle.
  connection.setTimeout(0)
  const others = listPairs(rawHeaders).filter(([name]) => name.toLowerCase() !== 'upgrade')
  const lines = others.map(([name, value]) => `${name}: ${value}`)
  const first = `${method} ${url} HTTP/${httpVersion}`
  const begin = `${[first, ...lines].join('\r\n')}\r\n\r\n`
  socket.unshift(Buffer.concat([Buffer.from(begin, 'latin1'), head]))
  server.emit('connection', socket)
}

async function serve(
  { host, access, routes }: Serving,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method = 'GET', headers } = request
  const verdict = access.check(request, (url) =>
    findKind(findOwnRoute(routes, method, readPathname(url))),
  )
  if (verdict.type === 'denied')
    return sendOwn(response, renderProblem(verdict.status, verdict.reason))
  const { url } = verdict
  const own = findOwnRoute(routes, method, readPathname(url))
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  const incoming = { request, response, url, client: gone.signal }
  if (own) return sendOwn(response, await answerOwn(own, incoming))
  const route = findRoute({ method, url, headers })
  if (route) return await exchange(host, { ...incoming, route })
  sendOwn(
    response,
    renderProblem(404, `nothing tells which provider "${readPathname(url).slice(0, 80)}" is for`),
  )
}

async function answerOwn(
  route: OwnRoute,
  { request, url, client }: Omit<Incoming, 'route' | 'response'>,
) {
  return await route.answer({
    path: readPathname(url),
    query: new URLSearchParams(url.slice(readPathname(url).length + 1)),
    headers: request.headers,
    client,
    async readBody() {
      const body = await readBody(request, { isCollected: true })
      if (body.type === 'stream') body.stream.destroy()
      return body.type === 'whole'
        ? body.bytes
        : body.type === 'none'
          ? new Uint8Array()
          : undefined
    },
  })
}

async function upgrade(
  { host, access, relaysWebSockets }: Serving,
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): Promise<void> {
  const { method = 'GET', headers, rawHeaders } = request
  const verdict = access.check(request, () => 'provider')
  if (verdict.type === 'denied')
    return endUpgrade(socket, renderProblem(verdict.status, verdict.reason))
  const route = findRoute({ method, url: verdict.url, headers })
  if (!route)
    return endUpgrade(socket, renderProblem(404, 'nothing tells which provider it is for'))
  // No action is possible in a WebSocket. Agents whose requests may need one continue over HTTP.
  const isActedOn = findRoute({ method: 'POST', url: verdict.url, headers })?.api !== undefined
  const { agent } = host.findOwner({ url: verdict.url, headers })
  if (!relaysWebSockets && isActedOn && agent !== undefined && !isLeftAlone(headers)) {
    host.metrics.countRequest(route, { status: 426, deed: 'pass', milliseconds: 0 })
    return endUpgrade(
      socket,
      renderProblem(426, 'it answers over HTTP; --websockets lets WebSockets through'),
    )
  }
  const base = host.upstreams[route.upstream]
  const passed = passRequestHeaders(rawHeaders, {
    isVendor: isVendor(route.upstream, base),
    passed: host.id,
    isWhole: true,
  })
  const outgoing = { ...locate(base, route), method, headers: passed }
  const status = await relayWebSocket({ dispatcher: host.dispatcher, outgoing, socket, head })
  host.metrics.countRequest(route, { status, deed: 'pass', milliseconds: 0 })
}

function findKind(own: OwnRoute | undefined): RouteKind {
  if (!own) return 'provider'
  return own.isOpen ? 'probe' : 'own'
}

/** Only the name of an error, because its message may quote a request. */
function describeBug(error: unknown): string {
  const stack = error instanceof Error ? error.stack : undefined
  const place = /^ +at .*$/m.exec(stack ?? '')?.[0].trim() ?? 'an unknown place'
  return `an error that should not happen. Please report it: ${error instanceof Error ? error.name : typeof error} ${place}`
}
