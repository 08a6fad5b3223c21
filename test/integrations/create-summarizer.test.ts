import { createAnthropic } from '@ai-sdk/anthropic'
import { createOpenAI } from '@ai-sdk/openai'
import Anthropic from '@anthropic-ai/sdk'
import { ChatOpenAI } from '@langchain/openai'
import { compress, createContext, type Summarizer } from '@precis/core'
import * as aiSdk from '@precis/core/ai-sdk'
import { createCompactionSummarizer } from '@precis/core/anthropic'
import * as langchain from '@precis/core/langchain'
import { afterEach, describe, expect, test } from 'vitest'
import type { FakeAnswer } from '../fake-upstream/fake-model.ts'
import { type FakeUpstream, startFakeUpstream } from '../fake-upstream/start-fake-upstream.ts'
import { casesOf } from '../property-runs.ts'

const WRITTEN = `## Where things stand

The parser was read file by file, up to file 39, and every one of them is fine so far. What is left is the report that was asked for.

## The conversation

It was decided to read one file after the other, because the tokens of one depend on those before it.`

const history = Array.from({ length: 40 }, (_, file) => [
  { role: 'user', content: `Read file ${file} of the parser.` },
  {
    role: 'assistant',
    content: `File ${file} is fine. ${'It reads one token after the other. '.repeat(20)}`,
  },
]).flat()

type Create = (url: string, options?: aiSdk.CreateSummarizerOptions) => Summarizer

const MODELS: Readonly<Record<string, Create>> = {
  'OpenAI, by the AI SDK': (url, options) =>
    aiSdk.createSummarizer(
      createOpenAI({ apiKey: 'none', baseURL: `${url}/v1` })('gpt-5-mini'),
      options,
    ),
  'Anthropic, by the AI SDK': (url, options) =>
    aiSdk.createSummarizer(
      createAnthropic({ apiKey: 'none', baseURL: `${url}/v1` })('claude-haiku-4-5'),
      options,
    ),
  'OpenAI, by LangChain': (url, options) => {
    const configuration = { baseURL: `${url}/v1` }
    return langchain.createChatModelSummarizer(
      new ChatOpenAI({ model: 'gpt-5-mini', apiKey: 'none', maxRetries: 2, configuration }),
      options,
    )
  },
  'Anthropic, by its compaction': (url, { timeoutMs } = {}) =>
    createCompactionSummarizer(
      new Anthropic({ apiKey: 'none', baseURL: url }),
      { model: 'claude-opus-4-8' },
      { ...(timeoutMs !== undefined && { timeoutMs }) },
    ),
}

let upstream: FakeUpstream | undefined
afterEach(() => upstream?.close())

/** Compresses with a model that answers so. */
async function compressWith(
  create: (url: string) => Summarizer,
  answer: FakeAnswer,
  signal?: AbortSignal,
  answers: FakeAnswer[] = [],
) {
  upstream = await startFakeUpstream(() => answers.shift() ?? answer)
  const options = {
    model: 'gpt-5',
    format: 'anthropic-messages',
    budgetTokens: 4_000,
    summarizer: create(upstream.url),
    signal,
  } as const
  return await compress(history, options)
}

describe.each(casesOf(Object.entries(MODELS)))(
  'a summarizer of a model of %s',
  { tags: 'property' },
  (_, create) => {
    test('writes the summary, and what it used is in the report', async () => {
      const { messages, report } = await compressWith(create, {
        text: `<summary>\n${WRITTEN}\n</summary>`,
      })
      expect(JSON.stringify(messages)).toContain('It was decided to read one file after the other')
      expect(report.usage).toMatchObject({ calls: 1 })
      expect(report.usage?.inputTokens).toBeGreaterThan(1_000)
      expect(upstream?.requests[0]?.raw).toContain('Read file 20 of the parser.')
    })

    test('gives way to the digest where the model fails, and says why', async () => {
      const error = {
        message: 'Incorrect API key provided: sk-proj-abcdefghijklmnopqrstuvwxyz0123456789.',
      }
      const { outcome, report } = await compressWith(create, { status: 401, error })
      expect(outcome.type).toBe('compressed')
      expect(JSON.stringify(report)).toContain('Incorrect API key provided')
      expect(JSON.stringify(report)).not.toContain('abcdefghijklmnopqrstuvwxyz')
    })

    test('asks again where the provider was busy', { timeout: 20_000 }, async () => {
      const busy = {
        status: 503,
        error: { message: 'overloaded' },
        headers: { 'retry-after': '0.1' },
      }
      const { messages, report } = await compressWith(
        create,
        { text: `<summary>\n${WRITTEN}\n</summary>` },
        undefined,
        [busy],
      )
      expect(upstream?.requests).toHaveLength(2)
      expect(JSON.stringify(messages)).toContain('It was decided to read one file after the other')
      expect(report.usage?.calls).toBe(1)
    })

    test('gives way to the digest where no answer comes in time, and says so', {
      tags: 'slow',
    }, async () => {
      const { outcome, report } = await compressWith((url) => create(url, { timeoutMs: 300 }), {
        connection: 'hang',
      })
      expect(outcome.type).toBe('compressed')
      expect(JSON.stringify(report)).toContain('no answer within 0.3 s')
    })

    test('is ended by a signal', async () => {
      const controller = new AbortController()
      const compression = compressWith(create, { connection: 'hang' }, controller.signal)
      const rejected = expect(compression).rejects.toThrow('enough')
      await expect.poll(() => upstream?.requests.length).toBe(1)
      controller.abort(new Error('enough'))
      await rejected
    })
  },
)

test('prompt and answer together stay within a small window', async () => {
  upstream = await startFakeUpstream(() => ({ text: `<summary>${WRITTEN}</summary>` }))
  const model = createOpenAI({ apiKey: 'none', baseURL: `${upstream.url}/v1` }).chat('local')
  const contextWindowTokens = 8_000
  const summarizer = aiSdk.createSummarizer(model, { contextWindowTokens })
  await compress(history, { model: 'gpt-5', budgetTokens: 4_000, summarizer })
  expect(upstream.requests.length).toBeGreaterThan(0)
  for (const { raw, tokens } of upstream.requests)
    expect(tokens + JSON.parse(raw).max_tokens).toBeLessThanOrEqual(contextWindowTokens)
})

test('a model that does not end when it is told to is not waited for', async () => {
  const model = { model: 'deaf', invoke: () => new Promise<never>(() => undefined) }
  const summarizer = langchain.createChatModelSummarizer(model, { timeoutMs: 50 })
  const { report } = await compress(history, { model: 'gpt-5', budgetTokens: 4_000, summarizer })
  expect(JSON.stringify(report)).toContain('no answer within 0.1 s')
})

test('a time that cannot be is refused', () => {
  const model = { model: 'any', invoke: () => Promise.resolve({}) }
  expect(() => langchain.createChatModelSummarizer(model, { timeoutMs: 0 })).toThrow(RangeError)
})

describe('a summarizer by the compaction of Anthropic', () => {
  const SYSTEM = [
    { type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } },
  ] as const
  const tools = [{ name: 'read', input_schema: { type: 'object' } }]
  const shared = { model: 'claude-opus-4-8', max_tokens: 32_000, system: SYSTEM, tools }
  const marked = history.map((message, at) =>
    at < history.length - 1
      ? message
      : {
          role: message.role,
          content: [{ type: 'text', text: message.content, cache_control: { type: 'ephemeral' } }],
        },
  )
  const messages = [...marked, { role: 'user', content: 'Go on.' }]

  async function compact(answer: FakeAnswer, list: object[] = messages) {
    upstream = await startFakeUpstream(() => answer)
    const client = new Anthropic({ apiKey: 'none', baseURL: upstream.url })
    const summarizer = createCompactionSummarizer(client, shared)
    const options = { model: 'claude-opus-4-8', budgetTokens: 4_000, summarizer } as const
    const result = await compress(list, { ...options, format: 'anthropic-messages' })
    return { ...result, sent: JSON.parse(upstream.requests[0]?.raw ?? '{}'), upstream }
  }

  test('sends the conversation as its host does, so that it is read from the cache', async () => {
    const { sent, upstream } = await compact({ text: `<summary>${WRITTEN}</summary>` })
    expect(sent.messages).toEqual(messages)
    expect(sent.system).toEqual(SYSTEM)
    expect(sent.tools).toEqual(tools)
    expect(sent.max_tokens).toBe(32_000)
    expect(sent.compaction.type).toBe('summarize')
    expect(sent.compaction.instructions.length).toBeLessThan(16_384)
    expect(upstream.requests[0]?.headers['anthropic-beta']).toBe('compact-2026-09-04')
  })

  test('works in a live context, where its mark reads the cache', async () => {
    upstream = await startFakeUpstream(() => ({ text: `<summary>${WRITTEN}</summary>` }))
    const client = new Anthropic({ apiKey: 'none', baseURL: upstream.url })
    const summarizer = createCompactionSummarizer(client, { model: 'claude-opus-4-8' })
    const context = createContext({ model: 'claude-opus-4-8', summarizer })
    for (const [at, { content }] of history.entries())
      context.append({ role: at % 2 === 0 ? 'user' : 'assistant', content })
    context.append({ role: 'user', content: 'Go on.' })
    const { outcome } = await context.compress()
    expect(outcome.type).toBe('compressed')
    const sent = JSON.parse(upstream.requests[0]?.raw ?? '{}')
    expect(sent.messages).toEqual([...history, { role: 'user', content: 'Go on.' }])
    expect(sent.cache_control).toEqual({ type: 'ephemeral' })
    expect(JSON.stringify(context.messages)).toContain('It was decided to read one file')
  })

  test('asks for less than the tool call that has no result yet', async () => {
    const call = { type: 'tool_use', id: 'toolu_1', name: 'read', input: {} }
    const open = [...messages, { role: 'assistant', content: [call] }]
    const { sent } = await compact({ text: `<summary>${WRITTEN}</summary>` }, open)
    expect(sent.messages.at(-1).role).toBe('user')
  })

  test('gives way to the digest where the server made no summary, and tells what it cost', async () => {
    const { outcome, report } = await compact({ stop: 'refusal' })
    expect(outcome.type).toBe('compressed')
    expect(JSON.stringify(report)).toContain('its answer was empty')
    expect(report.usage?.inputTokens).toBeGreaterThan(1_000)
  })

  test('leaves conversations of other providers to the digest', async () => {
    upstream = await startFakeUpstream()
    const client = new Anthropic({ apiKey: 'none', baseURL: upstream.url })
    const summarizer = createCompactionSummarizer(client, shared)
    const { outcome } = await compress(history, { model: 'gpt-5', budgetTokens: 4_000, summarizer })
    expect(outcome.type).toBe('compressed')
    expect(upstream.requests).toEqual([])
  })

  test('is refused without a client that can', () => {
    expect(() => createCompactionSummarizer({ beta: {} }, shared)).toThrow('beta.messages.create')
  })
})
