import { expect, test } from 'vitest'
import { readModelUsage } from './model-usage.ts'

const usage = { inputTokens: 100, outputTokens: 5, cachedInputTokens: 40, cacheWriteTokens: 0 }

test('version 6 tells totals and details', () => {
  const detailed = {
    inputTokens: { total: 100, noCache: 60, cacheRead: 40, cacheWrite: undefined },
    outputTokens: { total: 5 },
  }
  expect(readModelUsage({ usage: detailed }, 'openai.chat')).toEqual(usage)
})

test('version 5 counts what came from the cache as input, but for Anthropic', () => {
  const flat = { inputTokens: 100, outputTokens: 5, cachedInputTokens: 40 }
  expect(readModelUsage({ usage: flat }, 'openai.chat')).toEqual(usage)
  const providerMetadata = { anthropic: { cacheCreationInputTokens: 7 } }
  expect(readModelUsage({ usage: flat, providerMetadata }, 'anthropic.messages')).toEqual({
    ...usage,
    inputTokens: 147,
    cacheWriteTokens: 7,
  })
})

test('a step counts all of its input, whoever is the provider', () => {
  const step = {
    inputTokens: 100,
    outputTokens: 5,
    inputTokenDetails: { cacheReadTokens: 40, cacheWriteTokens: 0 },
  }
  const providerMetadata = { anthropic: {} }
  expect(readModelUsage({ usage: step, providerMetadata }, 'anthropic.messages')).toEqual(usage)
})

test.each([
  [{}],
  [{ usage: {} }],
  [{ usage: { inputTokens: undefined } }],
  [undefined],
  [{ usage: { inputTokens: {} } }],
])('of %j nothing is known', (answer) => {
  expect(readModelUsage(answer, 'openai')).toBeUndefined()
})

test('names the last of several requests, which the SDK adds up with compactions', () => {
  const iterations = [
    { type: 'compaction', input_tokens: 90_000, output_tokens: 900 },
    { type: 'message', input_tokens: 5_000, output_tokens: 10 },
  ]
  const usage = {
    inputTokens: { total: 95_000, noCache: 95_000, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 910 },
    raw: { input_tokens: 5_000, output_tokens: 10, iterations },
  }
  const last = { inputTokens: 5_000, outputTokens: 10 }
  expect(readModelUsage({ usage }, 'anthropic.messages')).toMatchObject({
    inputTokens: 95_000,
    last,
  })
})
