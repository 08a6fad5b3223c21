import { chat, type ModelMessage, maxIterations, toolDefinition } from '@tanstack/ai'
import { createAnthropicChat } from '@tanstack/ai-anthropic'
import { createOpenaiChat, createOpenaiChatCompletions } from '@tanstack/ai-openai'
import { expect, test } from 'vitest'
import type { RequestFormat } from '../../packages/core/src/formats/index.ts'
import {
  type TextAdapter,
  wrapTanStackAI,
} from '../../packages/core/src/integrations/tanstack-ai.ts'
import { startFakeUpstream } from '../fake-upstream/start-fake-upstream.ts'
import { testExample } from './example.suite.ts'
import { type Host, readFakeFile, SYSTEM, testWrappedClient } from './wrapped-client.suite.ts'

const inputSchema = {
  type: 'object' as const,
  properties: { path: { type: 'string' as const } },
  required: ['path'],
}
const readFile = toolDefinition({ name: 'read_file', description: 'Reads a file.', inputSchema })

/** A host as users write one: `chat` with the whole list, and what it answers behind it. */
function open(adapter: ReturnType<typeof createOpenaiChat>): Host {
  let messages: ModelMessage[] = []
  return {
    async ask(text, { signal, runTool } = {}) {
      const abortController = new AbortController()
      signal?.addEventListener('abort', () => abortController.abort(signal.reason))
      if (signal?.aborted) abortController.abort(signal.reason)
      let kept: readonly ModelMessage[] = messages
      const request = {
        adapter,
        messages: [...messages, { role: 'user' as const, content: text }],
        systemPrompts: [SYSTEM],
        tools: [readFile.server((input: unknown) => runTool?.('read_file', input) ?? '')],
        agentLoopStrategy: maxIterations(1000),
        abortController,
        debug: false,
        middleware: [
          {
            onFinish: (context: { readonly messages: readonly ModelMessage[] }) => {
              kept = context.messages
            },
          },
        ],
      }
      let said = ''
      for await (const chunk of chat(request)) {
        if (chunk.type === 'TEXT_MESSAGE_START') said = ''
        if (chunk.type === 'TEXT_MESSAGE_CONTENT') said += chunk.delta
        if (chunk.type === 'RUN_ERROR') throw createError(chunk)
      }
      signal?.throwIfAborted()
      messages = [...kept]
      return said
    },
    fork: () => open(adapter),
  }
}

/** Adapters keep the message of an error and drop its status. */
const createError = ({ message }: { readonly message: string }) =>
  Object.assign(new Error(message), {
    status: /^\d{3}/.exec(message) ? Number(message.slice(0, 3)) : undefined,
  })

const clients: readonly {
  name: string
  format: RequestFormat
  isSecond?: boolean
  create: (url: string) => TextAdapter
}[] = [
  {
    name: 'an adapter of @tanstack/ai-openai',
    format: 'openai-responses',
    create: (url) => createOpenaiChat('gpt-5', 'none', { baseURL: `${url}/v1`, maxRetries: 0 }),
  },
  {
    name: 'a Chat Completions adapter of @tanstack/ai-openai',
    isSecond: true,
    format: 'openai-chat',
    create: (url) =>
      createOpenaiChatCompletions('gpt-5', 'none', { baseURL: `${url}/v1`, maxRetries: 0 }),
  },
  {
    name: 'an adapter of @tanstack/ai-anthropic',
    isSecond: true,
    format: 'anthropic-messages',
    create: (url) =>
      createAnthropicChat('claude-sonnet-4-5', 'none', { baseURL: url, maxRetries: 0 }),
  },
]

for (const { create, ...client } of clients) {
  testWrappedClient({
    ...client,
    open: (url, options) =>
      open((options ? wrapTanStackAI(create(url), options) : create(url)) as never),
    abortError: /abort/i,
  })
}

test('gives an answer by a schema within the window, and leaves the list of the host alone', {
  tags: 'slow',
}, async () => {
  const upstream = await startFakeUpstream(() => ({ text: '{"name":"end"}' }), {
    windowTokens: 16_000,
  })
  try {
    const adapter = wrapTanStackAI(
      createOpenaiChat('gpt-5', 'none', { baseURL: `${upstream.url}/v1`, maxRetries: 0 }),
      { windowTokens: 16_000 },
    )
    const messages = Array.from({ length: 60 }, (_, index) => ({
      role: index % 2 === 0 ? ('user' as const) : ('assistant' as const),
      content: [{ type: 'text' as const, content: readFakeFile(index) }],
    }))
    const before = structuredClone(messages)
    const outputSchema = {
      type: 'object' as const,
      properties: { name: { type: 'string' as const } },
      required: ['name'],
    }
    expect(await chat({ adapter, messages, outputSchema, stream: false })).toEqual({ name: 'end' })
    expect(messages).toEqual(before)
    expect(upstream.requests.map(({ isOverflow }) => isOverflow)).toEqual([false])
  } finally {
    await upstream.close()
  }
})

/** An adapter that adds what it would send to the list. */
const record = (sent: unknown[]) =>
  wrapTanStackAI(
    {
      kind: 'text' as const,
      name: 'fake',
      model: 'gpt-5',
      async *chatStream({
        messages,
      }: {
        readonly model: string
        readonly messages: readonly unknown[]
      }) {
        sent.push(...messages)
        yield { type: 'RUN_FINISHED' }
      },
    },
    { windowTokens: 16_000 },
  )

const picture = { type: 'image', source: { type: 'data', value: 'AAAA', mimeType: 'image/png' } }

test('sends parts that were not changed as they were given', async () => {
  const sent: unknown[] = []
  const long = Array.from({ length: 40 }, (_, index) => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    content: readFakeFile(index),
  }))
  const newest = { role: 'user', content: [picture, { type: 'text', content: 'What is it?' }] }
  const chunks = record(sent).chatStream({ model: 'gpt-5', messages: [...long, newest] })
  for await (const { type } of chunks) expect(type).toBe('RUN_FINISHED')
  expect(sent.length).toBeLessThan(40)
  expect(sent.at(-1)).toBe(newest)
})

test('keeps what is beside a text that was cut', async () => {
  const sent: unknown[] = []
  const beside = [
    { ...picture, metadata: { detail: 'high' } },
    { type: 'image', source: { type: 'url', value: 'https://localhost/a.png' } },
    { type: 'audio', source: { type: 'data', value: 'BBBB', mimeType: 'audio/mp3' } },
    { type: 'hologram', data: 'CCCC' },
  ]
  const path = JSON.stringify({ path: 'a.ts' })
  const call = { id: 'a', type: 'function', function: { name: 'read_file', arguments: path } }
  const text = Array.from({ length: 4000 }, (_, line) => `line ${line} is ${line * 7}`).join('\n')
  const messages = [
    { role: 'user', content: 'Read it.' },
    { role: 'assistant', content: null, toolCalls: [call] },
    { role: 'tool', toolCallId: 'a', content: [{ type: 'text', content: text }, ...beside] },
  ]
  for await (const { type } of record(sent).chatStream({ model: 'gpt-5', messages }))
    expect(type).toBe('RUN_FINISHED')
  const cut = { type: 'text', content: expect.stringMatching(/^.{10,40000}$/s) }
  expect(sent.at(-1)).toEqual({ role: 'tool', toolCallId: 'a', content: [cut, ...beside] })
})

test('a call that the provider ran has its result with it and gets none from precis', async () => {
  const sent: unknown[] = []
  const serve = (id: string) => ({
    id,
    type: 'function',
    function: { name: 'web_search', arguments: '{}' },
    metadata: { providerExecuted: true, anthropic: { result: [{ url: id }] } },
  })
  const messages = Array.from({ length: 40 }, (_, index) => [
    { role: 'user', content: `Request ${index}` },
    { role: 'assistant', content: readFakeFile(index), toolCalls: [serve(`srv_${index}`)] },
  ]).flat()
  const chunks = record(sent).chatStream({
    model: 'gpt-5',
    messages: [...messages, { role: 'user', content: 'And now?' }],
  })
  for await (const { type } of chunks) expect(type).toBe('RUN_FINISHED')
  expect(sent.length).toBeLessThan(messages.length)
  expect(sent).toContainEqual(messages.at(-1))
  expect(sent.filter((message) => Object.hasOwn(Object(message), 'toolCallId'))).toEqual([])
})

test('refuses what is no adapter', () => {
  expect(() => wrapTanStackAI({} as TextAdapter)).toThrow(/a text adapter of TanStack AI/)
})

testExample('tanstack-ai', (url) => ({ OPENAI_API_KEY: 'none', OPENAI_BASE_URL: `${url}/v1` }))
