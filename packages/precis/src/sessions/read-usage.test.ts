import type { ByteSource } from '@precis/core/formats'
import { describe, expect, test } from 'vitest'
import { claudeCode } from '../agents/claude-code/claude-code.ts'
import { codex } from '../agents/codex/codex.ts'
import type { Agent } from '../agents/shared/agent.ts'
import { sumUsage } from './read-usage.ts'

const readUsage = (source: ByteSource, agent: Agent) => sumUsage(agent.readRequests(source))

function createSource(entries: readonly object[]): ByteSource {
  const bytes = new TextEncoder().encode(entries.map((entry) => JSON.stringify(entry)).join('\n'))
  return { byteLength: bytes.length, read: (start, end) => bytes.subarray(start, end) }
}

function createAnswer(id: string, usage: object, model = 'claude-opus-4-5') {
  return { type: 'assistant', message: { id, model, usage } }
}

function createTokenCount(total: number, usage: object) {
  const info = { total_token_usage: { total_tokens: total }, last_token_usage: usage }
  return { type: 'event_msg', payload: { type: 'token_count', info } }
}

describe('recorded usage', () => {
  test('of Claude Code counts a request once, by the last of its entries, and prices the cache apart', () => {
    const usage = {
      input_tokens: 1_000_000,
      cache_read_input_tokens: 1_000_000,
      cache_creation_input_tokens: 2_000_000,
      cache_creation: { ephemeral_1h_input_tokens: 1_000_000 },
      output_tokens: 1_000_000,
    }
    const source = createSource([
      createAnswer('msg_1', { ...usage, output_tokens: 1 }),
      createAnswer('msg_1', usage),
      createAnswer('msg_2', { input_tokens: 1_000_000 }, '<synthetic>'),
      { type: 'user', message: { content: 'a text with "usage" in it' } },
    ])
    // Dollars per million tokens of Claude Opus 4.5: 5 in, 0.5 from the cache, 6.25 and 10 into it,
    // 25 out.
    expect(readUsage(source, claudeCode)).toEqual({
      requests: 1,
      inputTokens: 1_000_000,
      cachedInputTokens: 1_000_000,
      cacheWriteTokens: 2_000_000,
      outputTokens: 1_000_000,
      isOutputCounted: false,
      cost: 5 + 0.5 + 6.25 + 10 + 25,
    })
  })

  test('of Codex leaves out numbers that are written again, and takes cached input out of the input', () => {
    const usage = { input_tokens: 1_000_000, cached_input_tokens: 600_000, output_tokens: 100_000 }
    const source = createSource([
      { type: 'turn_context', payload: { model: 'gpt-5' } },
      createTokenCount(1_100_000, usage),
      createTokenCount(1_100_000, usage),
      { type: 'event_msg', payload: { type: 'token_count', info: null } },
    ])
    const recorded = readUsage(source, codex)
    expect(recorded).toMatchObject({
      requests: 1,
      inputTokens: 400_000,
      cachedInputTokens: 600_000,
    })
    expect(recorded?.cost).toBeCloseTo(0.4 * 1.25 + 0.6 * 0.125 + 0.1 * 10)
  })

  test('has no cost when the price of a model is unknown, and is undefined when nothing is recorded', () => {
    const source = createSource([createAnswer('msg_1', { input_tokens: 5 }, 'house-model')])
    expect(readUsage(source, claudeCode)).toMatchObject({ requests: 1, cost: undefined })
    expect(readUsage(createSource([{ type: 'user' }]), claudeCode)).toBe(undefined)
  })
})
