import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  ask,
  createOddBody,
  exchangeBytes,
  openGateway,
  startRawUpstream,
  startUpstream,
} from './gateway.suite.ts'

const MESSAGES = '/v1/messages?beta=true'

/** Removes headers that Node's own client sets. */
function withoutOwn(rawHeaders: readonly string[]): string[] {
  const own = new Set([
    'host',
    'connection',
    'x-precis-gateway',
    'content-length',
    'transfer-encoding',
  ])
  const pairs = rawHeaders.flatMap((name, index) =>
    index % 2 === 0 ? [`${name}: ${rawHeaders[index + 1]}`] : [],
  )
  return pairs.filter((line) => !own.has(line.slice(0, line.indexOf(':')).toLowerCase()))
}

describe('a request', () => {
  test.each([
    MESSAGES,
    '/v1/responses',
    '/v1/files',
    '/v1beta/models/gemini-2.5-pro:generateContent?key=k',
    '/model/anthropic.x/invoke',
  ])('reaches the upstream byte for byte: %s', async (path) => {
    const upstream = await startUpstream()
    const { url } = await openGateway(upstream.url)
    const body = createOddBody()
    await ask(`${url}${path}`, { body })
    await ask(`${url}${path}`, {
      chunks: [body.subarray(0, 700), body.subarray(700, 701), body.subarray(701)],
    })
    expect(upstream.received.map(({ url }) => url)).toEqual([path, path])
    for (const received of upstream.received) expect(received.body.equals(body)).toBe(true)
  })

  test('of any bytes and any length arrives as it was', { tags: ['property'] }, async () => {
    const upstream = await startUpstream()
    const { url } = await openGateway(upstream.url)
    const paths = fc.constantFrom('/v1/messages', '/v1/chat/completions', '/v1/embeddings')
    const bodies = fc.array(fc.uint8Array({ maxLength: 5000 }), { maxLength: 6 })
    await fc.assert(
      fc.asyncProperty(paths, bodies, fc.boolean(), async (path, chunks, isWhole) => {
        const body = Buffer.concat(chunks)
        await ask(
          `${url}${path}`,
          isWhole ? { body } : { chunks: chunks.filter(({ length }) => length > 0) },
        )
        expect(upstream.received.at(-1)?.body.equals(body)).toBe(true)
      }),
      { numRuns: 200 },
    )
  })

  test('of more than 64 MB streams', { tags: ['slow'] }, async () => {
    const upstream = await startUpstream((received, response) =>
      response.end(String(received.body.length)),
    )
    const { url } = await openGateway(upstream.url)
    const chunk = randomBytes(1 << 20)
    const chunks = Array.from({ length: 70 }, () => chunk)
    const whole = await ask(`${url}/v1/messages`, { body: Buffer.concat(chunks) })
    const chunked = await ask(`${url}/v1/messages`, { chunks })
    expect([String(whole.body), String(chunked.body)]).toEqual([String(70 << 20), String(70 << 20)])
    expect(upstream.received[1]?.body.equals(Buffer.concat(chunks))).toBe(true)
  })

  test('keeps its headers, in their order and letters, as often as they stand there', async () => {
    const upstream = await startUpstream()
    const { url } = await openGateway(upstream.url)
    const headers = [
      ['Host', new URL(url).host],
      ['Authorization', 'Bearer sk-ant-oat01-x'],
      ['anthropic-beta', 'oauth-2025-04-20,a'],
      ['anthropic-BETA', 'b'],
      ['X-Unknown', 'caf\u00e9'],
      ['x-claude-code-session-id', 'S'],
      ['accept-encoding', 'gzip, br'],
      ['User-Agent', 'claude-cli/2.1 (external)'],
      ['content-type', 'application/json'],
      ['x-empty', ''],
    ].flat()
    await ask(`${url}${MESSAGES}`, { headers, body: '{}' })
    expect(withoutOwn(upstream.received[0]?.rawHeaders ?? [])).toEqual(withoutOwn(headers))
    expect(upstream.received[0]?.headers.host).toBe(new URL(upstream.url).host)
  })

  test('of very many headers keeps all of them, and its body', async () => {
    const upstream = await startUpstream()
    const { url } = await openGateway(upstream.url)
    const many = Array.from({ length: 1200 }, (_, index) => `x${index}: v`)
    const head = [
      'POST /v1/files HTTP/1.1',
      `host: ${new URL(url).host}`,
      'connection: close',
      'authorization: k',
      ...many,
    ]
    await exchangeBytes(url, `${head.join('\r\n')}\r\ncontent-length: 2\r\n\r\n{}`)
    expect(upstream.received.map(({ body }) => String(body))).toEqual(['{}'])
  })

  test('loses what belongs to one connection alone', async () => {
    const upstream = await startUpstream()
    const { url } = await openGateway(upstream.url)
    const own = [
      'connection: close, x-mine',
      'x-mine: 1',
      'keep-alive: 5',
      'te: gzip',
      'proxy-authorization: Basic eA==',
    ]
    const head = [
      'POST /v1/messages HTTP/1.1',
      `host: ${new URL(url).host}`,
      ...own,
      'x-other: 2',
      'content-length: 2',
    ]
    await exchangeBytes(url, `${head.join('\r\n')}\r\n\r\n{}`)
    expect(withoutOwn(upstream.received[0]?.rawHeaders ?? [])).toEqual(['x-other: 2'])
  })

  test('that waits for leave to send its body gets it', async () => {
    const upstream = await startUpstream()
    const { url } = await openGateway(upstream.url)
    const request = httpRequest(`${url}/v1/messages`, {
      method: 'POST',
      headers: { expect: '100-continue' },
    })
    request.flushHeaders()
    await once(request, 'continue')
    request.end('{"a": 1}')
    await once(request, 'response')
    expect(String(upstream.received[0]?.body)).toBe('{"a": 1}')
  })

  test('without a body has none at the upstream', async () => {
    const upstream = await startUpstream()
    const { url } = await openGateway(upstream.url)
    const got = await ask(`${url}/v1/models`, { method: 'GET' })
    const head = await ask(`${url}/`, { method: 'HEAD' })
    expect([got.status, head.status, head.body.length]).toEqual([200, 200, 0])
    expect(upstream.received.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'GET /v1/models',
      'HEAD /',
    ])
    expect(
      upstream.received.map(
        ({ headers }) => headers['content-length'] ?? headers['transfer-encoding'],
      ),
    ).toEqual([undefined, undefined])
  })

  test('of a client that leaves ends at the upstream', async () => {
    let hasLeft: Promise<unknown> | undefined
    const upstream = await startUpstream((_, response, request) => {
      hasLeft = once(request.socket, 'close')
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write('data: 1\n\n')
    })
    const { url } = await openGateway(upstream.url)
    const request = httpRequest(`${url}/v1/messages`, { method: 'POST' })
    request.on('error', () => {})
    request.end('{}')
    await once(request, 'response')
    request.destroy()
    await hasLeft
  })

  test('that its client gives up before the end of the body never reaches the upstream', async () => {
    const upstream = await startUpstream()
    const { url } = await openGateway(upstream.url)
    const { port } = new URL(url)
    const socket = connect(Number(port), '127.0.0.1')
    socket.write(`POST /v1/messages HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 10\r\n\r\n{"a`)
    await once(socket, 'connect')
    socket.destroy()
    await ask(`${url}/v1/messages`, { body: '{}' })
    expect(upstream.received.map(({ body }) => String(body))).toEqual(['{}'])
  })
})

describe('an answer', () => {
  test('reaches the client byte for byte, with its status, its words, its headers and its compression', async () => {
    const body = gzipSync(createOddBody())
    const headers = [
      'X-Request-Id',
      'r',
      'set-cookie',
      'a=1',
      'Set-Cookie',
      'b=2',
      'content-encoding',
      'gzip',
      'x-new',
      '',
      'x-bytes',
      'caf\u00e9\u00ff',
    ]
    const upstream = await startUpstream((_, response) => {
      response.sendDate = false
      response.writeHead(529, 'Overloaded Here', [
        ...headers,
        'content-length',
        String(body.length),
      ])
      response.end(body)
    })
    const { url } = await openGateway(upstream.url)
    const answered = await ask(`${url}/v1/messages`, { body: '{}' })
    expect([answered.status, answered.statusText]).toEqual([529, 'Overloaded Here'])
    expect(answered.body.equals(body)).toBe(true)
    expect(withoutOwn(answered.rawHeaders)).toEqual(withoutOwn(headers))
  })

  test('of any pieces arrives as it was', { tags: ['property'] }, async () => {
    let pieces: readonly Uint8Array[] = []
    const upstream = await startUpstream((_, response) => {
      for (const piece of pieces) response.write(piece)
      response.end()
    })
    const { url } = await openGateway(upstream.url)
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.uint8Array({ minLength: 1, maxLength: 9000 }), { maxLength: 8 }),
        async (given) => {
          pieces = given
          const { body } = await ask(`${url}/v1/messages`, { body: '{}' })
          expect(body.equals(Buffer.concat(given))).toBe(true)
        },
      ),
      { numRuns: 200 },
    )
  })

  test('that redirects is passed and not followed', async () => {
    const upstream = await startUpstream((_, response) => {
      response.writeHead(307, { location: 'http://127.0.0.1:1/elsewhere' }).end('moved')
    })
    const { url } = await openGateway(upstream.url)
    const { status, headers, body } = await ask(`${url}/v1/messages`, { body: '{}' })
    expect([status, headers.location, String(body)]).toEqual([
      307,
      'http://127.0.0.1:1/elsewhere',
      'moved',
    ])
    expect(upstream.received).toHaveLength(1)
  })

  test('keeps its trailers', async () => {
    const upstream = await startUpstream((_, response) => {
      response.writeHead(200, { trailer: 'x-sum', 'content-type': 'text/plain' })
      response.write('body')
      response.addTrailers({ 'x-sum': 'abc' })
      response.end()
    })
    const { url } = await openGateway(upstream.url)
    expect((await ask(`${url}/v1/messages`, { body: '{}' })).rawTrailers).toEqual(['x-sum', 'abc'])
  })

  test('comes event by event: each is here before the next one is sent, pings and the head among them', async () => {
    const events = [': ping\n\n', 'event: a\ndata: {"x":1}\n\n', 'data: [DONE]\n\n'].map(
      (event) => ({
        event,
        ...createGate(),
      }),
    )
    const upstream = await startUpstream(async (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.flushHeaders()
      for (const { event, opened } of events) {
        await opened
        response.write(event)
      }
      response.end()
    })
    const { url } = await openGateway(upstream.url)
    const request = httpRequest(`${url}/v1/messages`, { method: 'POST' })
    request.end('{"stream": true}')
    const [response] = await once(request, 'response')
    const seen: string[] = []
    events[0]?.open()
    for await (const chunk of response) {
      seen.push(String(chunk))
      events[seen.length]?.open()
    }
    expect(seen).toEqual([': ping\n\n', 'event: a\ndata: {"x":1}\n\n', 'data: [DONE]\n\n'])
  })

  test.each([
    ['chunked', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n'],
    ['of a known length', 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhello'],
  ])('that is cut short, %s, does not end as if it were whole', async (_, bytes) => {
    const upstream = await startRawUpstream((socket) => socket.end(bytes))
    const { url } = await openGateway(upstream)
    const { port } = new URL(url)
    const seen = await exchangeBytes(
      `http://127.0.0.1:${port}`,
      'POST /v1/messages HTTP/1.1\r\nhost: localhost\r\ncontent-length: 2\r\n\r\n{}',
    )
    expect(String(seen)).toContain('hello')
    expect(String(seen)).not.toContain('0\r\n\r\n')
    await expect(ask(`${url}/v1/messages`, { body: '{}' })).rejects.toThrow()
  })

  test('to a client of HTTP/1.0 that is cut short is reset', async () => {
    const upstream = await startRawUpstream((socket) => {
      socket.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n')
    })
    const { url } = await openGateway(upstream)
    const request = 'POST /v1/messages HTTP/1.0\r\nhost: localhost\r\ncontent-length: 2\r\n\r\n{}'
    await expect(exchangeBytes(url, request)).rejects.toThrow(/ECONNRESET/)
  })

  test('waits while the client does not read, and so does the upstream', {
    tags: 'slow',
  }, async () => {
    const block = randomBytes(1 << 16)
    let sent = 0
    const upstream = await startUpstream(async (_, response) => {
      response.writeHead(200)
      for (; sent < 600; sent++) if (!response.write(block)) await once(response, 'drain')
      response.end()
    })
    const { url } = await openGateway(upstream.url)
    const request = httpRequest(`${url}/v1/messages`, { method: 'POST' })
    request.end('{}')
    const [response] = await once(request, 'response')
    expect(await settled(() => sent)).toBeLessThan(500)
    let bytes = 0
    response.on('data', (chunk: Buffer) => {
      bytes += chunk.length
    })
    await once(response, 'end')
    expect(bytes).toBe(600 * block.length)
  })

  test('to HEAD has a length and no body', async () => {
    const upstream = await startUpstream((_, response) => {
      response.writeHead(200, { 'content-length': '1234' }).end()
    })
    const { url } = await openGateway(upstream.url)
    const { headers, body } = await ask(`${url}/v1/models`, {
      method: 'HEAD',
      headers: { 'x-api-key': 'k' },
    })
    expect([headers['content-length'], body.length]).toEqual(['1234', 0])
  })

  test.each([
    '</a.css>; rel=preload, </b.css>; rel=preload',
    '</a>; title="a, <b> c"',
    'no link at all',
  ])('comes after hints, whatever they link to: %s', async (links) => {
    const upstream = await startRawUpstream((socket) => {
      socket.write(`HTTP/1.1 103 Early Hints\r\nlink: ${links}\r\n\r\n`)
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok')
    })
    const { url } = await openGateway(upstream)
    const { status, body } = await ask(`${url}/v1/messages`, { body: '{}' })
    expect([status, String(body)]).toEqual([200, 'ok'])
  })

  test('that is cut short while an answer before it is not sent yet ends after that one', async () => {
    const first = createGate()
    const upstream = await startUpstream(async ({ url }, response) => {
      if (url === '/v1/slow') {
        await first.opened
        return response.end('slow')
      }
      response.writeHead(200)
      response.write('hello')
      await new Promise((resolve) => setTimeout(resolve, 20))
      response.destroy()
      setTimeout(first.open, 50)
    })
    const { url } = await openGateway(upstream.url)
    const lines = ['/v1/slow', '/v1/cut'].map((path) => `GET ${path} HTTP/1.1\r\nhost: localhost`)
    const seen = String(await exchangeBytes(url, lines.map((line) => `${line}\r\n\r\n`).join('')))
    expect(seen).toMatch(/slow[\s\S]*hello/)
    expect(seen.slice(seen.indexOf('hello'))).not.toContain('0\r\n\r\n')
  })

  test('comes after answers that are none yet', async () => {
    const upstream = await startRawUpstream((socket) => {
      socket.write(
        'HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </a>; rel=preload\r\n\r\n',
      )
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok')
    })
    const { url } = await openGateway(upstream)
    const { status, body } = await ask(`${url}/v1/messages`, { body: '{}' })
    expect([status, String(body)]).toEqual([200, 'ok'])
  })
})

function createGate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open }
}

/** Waits until a value stays the same. */
async function settled(read: () => number): Promise<number> {
  let before = -1
  for (let now = read(); now !== before; now = read()) {
    before = now
    await new Promise((resolve) => setTimeout(resolve, 150))
  }
  return before
}

describe('an upstream', () => {
  test('that is not there is an error that says so, in the words of every provider', async () => {
    const notes: string[] = []
    const { url } = await openGateway('http://127.0.0.1:1', { note: (line) => notes.push(line) })
    const { status, body } = await ask(`${url}/v1/messages`, {
      body: '{"secret": "sk-1"}',
      headers: { 'x-api-key': 'k' },
    })
    expect(status).toBe(502)
    expect(JSON.parse(String(body))).toMatchObject({
      type: 'error',
      error: { message: expect.stringContaining('ECONNREFUSED') },
    })
    expect(notes).toEqual(['http://127.0.0.1:1 cannot be reached: ECONNREFUSED'])
  })

  test('that has closed a connection is asked again over a new one', async () => {
    const upstream = await startUpstream((_, response) => {
      response.end('ok')
      response.once('finish', () => setImmediate(() => response.socket?.destroy()))
    })
    const { url } = await openGateway(upstream.url)
    for (let count = 0; count < 30; count++) {
      const { status } = await ask(`${url}/v1/models`, {
        method: 'GET',
        headers: { 'x-api-key': 'k' },
      })
      expect(status).toBe(200)
    }
  })

  test.each([
    ['no HTTP', 'hello\r\n\r\n'],
    ['headers without an end', `HTTP/1.1 200 OK\r\n${'x-a: b\r\n'.repeat(50_000)}`],
    ['one endless header', `HTTP/1.1 200 OK\r\nx-a: ${'b'.repeat(1 << 20)}`],
    ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\nabc'],
    [
      'an upgrade that nobody asked for',
      'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
    ],
    ['leave to go on that nobody asked for', 'HTTP/1.1 100 Continue\r\n\r\n'],
    ['nothing', ''],
  ])('that answers with %s is an error, and the next request is served', async (_, bytes) => {
    const hostile = await startRawUpstream((socket) => socket.end(bytes))
    const good = await startUpstream()
    const { url } = await openGateway(good.url, {
      upstreams: { ...(await allAt(good.url)), anthropic: hostile },
    })
    const { status } = await ask(`${url}/v1/messages`, { body: '{}' })
    expect(status).toBe(502)
    expect((await ask(`${url}/v1/chat/completions`, { body: '{}' })).status).toBe(200)
  })

  test.each([
    ['Nicht verf\u00fcgbar', 'latin1', 'Nicht verf\u00ef\u00bf\u00bdgbar'],
    ['Nicht verf\u00fcgbar', 'utf8', 'Nicht verf\u00c3\u00bcgbar'],
    ['O\u0001K', 'utf8', 'OK'],
  ] as const)(
    'with the words "%s" in %s passes, and the gateway lives',
    async (words, encoding, expected) => {
      const upstream = await startRawUpstream((socket) => {
        socket.end(Buffer.from(`HTTP/1.1 503 ${words}\r\ncontent-length: 2\r\n\r\n{}`, encoding))
      })
      const { url } = await openGateway(upstream)
      for (const path of ['/v1/messages', '/v1/files']) {
        const { status, statusText, body } = await ask(`${url}${path}`, {
          headers: { authorization: 'k' },
          body: '{}',
        })
        expect([status, statusText, String(body)]).toEqual([503, expected, '{}'])
      }
    },
  )

  test.each([
    'HTTP/1.1 304 Not Modified\r\ncontent-length: 5\r\n\r\n',
    'HTTP/1.1 204 No Content\r\ncontent-length: 5\r\n\r\nhello',
  ])('that gives a length to an answer without a body is heard: %j', async (said) => {
    const upstream = await startRawUpstream((socket) => socket.end(said))
    const { url } = await openGateway(upstream)
    const { host } = new URL(url)
    const got = await exchangeBytes(
      url,
      `GET /v1/files HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`,
    )
    expect(String(got)).toContain(said.slice(0, said.indexOf('\r\n')))
  })

  test('that says more than it said it would is heard up to there', async () => {
    const upstream = await startRawUpstream((socket) => {
      socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nokHTTP/1.1 200 OK\r\n\r\nsmuggled')
    })
    const { url } = await openGateway(upstream)
    expect(String((await ask(`${url}/v1/messages`, { body: '{}' })).body)).toBe('ok')
  })
})

async function allAt(url: string) {
  const { defaultUpstreams } = await import('./upstreams.ts')
  return { ...defaultUpstreams, openai: url }
}

test('a stream that ends by the end of the connection is whole', async () => {
  const upstream = await startRawUpstream((socket) =>
    socket.end('HTTP/1.1 200 OK\r\n\r\ndata: 1\n\n'),
  )
  const { url } = await openGateway(upstream)
  const request = httpRequest(`${url}/v1/messages`, { method: 'POST' })
  request.end('{}')
  const [response] = await once(request, 'response')
  expect(await text(response)).toBe('data: 1\n\n')
})
