import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { ask, openGateway, startUpstream } from './gateway.suite.ts'

const ANSWER = JSON.stringify({
  usage: {
    prompt_tokens: 1000,
    completion_tokens: 7,
    prompt_tokens_details: { cached_tokens: 900 },
  },
})

describe('its own addresses', () => {
  test('say who is there, and whether it takes requests', async () => {
    const { url } = await openGateway((await startUpstream()).url)
    const read = async (path: string) => {
      const { status, body } = await ask(`${url}${path}`, { method: 'GET' })
      return [status, JSON.parse(String(body))]
    }
    expect(await read('/livez')).toEqual([200, { name: 'precis', version: '1.2.3' }])
    // An upstream behind another gateway, like this one, is not the provider itself.
    const ready = [
      200,
      {
        name: 'precis',
        version: '1.2.3',
        status: 'ready',
        vendors: expect.not.arrayContaining(['anthropic']),
      },
    ]
    expect([await read('/readyz'), await read('/health'), await read('/healthz')]).toEqual([
      ready,
      ready,
      ready,
    ])
    expect((await ask(`${url}/livez`, { method: 'HEAD' })).status).toBe(200)
  })

  test('count requests, tokens and open streams for Prometheus', async () => {
    const upstream = await startUpstream((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(ANSWER)
    })
    const { url } = await openGateway(upstream.url)
    for (let count = 0; count < 3; count++)
      await ask(`${url}/v1/chat/completions`, { body: '{"secret":"s3cret"}' })
    await ask(`${url}/v1/models`, { method: 'GET' })
    const metrics = async () => String((await ask(`${url}/metrics`, { method: 'GET' })).body)
    await expect
      .poll(metrics)
      .toContain('precis_tokens_total{route="openai/generate",type="cached"} 2700')
    const text = await metrics()
    expect(text).toContain(
      'precis_requests_total{route="openai/generate",status="200",act="pass"} 3',
    )
    expect(text).toContain('precis_requests_total{route="openai/other",status="200",act="pass"} 1')
    expect(text).toContain('precis_tokens_total{route="openai/generate",type="input"} 3000')
    expect(text).toContain('precis_tokens_total{route="openai/generate",type="output"} 21')
    expect(text).toContain('precis_open_requests 0')
    expect(text).toMatch(/precis_added_seconds_count\{act="pass"\} 4/)
    expect(text).not.toContain('s3cret')
  })

  test('a request that nothing tells the provider of is not sent anywhere', async () => {
    const upstream = await startUpstream()
    const { url } = await openGateway(upstream.url)
    const { status, body } = await ask(`${url}/robots.txt`, { method: 'GET' })
    expect([status, String(body)]).toEqual([404, expect.stringContaining('/robots.txt')])
    expect(upstream.received).toEqual([])
  })
})

test('a client that goes on sending a body that nobody reads has its answer, and then no connection', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const { url } = await openGateway((await startUpstream()).url, { token: 'a'.repeat(16) })
  const { port } = new URL(url)
  for (const [line, status] of [
    ['POST /v1/messages', 401],
    ['GET /livez', 200],
  ]) {
    const socket = connect(Number(port), '127.0.0.1')
    socket.write(`${line} HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1000\r\n\r\n`)
    expect(String((await once(socket, 'data'))[0])).toContain(`HTTP/1.1 ${status} `)
    socket.write('a')
    await vi.advanceTimersByTimeAsync(10_000)
    expect(socket.closed).toBe(false)
    const closed = once(socket, 'close')
    await vi.advanceTimersByTimeAsync(10_000)
    await closed
  }
  const socket = connect(Number(port), '127.0.0.1')
  const asked = 'GET /livez HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1\r\n\r\na'
  for (let count = 0; count < 2; count++) {
    socket.write(asked)
    await once(socket, 'data')
    await vi.advanceTimersByTimeAsync(20_000)
  }
  socket.destroy()
})

describe('a gateway that ends', () => {
  test('lets an answer end, takes nothing new, and says so', async () => {
    let finish = () => {}
    const upstream = await startUpstream((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write('data: 1\n\n')
      finish = () => response.end('data: 2\n\n')
    })
    const gateway = await openGateway(upstream.url)
    const request = httpRequest(`${gateway.url}/v1/messages`, { method: 'POST' })
    request.end('{}')
    const [response] = await once(request, 'response')
    const [first] = await once(response, 'data')
    const closed = gateway.close()
    await expect(ask(`${gateway.url}/readyz`, { method: 'GET' })).rejects.toThrow(
      /ECONNREFUSED|ECONNRESET/,
    )
    finish()
    const [second] = await once(response, 'data')
    await closed
    expect(`${first}${second}`).toBe('data: 1\n\ndata: 2\n\n')
  })

  test('asked twice cuts it short, so that nobody takes it for whole', async () => {
    const upstream = await startUpstream((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write('data: 1\n\n')
    })
    const gateway = await openGateway(upstream.url)
    const request = httpRequest(`${gateway.url}/v1/messages`, { method: 'POST' })
    request.end('{}')
    const [response] = await once(request, 'response')
    const broken = once(response, 'error')
    response.resume()
    const closed = gateway.close()
    await gateway.close()
    await closed
    expect(String((await broken)[0])).toContain('aborted')
  })
})
