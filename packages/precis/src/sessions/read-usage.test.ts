import type { ByteSource } from '@precis/core/formats'
import { describe, expect, test } from 'vitest'
import { claudeCode } from '../agents/claude-code/claude-code.ts'
import { codex } from '../agents/codex/codex.ts'
import { geminiCli } from '../agents/gemini-cli/gemini-cli.ts'
import { opencode } from '../agents/opencode/opencode.ts'
import { pi } from '../agents/pi/pi.ts'
import { qwenCode } from '../agents/qwen-code/qwen-code.ts'
import type { Agent } from '../agents/shared/agent.ts'
import { readSessionRequests, sumUsage } from './read-usage.ts'

const readUsage = (source: ByteSource, agent: Agent) => sumUsage(readSessionRequests(agent, source))

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
      elsewhereTokens: 0,
      isOutputCounted: false,
      cost: 5 + 0.5 + 6.25 + 10 + 25,
    })
  })

  test('of Claude Code counts two requests whose server numbered its answers alike', () => {
    const answer = createAnswer('msg_1', { input_tokens: 5 })
    const source = createSource(['req_1', 'req_2'].map((requestId) => ({ ...answer, requestId })))
    expect(readUsage(source, claudeCode)).toMatchObject({ requests: 2, inputTokens: 10 })
  })

  test('of Claude Code counts what is billed beside an answer: a compaction on the server, an advisor', () => {
    const million = { input_tokens: 1_000_000 }
    const iterations = [
      { type: 'compaction', ...million },
      { type: 'message', ...million },
      { type: 'advisor_message', model: 'claude-sonnet-4-5', output_tokens: 1_000_000 },
    ]
    const answer = createAnswer('msg_1', { ...million, iterations })
    const source = createSource([createAnswer('msg_1', million), answer, answer])
    const requests = readSessionRequests(claudeCode, source)
    // The answer is the newest, since it has the size of the context.
    expect(requests.map(({ input, output }) => input + output)).toEqual([1e6, 1e6, 1e6])
    expect(requests.at(-1)).toMatchObject({ model: 'claude-opus-4-5', input: 1_000_000 })
    expect(new Set(requests.map(({ id }) => id)).size).toBe(3)
    // Dollars per million tokens: 5 in of Opus 4.5, 15 out of Sonnet 4.5.
    expect(sumUsage(requests)?.cost).toBe(5 + 5 + 15)
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

  // Its provider counts an answer when it is complete: 17,425 recorded ones were never shorter.
  test('of Codex is what was recorded, however long an answer is', () => {
    const source = createSource([
      { type: 'turn_context', payload: { model: 'gpt-5' } },
      {
        type: 'response_item',
        payload: { type: 'message', role: 'assistant', content: 'word '.repeat(500) },
      },
      createTokenCount(2, { input_tokens: 1, output_tokens: 1 }),
    ])
    expect(readUsage(source, codex)).toMatchObject({ outputTokens: 1, isOutputCounted: false })
  })

  test('has no cost when the price of a model is unknown, and is undefined when nothing is recorded', () => {
    const source = createSource([createAnswer('msg_1', { input_tokens: 5 }, 'house-model')])
    expect(readUsage(source, claudeCode)).toMatchObject({ requests: 1, cost: undefined })
    expect(readUsage(createSource([{ type: 'user' }]), claudeCode)).toBe(undefined)
  })

  // Each answer says, thinks and calls so many words, and one token of it is recorded.
  const WORDS = 500
  const text = 'word '.repeat(WORDS)
  const [write, model] = ['write', 'gpt-5'] as const
  const input = { text }
  const answers: [Agent, object[]][] = [
    [
      claudeCode,
      [{ thinking: text }, { text }, { name: write, input }].map((block) => ({
        message: { id: 'm', model, usage: { input_tokens: 1, output_tokens: 1 }, content: [block] },
      })),
    ],
    [
      pi,
      [
        {
          message: {
            role: 'assistant',
            model,
            usage: { input: 1, output: 1 },
            content: [{ thinking: text }, { text }, { name: write, arguments: input }],
          },
        },
      ],
    ],
    [
      qwenCode,
      [
        {
          model,
          usageMetadata: { promptTokenCount: 1, totalTokenCount: 2 },
          message: {
            parts: [
              { text, thought: true },
              { text },
              { functionCall: { name: write, args: input } },
            ],
          },
        },
      ],
    ],
    [
      geminiCli,
      [
        {
          sessionId: 's',
          projectHash: 'p',
          messages: [
            {
              id: 'a',
              type: 'gemini',
              model,
              tokens: { input: 1, output: 1 },
              content: text.repeat(2),
              toolCalls: [{ name: write, args: input, result: text }],
            },
          ],
        },
      ],
    ],
    [
      opencode,
      [
        {
          info: {},
          messages: [
            {
              info: { id: 'a', role: 'assistant', modelID: model, tokens: { input: 1, output: 1 } },
              parts: [
                { type: 'reasoning', text },
                { type: 'text', text },
                { type: 'tool', tool: write, state: { input, output: text } },
              ],
            },
          ],
        },
      ],
    ],
  ]
  test.each(answers)('of $name counts an answer of which less is recorded', (agent, records) => {
    const usage = readUsage(createSource(records), agent)
    expect(usage).toMatchObject({ requests: 1, inputTokens: 1, isOutputCounted: true })
    expect(usage?.outputTokens).toBeGreaterThan(3 * WORDS)
    expect(usage?.outputTokens).toBeLessThan(3.2 * WORDS)
  })

  test('keeps the recorded output where it is about what an answer says', () => {
    const content = [{ text }]
    const usage = { output_tokens: 450 }
    const source = createSource([{ message: { id: 'm', model, usage, content } }])
    expect(readUsage(source, claudeCode)).toMatchObject({
      outputTokens: 450,
      isOutputCounted: false,
    })
  })
})
