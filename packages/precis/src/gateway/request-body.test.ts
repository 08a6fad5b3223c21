import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { PassThrough } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createDispatcher } from '../configuration/create-dispatcher.ts'
import { createBodyMemory } from './body-memory.ts'
import { exchange } from './exchange.ts'
import { ask, createTestActs, openGateway, startUpstream } from './gateway.suite.ts'
import type { ActRequest } from './gateway.ts'
import { createMetrics } from './metrics.ts'
import { readBody } from './request-body.ts'
import { upstreamNames } from './upstreams.ts'

/** The address of a server. */
async function listen(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`
}

/** A request whose body the test sends. */
function createRequest(): IncomingMessage & PassThrough {
  const headers = { 'transfer-encoding': 'chunked' }
  return Object.assign(new PassThrough(), { headers, complete: true }) as never
}

describe('a body', () => {
  describe('in time', () => {
    beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
    afterEach(() => void vi.useRealTimers())

    test('takes as long as it likes while it progresses', async () => {
      const request = createRequest()
      const body = readBody(request, { isCollected: true })
      for (const piece of 'abcde') {
        request.write(piece)
        await vi.advanceTimersByTimeAsync(200_000)
      }
      request.end()
      expect(await body).toEqual({ type: 'whole', bytes: Buffer.from('abcde') })
    })

    test('of a client that falls silent ends', async () => {
      const request = createRequest()
      const body = readBody(request, { isCollected: true })
      request.write('a')
      await vi.advanceTimersByTimeAsync(400_000)
      expect(await body).toEqual({ type: 'gone' })
    })
  })

  test('has no other limit in a gateway', async () => {
    const limits: unknown[] = []
    const note = (message: unknown) => {
      const { server, request } = Object(message)
      if (request.url === '/livez') limits.push(server.requestTimeout)
    }
    subscribe('http.server.request.start', note)
    onTestFinished(() => void unsubscribe('http.server.request.start', note))
    const { url } = await openGateway((await startUpstream()).url)
    await ask(`${url}/livez`, { method: 'GET' })
    expect(limits).toEqual([0])
  })

  test('streams, whole, from the piece on for which there is no memory', async () => {
    const memory = createBodyMemory(10)
    const other = memory.open()
    expect(other.take(7)).toBe(true)
    const { take, release } = memory.open()
    const request = createRequest()
    const reading = readBody(request, { isCollected: true, take })
    request.write('abc')
    request.end('def')
    const body = await reading
    expect(body.type === 'stream' && String(await buffer(body.stream))).toBe('abcdef')
    release()
    expect([other.take(4), other.take(3)]).toEqual([false, true])
  })

  test('counts as long as it is in memory: as it came, and decoded', async () => {
    const plain = Buffer.from(`{"text":"${'a'.repeat(3000)}"}`)
    const packed = gzipSync(plain)
    const upstream = await startUpstream((_, response) => {
      // The answer has begun.
      expect(memory.open().take(packed.length + plain.length)).toBe(false)
      response.end('{}')
    })
    const memory = createBodyMemory(plain.length + 2 * packed.length)
    const asked: ActRequest[] = []
    const acts = createTestActs({ isDue: (request) => asked.push(request) < 0 })
    const host = {
      upstreams: Object.fromEntries(upstreamNames.map((name) => [name, upstream.url])) as never,
      windowTokens: undefined,
      note: () => {},
      dispatcher: createDispatcher({}),
      acts,
      metrics: createMetrics(),
      accounts: { record() {} },
      findOwner: () => ({ id: 'a'.repeat(64), session: undefined, agent: undefined }),
      id: 'gateway',
      memory,
    }
    const route = {
      upstream: 'anthropic',
      api: 'anthropic-messages',
      purpose: 'generate',
      model: undefined,
      path: '/v1/messages',
    } as const
    const ends: Promise<void>[] = []
    const url = await listen(
      createServer((request, response) => {
        const client = new AbortController().signal
        ends.push(exchange(host, { request, response, url: '/v1/messages', route, client }))
      }),
    )
    const headers = { 'content-encoding': 'gzip' }
    const other = memory.open()
    other.take(2 * packed.length)
    await ask(`${url}/v1/messages`, { body: packed, headers })
    await Promise.all(ends)
    expect(asked).toEqual([])
    other.release()
    await ask(`${url}/v1/messages`, { body: packed, headers })
    await Promise.all(ends)
    expect(asked.map(({ body }) => body.length)).toEqual([plain.length])
    expect(upstream.received.map(({ body }) => body.equals(packed))).toEqual([true, true])
    expect(memory.open().take(plain.length + 2 * packed.length)).toBe(true)
  })
})
