import { request as httpRequest } from 'node:http'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { ask, createOddBody, createTestActs, openGateway, startUpstream } from './gateway.suite.ts'
import type { ActRecord, ActRequest, ActResult, Acts, ObservedAnswer } from './gateway.ts'

const RECORD: ActRecord = {
  act: 'guard',
  time: 0,
  milliseconds: 5,
  model: 'm',
  tokensBefore: 9000,
  tokensAfter: 4000,
}
const TOO_LONG = JSON.stringify({
  type: 'error',
  error: {
    type: 'invalid_request_error',
    message: 'prompt is too long: 210000 tokens > 200000 maximum',
  },
})

interface Witness extends Partial<Acts> {
  readonly asked: ActRequest[]
  readonly decided: ActRequest[]
  readonly observed: (readonly [ActRequest, ObservedAnswer])[]
}

/** Actions that record what they get, and decide as the test wants. */
function createWitness(decide: (request: ActRequest) => ActResult | Promise<ActResult>): Witness {
  const asked: ActRequest[] = []
  const decided: ActRequest[] = []
  const observed: [ActRequest, ObservedAnswer][] = []
  return {
    ...createTestActs(),
    asked,
    decided,
    observed,
    isDue(request) {
      asked.push(request)
      return true
    },
    async decide(request) {
      decided.push(request)
      return await decide(request)
    },
    observe: (request, answer) => void observed.push([request, answer]),
  }
}

const ZSTD_BLOCK = 1 << 17

/**
 * Frames of RFC 8878, 3.1: a magic number, a window of 128 kB, and blocks that are stored unchanged
 * or repeat one byte.
 */
const frameZstd = (blocks: readonly Buffer[]) =>
  Buffer.concat([Buffer.from('28b52ffd0038', 'hex'), ...blocks])

function createBlock(
  content: Buffer,
  size: number,
  { type, isLast }: { readonly type: 0 | 1; readonly isLast: boolean },
) {
  const header = Buffer.alloc(3)
  header.writeUIntLE(size * 8 + type * 2 + Number(isLast), 0, 3)
  return Buffer.concat([header, content])
}

function storeAsZstd(bytes: Buffer): Buffer {
  return frameZstd([createBlock(bytes, bytes.length, { type: 0, isLast: true })])
}

function repeatAsZstd(length: number): Buffer {
  const count = length / ZSTD_BLOCK
  const blocks = Array.from({ length: count }, (_, index) =>
    createBlock(Buffer.from('a'), ZSTD_BLOCK, { type: 1, isLast: index === count - 1 }),
  )
  return frameZstd(blocks)
}

const pass = (): ActResult => ({ type: 'pass', reason: 'fits' })
const text = (value: Uint8Array | undefined) => Buffer.from(value ?? []).toString()

describe('what acts are told', () => {
  test('is the request as it came', async () => {
    const upstream = await startUpstream()
    const acts = createWitness(pass)
    const { url } = await openGateway(upstream.url, { acts, windowTokens: 50_000 })
    const body = createOddBody()
    await ask(`${url}/v1beta/models/gemini%2Dx:generateContent?key=k`, {
      body,
      headers: { 'x-some': 'y' },
    })
    const [asked] = acts.asked
    expect(asked).toMatchObject({
      api: 'gemini-contents',
      purpose: 'generate',
      path: '/v1beta/models/gemini%2Dx:generateContent?key=k',
      model: 'gemini-x',
      windowTokens: 50_000,
      headers: { 'x-some': 'y' },
      owner: { id: expect.stringMatching(/^[0-9a-f]{64}$/) },
    })
    expect(body.equals(asked?.body ?? new Uint8Array())).toBe(true)
    expect(upstream.received[0]?.body.equals(body)).toBe(true)
  })

  test('is whose it is: the same owner for the same credential, in whichever place it stands', async () => {
    const acts = createWitness(pass)
    const { url } = await openGateway((await startUpstream()).url, { acts })
    const credentials: readonly Record<string, string>[] = [
      { 'x-api-key': 'a' },
      { 'x-api-key': 'a' },
      { 'x-api-key': 'b' },
      { authorization: 'Bearer a' },
    ]
    for (const headers of credentials) {
      await ask(`${url}/v1/messages`, { body: '{}', headers })
    }
    for (const key of ['a', 'b'])
      await ask(`${url}/v1beta/models/m:generateContent?key=${key}`, { body: '{}' })
    const ids = acts.asked.map(({ owner }) => owner.id)
    expect(new Set(ids).size).toBe(5)
    expect(ids[0]).toBe(ids[1])
    expect(JSON.stringify(acts.asked.map(({ owner }) => owner))).not.toContain('Bearer')
  })

  test.each<[string, string, Record<string, string>]>([
    ['that asks for it', '/v1/messages', { 'x-precis-bypass': 'true' }],
    ['that another gateway has passed', '/v1/messages', { 'x-precis-gateway': 'other' }],
    ['that is not compressed as it says', '/v1/messages', { 'content-encoding': 'zstd' }],
    ['compressed in a way that nobody knows', '/v1/messages', { 'content-encoding': 'compress' }],
    [
      'that is signed for Amazon',
      '/model/anthropic.x/invoke',
      { authorization: 'AWS4-HMAC-SHA256 Credential=x' },
    ],
    ['of no model', '/v1/files', {}],
  ])('is nothing of a request %s', async (_, path, headers) => {
    const upstream = await startUpstream()
    const acts = createWitness(() => ({
      type: 'replace',
      body: Buffer.from('never'),
      record: RECORD,
    }))
    const { url } = await openGateway(upstream.url, { acts })
    const body = createOddBody()
    const { headers: answered } = await ask(`${url}${path}`, { body, headers })
    expect(upstream.received[0]?.body.equals(body)).toBe(true)
    expect([acts.asked, acts.decided, acts.observed]).toEqual([[], [], []])
    expect(answered['x-precis-act']).toBeUndefined()
  })

  test('is nothing where it is not due', async () => {
    const acts = { ...createWitness(pass), isDue: () => false }
    const { url } = await openGateway((await startUpstream()).url, { acts })
    await ask(`${url}/v1/messages`, { body: '{}' })
    expect(acts.decided).toEqual([])
    expect(acts.observed).toHaveLength(1)
  })
})

describe('a compressed request', () => {
  const plain = createOddBody()
  const packed = [
    ['gzip', gzipSync(plain)],
    ['br', brotliCompressSync(plain)],
    ['zstd', storeAsZstd(plain)],
  ] as const

  test.each(packed)('of %s is read, and passes as it came', async (encoding, body) => {
    const upstream = await startUpstream()
    const acts = createWitness(pass)
    const { url } = await openGateway(upstream.url, { acts })
    await ask(`${url}/v1/responses`, { body, headers: { 'content-encoding': encoding } })
    expect(Buffer.from(acts.asked[0]?.body ?? []).equals(plain)).toBe(true)
    expect(upstream.received[0]?.body.equals(body)).toBe(true)
    expect(upstream.received[0]?.headers['content-encoding']).toBe(encoding)
  })

  test.each(packed)('of %s that is replaced is not compressed any more', async (encoding, body) => {
    const upstream = await startUpstream()
    const acts = createWitness(() => ({ type: 'replace', body: Buffer.from('{}'), record: RECORD }))
    const { url } = await openGateway(upstream.url, { acts })
    await ask(`${url}/v1/responses`, { body, headers: { 'content-encoding': encoding } })
    expect(String(upstream.received[0]?.body)).toBe('{}')
    expect(upstream.received[0]?.headers['content-encoding']).toBeUndefined()
  })

  test.each([
    ['gzip', gzipSync(Buffer.alloc(80 << 20))],
    ['zstd', repeatAsZstd(80 << 20)],
  ])(
    'of %s that would be larger than 64 MB passes unread',
    { tags: 'slow' },
    async (encoding, body) => {
      const upstream = await startUpstream()
      const acts = createWitness(pass)
      const { url } = await openGateway(upstream.url, { acts })
      await ask(`${url}/v1/responses`, { body, headers: { 'content-encoding': encoding } })
      expect(acts.asked).toEqual([])
      expect(upstream.received[0]?.body.equals(body)).toBe(true)
    },
  )
})

describe('an act', () => {
  test('may replace the body, and the answer says so', async () => {
    const upstream = await startUpstream((_, response) => response.end('done'))
    const acts = createWitness(() => ({
      type: 'replace',
      body: Buffer.from('{"short": 1}'),
      record: RECORD,
    }))
    const { url } = await openGateway(upstream.url, { acts })
    const { headers, body } = await ask(`${url}/v1/messages`, { body: createOddBody() })
    expect(String(upstream.received[0]?.body)).toBe('{"short": 1}')
    expect(upstream.received[0]?.headers['content-length']).toBe('12')
    expect([String(body), headers['x-precis-act']]).toEqual(['done', 'guard'])
    expect([headers['x-precis-tokens-before'], headers['x-precis-tokens-after']]).toEqual([
      '9000',
      '4000',
    ])
  })

  test('that only puts back what it did before says nothing', async () => {
    const acts = createWitness(() => ({ type: 'replace', body: Buffer.from('{}') }))
    const { url } = await openGateway((await startUpstream()).url, { acts })
    const { headers } = await ask(`${url}/v1/messages`, { body: '{ }' })
    expect(Object.keys(headers).filter((name) => name.startsWith('x-precis'))).toEqual([])
  })

  test('may answer: nothing goes to the upstream', async () => {
    const upstream = await startUpstream()
    const events =
      'event: message_start\ndata: {"type":"message_start","message":{"usage":{"input_tokens":9,"output_tokens":1}}}\n\n'
    const record = { ...RECORD, act: 'answer' as const }
    const acts = createWitness(() => ({
      type: 'answer',
      contentType: 'text/event-stream',
      body: Buffer.from(events),
      record,
    }))
    const { url } = await openGateway(upstream.url, { acts })
    const { status, headers, body } = await ask(`${url}/v1/messages`, { body: '{}' })
    expect([status, headers['content-type'], headers['x-precis-act'], String(body)]).toEqual([
      200,
      'text/event-stream',
      'answer',
      events,
    ])
    expect(upstream.received).toEqual([])
    await expect
      .poll(() => acts.observed[0]?.[1])
      .toMatchObject({ status: 200, usage: { inputTokens: 9 } })
    const metrics = String((await ask(`${url}/metrics`, { method: 'GET' })).body)
    expect(metrics).toContain(
      'precis_requests_total{route="anthropic/generate",status="200",act="answer"} 1',
    )
    expect(metrics).toContain('precis_act_tokens_total{act="answer",when="before"} 9000')
    expect(metrics).not.toContain('precis_tokens_total{')
  })

  test('may refuse', async () => {
    const upstream = await startUpstream()
    const acts = createWitness(() => ({
      type: 'refuse',
      status: 400,
      body: Buffer.from(TOO_LONG),
      record: RECORD,
    }))
    const { url } = await openGateway(upstream.url, { acts })
    const { status, headers, body } = await ask(`${url}/v1/messages`, { body: '{}' })
    expect([status, headers['content-type'], String(body)]).toEqual([
      400,
      'application/json',
      TOO_LONG,
    ])
    expect(upstream.received).toEqual([])
  })

  test('whose client leaves before it is done sends nothing', async () => {
    const upstream = await startUpstream()
    let decide: (result: ActResult) => void = () => {}
    const acts = createWitness(
      () =>
        new Promise((resolve) => {
          decide = resolve
        }),
    )
    const { url } = await openGateway(upstream.url, { acts })
    const request = httpRequest(`${url}/v1/messages`, { method: 'POST' })
    request.on('error', () => {})
    request.end('{}')
    await expect.poll(() => acts.decided.length).toBe(1)
    await new Promise<void>((resolve) => {
      request.once('close', resolve)
      request.destroy()
    })
    // Afterwards the gateway has processed everything before.
    for (let count = 0; count < 3; count++) await ask(`${url}/livez`, { method: 'GET' })
    decide({ type: 'replace', body: Buffer.from('{}') })
    await ask(`${url}/v1/files`, { body: 'the next one' })
    expect(upstream.received.map(({ body }) => String(body))).toEqual(['the next one'])
  })
})

test.each(['/v1/messages', '/v1/compress'])(
  'work for a client that leaves is told so: %s',
  async (path) => {
    const upstream = await startUpstream()
    const told: boolean[] = []
    const work = async (client: AbortSignal | undefined) => {
      leaving.destroy()
      await expect.poll(() => client?.aborted).toBe(true)
      told.push(true)
    }
    const acts: Partial<Acts> = {
      isDue: () => true,
      async decide(_, client) {
        await work(client)
        return { type: 'pass' }
      },
      async serve(_, client) {
        await work(client)
        return { status: 200, body: '{}' }
      },
    }
    const { url } = await openGateway(upstream.url, { acts })
    const leaving = httpRequest(url + path, { method: 'POST', agent: false })
    leaving.on('error', () => {})
    leaving.end('{}')
    await expect.poll(() => told).toEqual([true])
    await ask(`${url}/livez`, { method: 'GET' })
    expect(upstream.received).toEqual([])
  },
)

describe('a request that the provider finds too long', () => {
  const shorten = (request: ActRequest): ActResult =>
    request.overflow ? { type: 'replace', body: Buffer.from('short'), record: RECORD } : pass()

  test.each<[string, (error: Buffer) => readonly [Buffer, Record<string, string>]]>([
    ['', (error) => [error, {}]],
    [', compressed with gzip', (error) => [gzipSync(error), { 'content-encoding': 'gzip' }]],
    [
      ', compressed with brotli',
      (error) => [brotliCompressSync(error), { 'content-encoding': 'br' }],
    ],
  ])('is shortened and sent once more%s', async (_, pack) => {
    const upstream = await startUpstream((received, response) => {
      if (String(received.body) === 'short') response.end('done')
      else {
        const [error, headers] = pack(Buffer.from(TOO_LONG))
        response.writeHead(400, { 'content-type': 'application/json', ...headers }).end(error)
      }
    })
    const acts = createWitness(shorten)
    const { url } = await openGateway(upstream.url, { acts })
    const { status, headers, body } = await ask(`${url}/v1/messages`, { body: 'long' })
    expect([status, String(body), headers['x-precis-act']]).toEqual([200, 'done', 'guard'])
    expect(upstream.received.map((received) => String(received.body))).toEqual(['long', 'short'])
    expect(acts.decided[1]?.overflow).toEqual({
      of: 'tokens',
      limitTokens: 200_000,
      requestTokens: 210_000,
    })
    expect(text(acts.decided[1]?.body)).toBe('long')
  })

  test('and still too long is sent no third time; its error is the one that the provider gave', async () => {
    const upstream = await startUpstream((_, response) =>
      response.writeHead(400, 'Too Long', { 'x-a': 'b' }).end(TOO_LONG),
    )
    const { url } = await openGateway(upstream.url, { acts: createWitness(shorten) })
    const { status, statusText, headers, body } = await ask(`${url}/v1/messages`, { body: 'long' })
    expect([status, statusText, headers['x-a'], String(body)]).toEqual([
      400,
      'Too Long',
      'b',
      TOO_LONG,
    ])
    expect(upstream.received).toHaveLength(2)
  })

  test.each<[string, number, string | Buffer]>([
    ['that cannot be shortened', 400, TOO_LONG],
    [
      'of another kind',
      400,
      '{"type":"error","error":{"type":"invalid_request_error","message":"tools: odd"}}',
    ],
    [
      'of a rate limit',
      429,
      '{"type":"error","error":{"type":"rate_limit_error","message":"too many tokens per minute"}}',
    ],
    ['of more than a megabyte', 400, Buffer.alloc(3 << 20, TOO_LONG)],
    ['that is no JSON', 413, '<html>'],
  ])('an error %s passes as it is', async (_, status, error) => {
    const upstream = await startUpstream((__, response) =>
      response.writeHead(status, { 'retry-after': '7' }).end(error),
    )
    const { url } = await openGateway(upstream.url, { acts: createWitness(pass) })
    const answered = await ask(`${url}/v1/messages`, { body: 'long' })
    expect([answered.status, answered.headers['retry-after']]).toEqual([status, '7'])
    expect(answered.body.equals(Buffer.from(error))).toBe(true)
    expect(upstream.received).toHaveLength(1)
  })
})

describe('two gateways, one behind the other', () => {
  test('act once', async () => {
    const upstream = await startUpstream()
    const acts = [createWitness(pass), createWitness(pass)] as const
    const inner = await openGateway(upstream.url, { acts: acts[1] })
    const outer = await openGateway(inner.url, { acts: acts[0] })
    await ask(`${outer.url}/v1/messages`, { body: '{}' })
    expect(acts.map(({ asked }) => asked.length)).toEqual([1, 0])
    expect(acts.map(({ observed }) => observed.length)).toEqual([1, 0])
    expect(upstream.received[0]?.headers['x-precis-gateway']?.toString().split(', ')).toHaveLength(
      2,
    )
  })

  test('that lead to one another are told so', async () => {
    const { url } = await openGateway('http://127.0.0.1:1')
    const turning = await startUpstream(async (received, response) => {
      const headers = { 'x-precis-gateway': String(received.headers['x-precis-gateway']) }
      const { status, body } = await ask(`${second.url}/v1/messages`, {
        body: received.body,
        headers,
      })
      response.writeHead(status).end(body)
    })
    const second = await openGateway(turning.url)
    expect((await ask(`${second.url}/v1/messages`, { body: '{}' })).status).toBe(508)
    expect((await ask(`${url}/livez`, { method: 'GET' })).status).toBe(200)
  })
})
