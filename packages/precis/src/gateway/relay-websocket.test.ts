import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { describe, expect, onTestFinished, test } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { exchangeBytes, openGateway, startUpstream } from './gateway.suite.ts'

interface Peer {
  readonly url: string
  readonly requests: IncomingMessage[]
  /** Its latest connection. */
  accept(): Promise<WebSocket>
}

async function startPeer(
  options: ConstructorParameters<typeof WebSocketServer>[0] = {},
): Promise<Peer> {
  const server = createServer()
  const peer = new WebSocketServer({ server, ...options })
  const requests: IncomingMessage[] = []
  const accepted: Promise<WebSocket>[] = []
  let announce: (socket: WebSocket) => void = () => {}
  const prepare = () => {
    accepted.push(
      new Promise((resolve) => {
        announce = resolve
      }),
    )
  }
  prepare()
  peer.on('connection', (socket, request) => {
    requests.push(request)
    announce(socket)
    prepare()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const client of peer.clients) client.terminate()
    server.close()
  })
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    accept: () => accepted.shift() ?? Promise.reject(new Error('none')),
  }
}

const isSame = (a: string | Buffer | undefined, b: string | Buffer | undefined) =>
  a instanceof Buffer && b instanceof Buffer ? a.equals(b) : a === b

function open(
  url: string,
  path: string,
  options: ConstructorParameters<typeof WebSocket>[2] = {},
  protocols?: string[],
) {
  const socket = new WebSocket(`${url.replace('http', 'ws')}${path}`, protocols, options)
  // It ended before it was open.
  socket.on('error', () => {})
  onTestFinished(() => socket.terminate())
  return socket
}

describe('a WebSocket', () => {
  test('has the headers and the protocol of its client', async () => {
    const peer = await startPeer({ handleProtocols: (offered) => [...offered].at(-1) ?? false })
    const { url } = await openGateway(peer.url)
    const headers = {
      authorization: 'Bearer k',
      'openai-beta': 'responses_websockets=2026-02-06',
      'x-precis-token': 'x',
    }
    const socket = open(url, '/v1/responses?x=1', { headers }, ['a', 'b'])
    await once(socket, 'open')
    const [request] = peer.requests
    expect(request?.url).toBe('/v1/responses?x=1')
    expect(request?.headers).toMatchObject({
      authorization: 'Bearer k',
      'openai-beta': 'responses_websockets=2026-02-06',
    })
    expect(request?.headers.host).toBe(new URL(peer.url).host)
    expect(request?.headers['x-precis-token']).toBeUndefined()
    expect(socket.protocol).toBe('b')
  })

  test('of a ChatGPT login goes to its back end', async () => {
    const peer = await startPeer()
    const { url } = await openGateway(peer.url)
    await once(open(url, '/v1/responses', { headers: { 'chatgpt-account-id': 'a' } }), 'open')
    await once(open(url, '/backend-api/codex/responses'), 'open')
    const path = '/backend-api/codex/responses'
    expect(peer.requests.map((request) => request.url)).toEqual([path, path])
  })

  test.each([true, false])(
    'passes messages both ways, unchanged and in order; compressed: %s',
    async (perMessageDeflate) => {
      const peer = await startPeer({ perMessageDeflate })
      const { url } = await openGateway(peer.url)
      const accepted = peer.accept()
      const socket = open(url, '/v1/responses', { perMessageDeflate })
      await once(socket, 'open')
      const other = await accepted
      const sent = Array.from({ length: 200 }, (_, index) =>
        index % 2 === 0 ? `text ${index} é` : randomBytes(index * 50),
      )
      for (const [from, to] of [
        [socket, other],
        [other, socket],
      ] as const) {
        const seen: (string | Buffer)[] = []
        to.on('message', (data: Buffer, isBinary) => void seen.push(isBinary ? data : String(data)))
        for (const message of sent) from.send(message)
        await expect.poll(() => seen.length).toBe(sent.length)
        expect(seen.every((message, index) => isSame(message, sent[index]))).toBe(true)
      }
      expect(socket.extensions).toBe(perMessageDeflate ? 'permessage-deflate' : '')
    },
  )

  test('passes pings, answers to them and closing codes', async () => {
    const peer = await startPeer()
    const { url } = await openGateway(peer.url)
    const accepted = peer.accept()
    const socket = open(url, '/v1/responses')
    await once(socket, 'open')
    const other = await accepted
    const ponged = once(socket, 'pong')
    socket.ping('p')
    expect(String((await ponged)[0])).toBe('p')
    const pinged = once(socket, 'ping')
    other.ping('q')
    expect(String((await pinged)[0])).toBe('q')
    const closed = once(other, 'close')
    socket.close(4001, 'enough')
    expect((await closed).map(String)).toEqual(['4001', 'enough'])
    expect((await once(socket, 'close')).map(String)).toEqual(['4001', 'enough'])
  })

  test.each(['client', 'upstream'])(
    'that its %s breaks off is broken off at the other end',
    async (side) => {
      const peer = await startPeer()
      const { url } = await openGateway(peer.url)
      const accepted = peer.accept()
      const socket = open(url, '/v1/responses')
      await once(socket, 'open')
      const other = await accepted
      const [ending, staying] = side === 'client' ? [socket, other] : [other, socket]
      const closed = once(staying, 'close')
      ending.terminate()
      expect((await closed)[0]).toBe(1006)
    },
  )

  test('waits while its reader does not read', { tags: 'slow' }, async () => {
    const peer = await startPeer({ perMessageDeflate: false })
    const { url } = await openGateway(peer.url)
    const accepted = peer.accept()
    const socket = open(url, '/v1/responses', { perMessageDeflate: false })
    await once(socket, 'open')
    const other = await accepted
    other.pause()
    const message = randomBytes(1 << 20)
    for (let count = 0; count < 32; count++) socket.send(message)
    // The rest of 32 megabytes is in buffers of the systems and the gateway.
    await expect.poll(() => socket.bufferedAmount).toBeLessThan(32 << 20)
    expect(socket.bufferedAmount).toBeGreaterThan(8 << 20)
    let bytes = 0
    other.on('message', (data: Buffer) => {
      bytes += data.length
    })
    other.resume()
    await expect.poll(() => bytes).toBe(32 << 20)
  })
})

const CODEX = { originator: 'codex_exec', 'thread-id': '01a20980-763e-7501-addf-814f58d75907' }

describe('a handshake of an agent whose requests can be acted on', () => {
  test.each(['/v1/responses', '/backend-api/codex/responses'])(
    'is told to use HTTP: %s',
    async (path) => {
      const peer = await startPeer()
      const { url } = await openGateway(peer.url)
      const [, response] = await once(open(url, path, { headers: CODEX }), 'unexpected-response')
      expect(response.statusCode).toBe(426)
      expect(peer.requests).toEqual([])
    },
  )

  test('passes where the user says so, the agent wants nothing done, or nothing could be', async () => {
    const peer = await startPeer()
    const relaying = await openGateway(peer.url, { relaysWebSockets: true })
    const { url } = await openGateway(peer.url)
    await once(open(relaying.url, '/v1/responses', { headers: CODEX }), 'open')
    await once(
      open(url, '/v1/responses', { headers: { ...CODEX, 'x-precis-bypass': 'true' } }),
      'open',
    )
    await once(open(url, '/v1/realtime?model=m', { headers: CODEX }), 'open')
    expect(peer.requests).toHaveLength(3)
  })
})

describe('a handshake', () => {
  test('that the upstream refuses is refused in its own words', async () => {
    const upstream = await startUpstream()
    const refusing = createServer()
    refusing.on('upgrade', (_, socket) => {
      socket.end(
        'HTTP/1.1 426 Upgrade Required\r\nx-request-id: r\r\ncontent-type: application/json\r\ncontent-length: 13\r\n\r\n{"error":"no"}'.slice(
          0,
          -1,
        ),
      )
    })
    refusing.listen(0, '127.0.0.1')
    await once(refusing, 'listening')
    onTestFinished(() => void refusing.close())
    const address = refusing.address()
    const { url } = await openGateway(
      `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`,
    )
    const socket = open(url, '/v1/responses')
    const [, response] = await once(socket, 'unexpected-response')
    expect([response.statusCode, response.statusMessage, response.headers['x-request-id']]).toEqual(
      [426, 'Upgrade Required', 'r'],
    )
    let body = ''
    for await (const chunk of response) body += String(chunk)
    expect(body).toBe('{"error":"no"')
    expect(upstream.received).toEqual([])
  })

  test.each<[string, Record<string, string>, number]>([
    ['a page of another server', { origin: 'https://evil.example' }, 403],
    ['the name of another server', { host: 'evil.example' }, 403],
  ])('of %s is refused', async (_, headers, status) => {
    const peer = await startPeer()
    const { url } = await openGateway(peer.url)
    const [, response] = await once(open(url, '/v1/responses', { headers }), 'unexpected-response')
    expect(response.statusCode).toBe(status)
    expect(peer.requests).toEqual([])
  })

  test('to an upstream that is not there is an error', async () => {
    const { url } = await openGateway('http://127.0.0.1:1')
    const [, response] = await once(open(url, '/v1/responses'), 'unexpected-response')
    expect(response.statusCode).toBe(502)
  })

  test('to anything but a WebSocket is not needed: its request is answered', async () => {
    const upstream = await startUpstream((_, response) => response.end('done'))
    const { url } = await openGateway(upstream.url)
    const head = [
      'POST /v1/messages HTTP/1.1',
      'host: localhost',
      'connection: Upgrade, HTTP2-Settings, close',
      'Upgrade: h2c',
      'HTTP2-Settings: AAEAAEAAAAIAAAAB',
      'x-api-key: k',
      'content-length: 10',
    ]
    const { port } = new URL(url)
    const socket = connect(Number(port), '127.0.0.1')
    socket.write(`${head.join('\r\n')}\r\n\r\n{"a"`)
    await once(socket, 'connect')
    socket.write(': 100}')
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*done/)
    expect(upstream.received.map(({ body }) => String(body))).toEqual(['{"a": 100}'])
    expect(Object.keys(upstream.received[0]?.headers ?? {})).not.toContain('http2-settings')
  })

  test('to anything but a WebSocket, behind requests whose answers are not there yet, is answered after them', async () => {
    const upstream = await startUpstream(({ url }, response) => {
      setTimeout(() => response.end(`answer to ${url}`), url === '/v1/a' ? 50 : 0)
    })
    const { url } = await openGateway(upstream.url)
    const ask = (path: string, ...headers: string[]) =>
      [`GET ${path} HTTP/1.1`, 'host: localhost', ...headers, '\r\n'].join('\r\n')
    const h2c = ['connection: Upgrade, HTTP2-Settings', 'upgrade: h2c', 'http2-settings: A']
    const last = ask('/v1/d', 'connection: close')
    const requests = [ask('/v1/a'), ask('/v1/b', ...h2c), ask('/v1/c', ...h2c), last]
    const answers = String(await exchangeBytes(url, requests.join('')))
    expect(answers.match(/answer to \S{5}/g)).toEqual(
      ['a', 'b', 'c', 'd'].map((name) => `answer to /v1/${name}`),
    )
  })
})
