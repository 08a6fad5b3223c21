/** Conversations by their keys, over the real clients and frameworks. */
import { createOpenAI } from '@ai-sdk/openai'
import Anthropic from '@anthropic-ai/sdk'
import { GoogleGenAI } from '@google/genai'
import { AIMessage, HumanMessage } from '@langchain/core/messages'
import { ChatOpenAI } from '@langchain/openai'
import { createMemoryStore } from '@precis/core/following'
import { generateText, type ModelMessage, wrapLanguageModel } from 'ai'
import { createAgent } from 'langchain'
import OpenAI from 'openai'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { ContextState } from '../../packages/core/src/context/context.ts'
import type { ConversationHandle } from '../../packages/core/src/following/conversation-handle.ts'
import { precisMiddleware } from '../../packages/core/src/integrations/ai-sdk.ts'
import { wrapAnthropic } from '../../packages/core/src/integrations/anthropic.ts'
import type { WrapOptions } from '../../packages/core/src/integrations/followed-calls.ts'
import { wrapGoogle } from '../../packages/core/src/integrations/google.ts'
import { precisAgentMiddleware } from '../../packages/core/src/integrations/langchain.ts'
import { wrapOpenAI } from '../../packages/core/src/integrations/openai.ts'
import { type FakeUpstream, startFakeUpstream } from '../fake-upstream/start-fake-upstream.ts'

let upstream: FakeUpstream
/** Of a request; 0 is no report. */
let reportedTokens = 0
beforeEach(async () => {
  reportedTokens = 0
  upstream = await startFakeUpstream(() => ({ text: 'Good.' }), {
    countTokens: () => reportedTokens,
  })
})
afterEach(() => upstream.close())

const WINDOW_TOKENS = 4000
const longText = (name: string) =>
  `${name}: ${'the parser reads a line and tells where it stands '.repeat(40)}`

interface Turn {
  readonly role: 'user' | 'assistant'
  readonly text: string
}

/** Sends a whole list, as a client of a server would that is made for this request alone. */
interface Sender {
  send(turns: readonly Turn[], key: string): Promise<unknown>
  readonly conversation: (key: string) => ConversationHandle
}

const toMessages = (turns: readonly Turn[]) =>
  turns.map(({ role, text }) => ({ role, content: text }))

const SENDERS: Readonly<Record<string, (url: string, options: WrapOptions) => Sender>> = {
  'openai chat': (baseURL, options) => {
    const client = wrapOpenAI(new OpenAI({ apiKey: 'none', baseURL: `${baseURL}/v1` }), options)
    return {
      conversation: (key) => client.conversation(key),
      send: (turns, key) =>
        client
          .conversation(key)
          .client.chat.completions.create({ model: 'gpt-5', messages: toMessages(turns) }),
    }
  },
  'openai responses': (baseURL, options) => {
    const client = wrapOpenAI(new OpenAI({ apiKey: 'none', baseURL: `${baseURL}/v1` }), options)
    return {
      conversation: (key) => client.conversation(key),
      send: (turns, key) =>
        client
          .conversation(key)
          .client.responses.create({ model: 'gpt-5', input: toMessages(turns) }),
    }
  },
  anthropic: (baseURL, options) => {
    const client = wrapAnthropic(new Anthropic({ apiKey: 'none', baseURL }), options)
    return {
      conversation: (key) => client.conversation(key),
      send: (turns, key) =>
        client.conversation(key).client.messages.create({
          model: 'claude-opus-4-8',
          max_tokens: 100,
          messages: toMessages(turns),
        }),
    }
  },
  google: (baseUrl, options) => {
    const client = wrapGoogle(
      new GoogleGenAI({ apiKey: 'none', httpOptions: { baseUrl } }),
      options,
    )
    const contents = (turns: readonly Turn[]) =>
      turns.map(({ role, text }) => ({
        role: role === 'user' ? 'user' : 'model',
        parts: [{ text }],
      }))
    return {
      conversation: (key) => client.conversation(key),
      send: (turns, key) =>
        client
          .conversation(key)
          .client.models.generateContent({ model: 'gemini-2.5-pro', contents: contents(turns) }),
    }
  },
  'the AI SDK': (baseURL, options) => {
    const middleware = precisMiddleware(options)
    const provider = createOpenAI({ apiKey: 'none', baseURL: `${baseURL}/v1` })
    const model = wrapLanguageModel({ model: provider.chat('gpt-5'), middleware })
    return {
      conversation: (key) => middleware.conversation(key),
      send: (turns, key) => {
        const messages: ModelMessage[] = toMessages(turns)
        return generateText({ model, messages, providerOptions: { precis: { key } } })
      },
    }
  },
  langchain: (baseURL, options) => {
    const middleware = precisAgentMiddleware(options)
    const model = new ChatOpenAI({
      model: 'gpt-5',
      apiKey: 'none',
      configuration: { baseURL: `${baseURL}/v1` },
    })
    const agent = createAgent({ model, tools: [], middleware: [middleware] })
    return {
      conversation: (key) => middleware.conversation(key),
      send: (turns, key) =>
        agent.invoke(
          {
            messages: turns.map(({ role, text }) =>
              role === 'user' ? new HumanMessage(text) : new AIMessage(text),
            ),
          },
          { configurable: { thread_id: key } },
        ),
    }
  },
}

describe.each(Object.entries(SENDERS))('%s', (_, connect) => {
  const open = (options: WrapOptions = {}) => {
    const applied: string[] = []
    const problems: unknown[] = []
    const sender = connect(upstream.url, {
      windowTokens: WINDOW_TOKENS,
      on: { 'compression-applied': ({ key }) => applied.push(key) },
      onProblem: (problem) => problems.push(problem),
      ...options,
    })
    return { ...sender, applied, problems }
  }
  const readBodies = () => upstream.requests.map(({ raw }) => raw)

  test('many keys over one client, and a client for each request, send what one client for each sends', {
    tags: 'slow',
  }, async () => {
    const store = createMemoryStore()
    const crowded = open({ maxConversations: 2 })
    const users = Array.from({ length: 5 }, (_, index) => ({
      key: `user ${index}`,
      alone: open(),
      turns: [] as Turn[],
    }))
    let fresh = 0
    for (let turn = 0; turn < 10; turn++) {
      for (const { key, alone, turns } of users) {
        turns.push({ role: 'user', text: longText(`${key} says ${turn}`) })
        const stateless = open({ store })
        for (const sender of [alone, crowded, stateless]) await sender.send(turns, key)
        fresh += stateless.applied.length
        const [first, ...others] = readBodies().slice(-3)
        for (const other of others) expect(other).toBe(first)
        turns.push({ role: 'assistant', text: 'Good.' })
        expect([...alone.problems, ...crowded.problems, ...stateless.problems]).toEqual([])
      }
    }
    const expected = users.flatMap(({ alone }) => alone.applied)
    expect(expected.length).toBeGreaterThanOrEqual(5)
    expect(crowded.applied).toHaveLength(expected.length)
    expect(fresh).toBe(expected.length)
  })

  test('a conversation says its state and usage, and is pinned and compressed by its key', async () => {
    reportedTokens = 1500
    const asked: { readonly key: string; readonly state: ContextState | undefined }[] = []
    const sender = open({ perRequest: ({ key, state }) => void asked.push({ key, state }) })
    const conversation = sender.conversation('user 7')
    const turns: Turn[] = Array.from({ length: 4 }, (_, index) => ({
      role: index % 2 === 0 ? 'user' : 'assistant',
      text: longText(`${index}`),
    }))
    turns.push({ role: 'user', text: 'Go on.' })
    await sender.send(turns, 'user 7')
    expect(conversation.state?.tokens).toBeGreaterThan(1000)
    expect(conversation.usage).toMatchObject({ requests: 1, inputTokens: expect.any(Number) })
    await conversation.pin('Deploy on Mondays.')
    expect((await conversation.compress())?.outcome.type).toBe('compressed')
    turns.push({ role: 'assistant', text: 'Good.' }, { role: 'user', text: 'More.' })
    await sender.send(turns, 'user 7')
    await sender.send(turns, 'user 8')
    const [, compressed = '', other = ''] = readBodies()
    expect(compressed).toContain('Deploy on Mondays.')
    expect(compressed.length).toBeLessThan(other.length)
    expect(asked.map(({ key }) => key)).toEqual(['user 7', 'user 7', 'user 8'])
    expect(asked.map(({ state }) => state?.revision)).toEqual([undefined, 1, undefined])
    expect(await conversation.undo()).toBe(true)
    expect(sender.problems).toEqual([])
  })
})

test('a key that the host reads out of its request keeps conversations apart, and stays out of the request', async () => {
  const store = createMemoryStore()
  const client = wrapOpenAI(new OpenAI({ apiKey: 'none', baseURL: `${upstream.url}/v1` }), {
    store,
    onProblem: (problem) => expect.fail(String(problem)),
    windowTokens: WINDOW_TOKENS,
    perRequest: ({ params }) => ({ key: String(params.safety_identifier) }),
  })
  const content = longText('first').repeat(12)
  const messages = [
    { role: 'user' as const, content },
    { role: 'assistant' as const, content: 'Good.' },
    { role: 'user' as const, content: 'Go on.' },
  ]
  await client.chat.completions.create({ model: 'gpt-5', messages, safety_identifier: 'user 7' })
  expect(client.conversation('user 7').state?.revision).toBe(1)
  expect((await store.list('')).every(({ key }) => key.startsWith(JSON.stringify('user 7')))).toBe(
    true,
  )
  expect(Object.keys(JSON.parse(upstream.requests[0]?.raw ?? ''))).toEqual([
    'model',
    'messages',
    'safety_identifier',
  ])
})
