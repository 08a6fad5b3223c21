/** Real upstreams, a gateway in front of them, and clients that see every byte. */
import { randomBytes } from 'node:crypto'
import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http'
import { connect, createServer as createSocketServer, type Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import type { Acts, UpstreamName } from './gateway.ts'
import { type Gateway, type ServerOptions, startGateway } from './server.ts'
import { upstreamNames } from './upstreams.ts'

export interface Received {
  readonly method: string
  readonly url: string
  /** Alternating names and values. */
  readonly rawHeaders: readonly string[]
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
}

export interface Upstream {
  readonly url: string
  readonly received: readonly Received[]
}

type Answer = (received: Received, response: ServerResponse, request: IncomingMessage) => unknown

/** Keeps what it got, and answers `{}` by default. */
export async function startUpstream(
  answer: Answer = (_, response) => response.end('{}'),
): Promise<Upstream> {
  const received: Received[] = []
  const server = createServer(async (request, response) => {
    const { method = '', url = '', rawHeaders, headers } = request
    const body = await buffer(request).catch(() => Buffer.from('the client broke off'))
    const one = { method, url, rawHeaders, headers, body }
    received.push(one)
    response.on('error', () => {})
    await answer(one, response, request)
  })
  // Newer versions of Node refuse more than a thousand.
  server.maxHeadersCount = 0
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${readPort(server.address())}`, received }
}

/**
 * An upstream that sends exactly these bytes on each connection with input, or runs `talk` for it.
 */
export async function startRawUpstream(talk: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>()
  const server = createSocketServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.once('close', () => sockets.delete(socket))
    socket.once('data', () => talk(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return `http://127.0.0.1:${readPort(server.address())}`
}

function readPort(address: ReturnType<ReturnType<typeof createServer>['address']>): number {
  if (typeof address !== 'object' || address === null)
    throw new TypeError('Listening: there is no port.')
  return address.port
}

/** Actions that do nothing, except the given ones. */
export function createTestActs(acts: Partial<Acts> = {}): Acts {
  return {
    isDue: () => false,
    decide: async () => ({ type: 'pass' }),
    begin() {},
    observe() {},
    serve: async () => ({ status: 503, body: '{}' }),
    close: async () => {},
    ...acts,
  }
}

export interface TestGatewayOptions extends Partial<Omit<ServerOptions, 'acts'>> {
  readonly acts?: Partial<Acts>
}

/** All upstreams at one address. */
export async function openGateway(
  upstream: string,
  options: TestGatewayOptions = {},
): Promise<Gateway> {
  const everywhere = Object.fromEntries(upstreamNames.map((name) => [name, upstream]))
  const gateway = await startGateway({
    port: 0,
    host: '127.0.0.1',
    version: '1.2.3',
    archive: undefined,
    saves: false,
    note() {},
    ...options,
    upstreams: options.upstreams ?? (everywhere as Record<UpstreamName, string>),
    acts: createTestActs(options.acts),
  })
  onTestFinished(async () => {
    // Connections that a test leaves open are not waited for.
    const closed = gateway.close()
    await Promise.all([closed, gateway.close()])
  })
  return gateway
}

export interface Asked {
  readonly method?: string
  /** A list has alternating names and values. */
  readonly headers?: Record<string, string> | string[]
  readonly body?: Uint8Array | string
  /** Sent one after the other, with no length. */
  readonly chunks?: readonly Uint8Array[]
}

export interface Answered {
  readonly status: number
  readonly statusText: string
  readonly rawHeaders: readonly string[]
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
  readonly rawTrailers: readonly string[]
}

/** Rejects if the answer is cut short. */
export function ask(
  url: string,
  { method = 'POST', headers = {}, body, chunks }: Asked = {},
): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, { method, headers, agent: false })
    request.on('error', reject)
    request.on('response', async (response) => {
      try {
        const { statusCode = 0, statusMessage = '', rawHeaders, headers } = response
        const body = await buffer(response)
        resolve({
          status: statusCode,
          statusText: statusMessage,
          rawHeaders,
          headers,
          body,
          rawTrailers: response.rawTrailers,
        })
      } catch (error) {
        reject(error)
      }
    })
    for (const chunk of chunks ?? []) request.write(chunk)
    request.end(body)
  })
}

/** All bytes of a connection up to its end, after these were sent. */
export function exchangeBytes(url: string, bytes: string | Uint8Array): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname, () => socket.write(bytes))
    socket.on('error', reject)
    buffer(socket).then(resolve, reject)
  })
}

/** A body that is valid, but that parsing and writing would change everywhere. */
export function createOddBody(size = 2000): Buffer {
  return Buffer.concat([
    Buffer.from(
      '{ "model":"m",\r\n\t"b":1.0e+2,"a":12345678901234567890,"a" : -0.0, "unknown":{"ttl":"1h"},\n',
    ),
    Buffer.from('"text":"\\u00e9\\ud83d\\ude00\\/ é","messages":[{"role":"user","content":"'),
    randomBytes(size),
    Buffer.from('"}]}  \n\n'),
  ])
}
