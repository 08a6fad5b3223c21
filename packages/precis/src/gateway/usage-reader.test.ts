import { randomBytes } from 'node:crypto'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import type { ApiName } from '@precis/core/apis'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createWireUsageReader } from './usage-reader.ts'

const SSE = ['content-type', 'text/event-stream; charset=utf-8']
const JSON_TYPE = ['content-type', 'application/json']

async function read(api: ApiName, headers: readonly string[], chunks: readonly Uint8Array[]) {
  const reader = createWireUsageReader(api)
  reader.start(headers)
  for (const chunk of chunks) reader.write(chunk)
  const { usage } = await reader.finish()
  return usage
}

const events = (...data: unknown[]) =>
  data.map((one) => `event: x\ndata: ${JSON.stringify(one)}\n\n`).join('')

const ANTHROPIC = events(
  {
    type: 'message_start',
    message: { usage: { input_tokens: 10, cache_read_input_tokens: 100, output_tokens: 1 } },
  },
  { type: 'content_block_delta', delta: { type: 'text_delta', text: 'say "usage": é' } },
  { type: 'message_delta', usage: { output_tokens: 42 } },
)
const STREAMS: readonly (readonly [ApiName, string, object])[] = [
  ['anthropic-messages', ANTHROPIC, { inputTokens: 110, outputTokens: 42, cachedInputTokens: 100 }],
  [
    'openai-chat',
    `${events({ choices: [] }, { usage: { prompt_tokens: 5, completion_tokens: 6 } })}data: [DONE]\n\n`,
    { inputTokens: 5, outputTokens: 6 },
  ],
  [
    'openai-responses',
    events({
      type: 'response.completed',
      response: { usage: { input_tokens: 7, output_tokens: 8 } },
    }),
    { inputTokens: 7, outputTokens: 8 },
  ],
  [
    'gemini-contents',
    events({ usageMetadata: { promptTokenCount: 3 } }, { usageMetadata: { promptTokenCount: 4 } }),
    { inputTokens: 4 },
  ],
  [
    'gemini-contents',
    events({ response: { usageMetadata: { promptTokenCount: 9 } } }),
    { inputTokens: 9 },
  ],
]

// Two compactions on the server, whose tokens are in no other number, and the answer.
const ITERATIONS = [
  { type: 'compaction', input_tokens: 100, cache_read_input_tokens: 900, output_tokens: 30 },
  { type: 'compaction', input_tokens: 5, cache_creation_input_tokens: 2, output_tokens: 3 },
  { type: 'message', input_tokens: 9, output_tokens: 8 },
]
const COMPACTION = {
  inputTokens: 1007,
  outputTokens: 33,
  cachedInputTokens: 900,
  cacheWriteTokens: 2,
}

describe('usage', () => {
  test('has a compaction that the end of a stream reports', async () => {
    const stream = ANTHROPIC.replace(
      '"usage":{"output_tokens":42}',
      `"usage":${JSON.stringify({ output_tokens: 42, iterations: ITERATIONS })}`,
    )
    expect(await read('anthropic-messages', SSE, [Buffer.from(stream)])).toEqual({
      inputTokens: 110,
      outputTokens: 42,
      cachedInputTokens: 100,
      cacheWriteTokens: 0,
      compaction: COMPACTION,
      last: { inputTokens: 9, outputTokens: 8, cachedInputTokens: 0, cacheWriteTokens: 0 },
    })
  })

  test.each(STREAMS)('is read from a stream of %s', async (api, stream, usage) => {
    expect(await read(api, SSE, [Buffer.from(stream)])).toMatchObject(usage)
    expect(await read(api, SSE, [Buffer.from(stream.replaceAll('\n', '\r\n'))])).toMatchObject(
      usage,
    )
  })

  test.each<[ApiName, unknown, object]>([
    [
      'anthropic-messages',
      { usage: { input_tokens: 1, output_tokens: 2 } },
      { inputTokens: 1, outputTokens: 2 },
    ],
    [
      'anthropic-messages',
      { usage: { input_tokens: 9, output_tokens: 8, iterations: ITERATIONS } },
      { inputTokens: 9, outputTokens: 8, compaction: COMPACTION },
    ],
    [
      'openai-chat',
      { usage: { prompt_tokens: 1, completion_tokens: 2 } },
      { inputTokens: 1, outputTokens: 2 },
    ],
    [
      'gemini-contents',
      [{ usageMetadata: { promptTokenCount: 1 } }, { usageMetadata: { promptTokenCount: 2 } }],
      { inputTokens: 2 },
    ],
  ])('is read from an answer in one piece of %s', async (api, answer, usage) => {
    expect(
      await read(api, JSON_TYPE, [Buffer.from(JSON.stringify(answer, undefined, 2))]),
    ).toMatchObject(usage)
  })

  test.each(['1e400', '-5', '2.5', '"7"', 'null', '9007199254740993'])(
    'that says %s has counted nothing',
    async (count) => {
      const body = Buffer.from(`{"usage":{"input_tokens":${count},"output_tokens":${count}}}`)
      const usage = await read('anthropic-messages', JSON_TYPE, [body])
      expect(usage).toMatchObject({ inputTokens: 0, outputTokens: 0 })
    },
  )

  test('is read wherever a stream is cut', { tags: ['property'] }, async () => {
    const whole = Buffer.from(ANTHROPIC)
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(whole.length), { maxLength: 20 }), async (cuts) => {
        const places = [0, ...cuts.sort((a, b) => a - b), whole.length]
        const chunks = places.slice(1).map((end, index) => whole.subarray(places[index], end))
        expect(await read('anthropic-messages', SSE, chunks)).toMatchObject({
          inputTokens: 110,
          outputTokens: 42,
        })
      }),
      { numRuns: 300 },
    )
  })

  test.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ] as const)('is read from an answer compressed with %s', async (encoding, compress) => {
    const bytes = compress(Buffer.from(ANTHROPIC))
    const chunks = Array.from({ length: bytes.length }, (_, index) =>
      bytes.subarray(index, index + 1),
    )
    const headers = [...SSE, 'Content-Encoding', encoding]
    expect(await read('anthropic-messages', headers, chunks)).toMatchObject({
      inputTokens: 110,
      outputTokens: 42,
    })
  })

  test('of an answer that breaks off is what was said until then', async () => {
    const bytes = gzipSync(Buffer.concat([Buffer.from(ANTHROPIC), randomBytes(100_000)]))
    const headers = [...SSE, 'content-encoding', 'gzip']
    expect(await read('anthropic-messages', headers, [bytes.subarray(0, 60_000)])).toMatchObject({
      inputTokens: 110,
    })
    expect(
      await read('anthropic-messages', SSE, [Buffer.from(ANTHROPIC.slice(0, 140))]),
    ).toMatchObject({
      inputTokens: 110,
    })
  })
})

describe('of a hostile answer nothing is read, and nothing fails', () => {
  test.each<[string, readonly string[], Uint8Array]>([
    [
      'that is not compressed as it says',
      [...SSE, 'content-encoding', 'gzip'],
      Buffer.from(ANTHROPIC),
    ],
    [
      'compressed in a way that nobody knows',
      [...SSE, 'content-encoding', 'zstd'],
      Buffer.from(ANTHROPIC),
    ],
    ['without a type', [], Buffer.from(ANTHROPIC)],
    ['whose events are no JSON', SSE, Buffer.from('data: {"usage": \n\ndata: "usage\n\ndata:\n\n')],
    [
      'whose usage is no usage',
      SSE,
      Buffer.from(events({ type: 'message_delta', usage: 'a lot' }, { usage: null }, null)),
    ],
    ['that is no JSON', JSON_TYPE, Buffer.from('{"usage": {')],
    ['that is empty', JSON_TYPE, Buffer.alloc(0)],
  ])('%s', async (_, headers, bytes) => {
    expect(await read('anthropic-messages', headers, [bytes])).toBeUndefined()
  })

  test('whatever JSON it is made of', { tags: ['property'] }, async () => {
    const names = fc.constantFrom(
      'usage',
      'message',
      'response',
      'usageMetadata',
      'type',
      'model',
      'input_tokens',
      'delta',
    )
    const types = fc.constantFrom('message_start', 'message_delta', 'response.completed', 'usage')
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { depthSize: 'small' },
        types,
        fc.jsonValue(),
        fc.dictionary(names, tie('tree')),
        fc.array(tie('tree')),
      ),
    }))
    const apis = fc.constantFrom<ApiName>(
      'anthropic-messages',
      'openai-chat',
      'openai-responses',
      'gemini-contents',
    )
    await fc.assert(
      fc.asyncProperty(apis, tree, async (api, value) => {
        const json = JSON.stringify({ usage: value, all: value })
        await read(api, SSE, [
          Buffer.from(
            `data: ${json}\n\ndata: {"usage":1,"message":${JSON.stringify(value) ?? null}}\n\n`,
          ),
        ])
        await read(api, JSON_TYPE, [Buffer.from(json)])
      }),
      { numRuns: 500 },
    )
  })

  test('a line without an end takes two megabytes at most, and the next one is read', async () => {
    const reader = createWireUsageReader('anthropic-messages')
    reader.start(SSE)
    reader.write(Buffer.from('data: {"usage": "'))
    const filler = Buffer.alloc(1 << 16, 'x')
    const before = process.memoryUsage().arrayBuffers
    for (let count = 0; count < 1600; count++) reader.write(filler)
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16 << 20)
    reader.write(Buffer.from(`"}\n\n${ANTHROPIC}`))
    expect(await reader.finish()).toMatchObject({ usage: { inputTokens: 110 } })
  })

  test('what was made to be enormous when it is decompressed is given up', {
    tags: 'slow',
  }, async () => {
    const part = gzipSync(Buffer.alloc(1 << 20))
    const bomb = Buffer.concat(Array.from({ length: 200 }, () => part))
    expect(
      await read('anthropic-messages', [...SSE, 'content-encoding', 'gzip'], [bomb]),
    ).toBeUndefined()
  })
})
