import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import { GatewayError } from '../files/errors.ts'
import { createAccess } from './access.ts'
import { ask, exchangeBytes, openGateway, startUpstream } from './gateway.suite.ts'

const TOKEN = 'a-token-of-24-characters'
const PLACES = ['/v1/messages', '/', '/livez', '/readyz', '/metrics', '/v1/models', '/unknown']

describe('on this machine', () => {
  test.each(PLACES)('%s is refused under the name of another server', async (path) => {
    const upstream = await startUpstream()
    const { url } = await openGateway(upstream.url)
    for (const host of [
      'evil.example',
      'evil.example:4141',
      '127.0.0.1.evil.example',
      'localhost.evil.example',
      '0.0.0.0',
    ]) {
      expect((await ask(`${url}${path}`, { headers: { host }, method: 'GET' })).status).toBe(403)
    }
    expect(upstream.received).toEqual([])
  })

  test.each(PLACES)('%s is refused to pages of other servers', async (path) => {
    const upstream = await startUpstream()
    const { url } = await openGateway(upstream.url)
    const all: readonly Record<string, string>[] = [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: 'http://127.0.0.1:1' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ]
    for (const headers of all) {
      expect((await ask(`${url}${path}`, { headers, method: 'GET' })).status).toBe(403)
      expect((await ask(`${url}${path}`, { headers, method: 'OPTIONS' })).status).toBe(403)
    }
    expect(upstream.received).toEqual([])
  })

  test('its own names and its own pages are served', async () => {
    const { url } = await openGateway((await startUpstream()).url)
    const { port } = new URL(url)
    const all: readonly Record<string, string>[] = [
      { host: `localhost:${port}` },
      { host: `LOCALHOST:${port}` },
      { host: '127.0.0.1' },
      { host: '[::1]:80' },
      { origin: url },
      { 'sec-fetch-site': 'none' },
      { 'sec-fetch-site': 'same-origin' },
    ]
    for (const headers of all) {
      expect((await ask(`${url}/readyz`, { headers, method: 'GET' })).status).toBe(200)
    }
  })

  test('an address that is no path is refused: it is no proxy', async () => {
    const upstream = await startUpstream()
    const { url } = await openGateway(upstream.url)
    const asked =
      'GET http://example.com/v1/models HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n'
    expect(String(await exchangeBytes(url, asked))).toMatch(/^HTTP\/1\.1 400 /)
    const tunnel = 'CONNECT example.com:443 HTTP/1.1\r\nhost: localhost\r\n\r\n'
    expect(String(await exchangeBytes(url, tunnel))).toBe('')
    expect(upstream.received).toEqual([])
  })
})

describe('beyond this machine', () => {
  test.each(['0.0.0.0', '::', '192.168.1.2', 'gateway.example'])(
    '%s is not served without a token',
    (host) => {
      expect(() => createAccess({ host })).toThrow(/PRECIS_TOKEN/)
      expect(() => createAccess({ host, token: TOKEN })).not.toThrow()
    },
  )

  test.each(['127.0.0.1', '127.3.2.1', 'localhost', '::1', '[::1]'])(
    '%s is this machine',
    (host) => {
      expect(() => createAccess({ host })).not.toThrow()
    },
  )

  test.each(['short', 'a token with spaces in it', 'a/token/with/slashes'])(
    '"%s" is no token',
    (token) => {
      expect(() => createAccess({ host: '127.0.0.1', token })).toThrow(GatewayError)
    },
  )

  test('the token is asked for, in a header or in the address, and goes to no upstream', async () => {
    const upstream = await startUpstream()
    const { url } = await openGateway(upstream.url, { host: '0.0.0.0', token: TOKEN })
    const send = async (path: string, headers: Record<string, string> = {}) =>
      (await ask(`${url}${path}`, { headers: { host: 'gateway.example', ...headers }, body: '{}' }))
        .status
    expect(await send('/v1/messages')).toBe(401)
    expect(await send('/v1/messages', { 'x-precis-token': `${TOKEN}x` })).toBe(401)
    expect(await send('/v1/messages', { authorization: `Bearer ${TOKEN}` })).toBe(401)
    expect(await send('/t/another-token-altogether/v1/messages')).toBe(401)
    expect(upstream.received).toEqual([])
    expect(
      await send('/v1/messages?beta=true', { 'x-precis-token': TOKEN, 'x-api-key': 'k' }),
    ).toBe(200)
    expect(await send(`/t/${TOKEN}/v1/messages?beta=true`, { 'x-api-key': 'k' })).toBe(200)
    expect(upstream.received.map((received) => received.url)).toEqual([
      '/v1/messages?beta=true',
      '/v1/messages?beta=true',
    ])
    expect(JSON.stringify(upstream.received.map(({ rawHeaders }) => rawHeaders))).not.toContain(
      TOKEN,
    )
  })

  test('a token that is not asked for goes to no upstream', async () => {
    const upstream = await startUpstream()
    const { url } = await openGateway(upstream.url)
    await ask(`${url}/t/${TOKEN}/v1/messages`, { headers: { 'x-api-key': 'k' }, body: '{}' })
    expect(upstream.received.map((received) => received.url)).toEqual(['/v1/messages'])
  })

  test('its own addresses take it as a password too, and probes need none', async () => {
    const { url } = await openGateway((await startUpstream()).url, { token: TOKEN })
    const basic = Buffer.from(`anybody:${TOKEN}`).toString('base64')
    const status = async (path: string, authorization?: string) =>
      (
        await ask(`${url}${path}`, {
          method: 'GET',
          headers: authorization === undefined ? {} : { authorization },
        })
      ).status
    for (const path of ['/livez', '/readyz', '/health', '/healthz'])
      expect(await status(path)).toBe(200)
    for (const path of ['/', '/metrics']) {
      expect(await status(path)).toBe(401)
      expect(await status(path, 'Basic !!')).toBe(401)
      expect(await status(path, `Basic ${basic}`)).toBe(200)
      expect(await status(path, `Bearer ${TOKEN}`)).toBe(200)
      expect(await status(`/t/${TOKEN}${path}`)).toBe(200)
    }
  })
})

/** Reads only the first bytes, because the server may reset a connection after an early answer. */
async function readFirstBytes(url: string, bytes: string): Promise<string> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname, () => socket.write(bytes))
  const [first] = await once(socket, 'data')
  socket.on('error', () => {}).destroy()
  return String(first)
}

describe('hostile clients', () => {
  test.each([
    ['no HTTP', 'hello\r\n\r\n', 400],
    ['a header without a name', 'GET / HTTP/1.1\r\nhost: localhost\r\n: x\r\n\r\n', 400],
    [
      'two lengths',
      'POST /v1/messages HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab',
      400,
    ],
    [
      'a length and chunks',
      'POST /v1/messages HTTP/1.1\r\nhost: localhost\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
    ],
    ['no host', 'GET /livez HTTP/1.1\r\n\r\n', 400],
    [
      'too many headers',
      `GET / HTTP/1.1\r\nhost: localhost\r\nx-a: ${'b'.repeat(200_000)}\r\n\r\n`,
      431,
    ],
  ])('that send %s are told so', async (_, bytes, status) => {
    const upstream = await startUpstream()
    const { url } = await openGateway(upstream.url)
    expect(await readFirstBytes(url, bytes)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
    expect(upstream.received).toEqual([])
    expect((await ask(`${url}/livez`, { method: 'GET' })).status).toBe(200)
  })

  test('that never end their headers are cut off', { tags: ['slow'] }, async () => {
    const { url } = await openGateway((await startUpstream()).url)
    const { port } = new URL(url)
    const socket = connect(Number(port), '127.0.0.1')
    socket.on('error', () => {})
    socket.write('POST /v1/messages HTTP/1.1\r\nhost: localhost\r\n')
    const drip = setInterval(() => socket.write('x-a: b\r\n'), 500)
    socket.resume()
    await once(socket, 'close')
    clearInterval(drip)
  })
})
