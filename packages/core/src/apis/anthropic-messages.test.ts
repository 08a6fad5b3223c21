import { describe, expect, test } from 'vitest'
import { anthropicMessages } from './anthropic-messages.ts'

describe('usage of Anthropic', () => {
  const iterate = (type: string, input_tokens: number) => ({
    type,
    input_tokens,
    cache_read_input_tokens: 100,
    cache_creation_input_tokens: 0,
    output_tokens: 10,
  })
  const sum = {
    input_tokens: 60_000,
    cache_read_input_tokens: 300,
    cache_creation_input_tokens: 0,
    output_tokens: 30,
  }
  const rounds = [
    iterate('message', 10_000),
    iterate('compaction', 5_000),
    iterate('message', 20_000),
    iterate('message', 30_000),
  ]
  const read = {
    inputTokens: 60_300,
    outputTokens: 30,
    last: { inputTokens: 30_100, outputTokens: 10, cachedInputTokens: 100 },
    compaction: { inputTokens: 5_100, outputTokens: 10 },
  }

  test('names the last request that the model went on in after tools of the provider', () => {
    const usage = { ...sum, iterations: rounds }
    expect(anthropicMessages.readUsage({ usage })).toMatchObject(read)
    const once = { usage: { ...sum, iterations: rounds.slice(0, 1) } }
    expect(anthropicMessages.readUsage(once)).not.toHaveProperty('last')
    expect(anthropicMessages.readUsage({ usage: { ...sum, iterations: null } })).toMatchObject({
      inputTokens: 60_300,
    })
  })

  test('names it at the end of a stream', () => {
    const began = { type: 'message_start', message: { usage: { input_tokens: 10_000 } } }
    const ended = { type: 'message_delta', usage: { ...sum, iterations: rounds } }
    const before = anthropicMessages.readEventUsage(began, undefined)
    expect(anthropicMessages.readEventUsage(ended, before)).toMatchObject(read)
  })
})

test('a request that continues a thread has its history at the provider', () => {
  const body = { model: 'claude-opus-4-8', messages: [{ role: 'user', content: 'And now?' }] }
  const thread = { type: 'continue', previous_message_id: 'msg_1' }
  expect(anthropicMessages.readRequest({ ...body, thread })).toBe(undefined)
  for (const whole of [undefined, null, { type: 'create' }])
    expect(anthropicMessages.readRequest({ ...body, thread: whole })?.messages).toHaveLength(1)
})
