import Anthropic from '@anthropic-ai/sdk'
import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema'
import { afterEach, describe, expect, test } from 'vitest'
import { wrapAnthropic } from '../../packages/core/src/integrations/anthropic.ts'
import type { WrapOptions } from '../../packages/core/src/integrations/followed-calls.ts'
import { type FakeUpstream, startFakeUpstream } from '../fake-upstream/start-fake-upstream.ts'
import { testExample } from './example.suite.ts'
import {
  type AskOptions,
  type Host,
  INSTRUCTION,
  readFakeFile,
  SYSTEM,
  testWrappedClient,
} from './wrapped-client.suite.ts'

type Message = Anthropic.MessageParam

const MODEL = 'claude-opus-4-8'
const inputSchema = {
  type: 'object' as const,
  properties: { path: { type: 'string' as const } },
  required: ['path'],
}

function connect(url: string, options: WrapOptions | undefined): Anthropic {
  const client = new Anthropic({ apiKey: 'none', baseURL: url, maxRetries: 0 })
  return options ? wrapAnthropic(client, options) : client
}

/** With marks of what to cache on the newest message, as agents set them. */
function markNewest(messages: readonly Message[]): Message[] {
  return messages.map((message, index) => {
    if (
      index < messages.length - 1 ||
      message.role !== 'user' ||
      typeof message.content === 'string'
    )
      return message
    const content = message.content.map((block, at) =>
      at === message.content.length - 1
        ? { ...block, cache_control: { type: 'ephemeral' as const } }
        : block,
    )
    return { role: message.role, content }
  })
}

function openMessages(client: Anthropic): Host {
  const messages: Message[] = []
  const tools = [{ name: 'read_file', input_schema: inputSchema }]
  const say = async ({ isStream = false, signal }: AskOptions) => {
    const request = {
      model: MODEL,
      max_tokens: 1024,
      system: SYSTEM,
      tools,
      messages: markNewest(messages),
    }
    if (!isStream) return client.messages.create(request, { signal })
    return client.messages.stream(request, { signal }).finalMessage()
  }
  return {
    async ask(text, options = {}) {
      messages.push({ role: 'user', content: text })
      for (;;) {
        const { content } = await say(options)
        messages.push({ role: 'assistant', content })
        const calls = content.filter((block) => block.type === 'tool_use')
        if (calls.length === 0)
          return content.map((block) => (block.type === 'text' ? block.text : '')).join('')
        const results = calls.map((call) => ({
          type: 'tool_result' as const,
          tool_use_id: call.id,
          content: options.runTool?.(call.name, call.input) ?? '',
        }))
        messages.push({ role: 'user', content: results })
      }
    },
    fork: () => openMessages(client),
  }
}

testWrappedClient({
  name: 'messages of @anthropic-ai/sdk',
  format: 'anthropic-messages',
  open: (url, options) => openMessages(connect(url, options)),
  abortError: /aborted/,
})

testExample('anthropic', (url) => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'none' }))

describe('wrapAnthropic', () => {
  let upstream: FakeUpstream | undefined
  afterEach(() => upstream?.close())
  const start = async (...given: Parameters<typeof startFakeUpstream>) => {
    upstream = await startFakeUpstream(...given)
    return { upstream, client: connect(upstream.url, { windowTokens: 16_000 }) }
  }
  const longList = (count: number): Message[] =>
    Array.from({ length: count }, (_, index): Message[] => [
      { role: 'user', content: `Question ${index}: ${readFakeFile(index)}` },
      { role: 'assistant', content: `Answer ${index}` },
    ]).flat()
  const ask: Message = { role: 'user', content: INSTRUCTION }

  test('gives an Anthropic client and leaves the given one as it is', {
    tags: 'slow',
  }, async () => {
    const { upstream } = await start()
    const given = connect(upstream.url, undefined)
    const wrapped = wrapAnthropic(given, { windowTokens: 16_000 })
    expect(wrapped).toBeInstanceOf(Anthropic)
    const request = { model: MODEL, max_tokens: 1024, messages: [...longList(60), ask] }
    await given.messages.create(request)
    await wrapped.messages.create(request)
    const [bare = 0, compressed = 0] = upstream.requests.map(({ raw }) => raw.length)
    expect(compressed).toBeLessThan(bare / 2)
  })

  test('counts tokens of what it was given', async () => {
    const { client, upstream } = await start()
    const messages = [...longList(60), ask]
    const counted = await client.messages.countTokens({ model: MODEL, messages })
    expect(counted.input_tokens).toBeGreaterThan(16_000)
    expect(JSON.parse(upstream.requests[0]?.raw ?? '').messages).toEqual(messages)
  })

  test('follows the beta, and its runner of tools', { tags: 'slow' }, async () => {
    const { client, upstream } = await start((_, number) =>
      number < 60
        ? { toolCalls: [{ name: 'read_file', input: { path: `src/file-${number}.ts` } }] }
        : { text: 'FINISHED' },
    )
    let read = 0
    const tool = betaTool({
      name: 'read_file',
      description: 'reads',
      inputSchema,
      run: () => readFakeFile(++read),
    })
    const request = {
      model: MODEL,
      max_tokens: 1024,
      tools: [tool],
      messages: [{ role: 'user' as const, content: INSTRUCTION }],
    }
    const answer = await client.beta.messages.toolRunner(request)
    expect(answer.content).toMatchObject([{ type: 'text', text: 'FINISHED' }])
    expect(upstream.requests).toHaveLength(60)
    expect(Math.max(...upstream.requests.map(({ tokens }) => tokens))).toBeLessThan(16_000)
  })
})
