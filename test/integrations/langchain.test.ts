import { MemorySaver } from '@langchain/langgraph'
import { ChatOpenAI } from '@langchain/openai'
import {
  BaseMessage,
  createAgent,
  createMiddleware,
  HumanMessage,
  MiddlewareError,
  ToolMessage,
  tool,
} from 'langchain'
import { afterEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { WrapOptions } from '../../packages/core/src/integrations/followed-calls.ts'
import { precisAgentMiddleware } from '../../packages/core/src/integrations/langchain.ts'
import type { FakeModel } from '../fake-upstream/fake-model.ts'
import { measureSharedPrefix } from '../fake-upstream/shared-prefix.ts'
import { type FakeUpstream, startFakeUpstream } from '../fake-upstream/start-fake-upstream.ts'
import { testExample } from './example.suite.ts'
import {
  type Host,
  INSTRUCTION,
  readFakeFile,
  readFiles,
  SYSTEM,
  testWrappedClient,
} from './wrapped-client.suite.ts'

const MODEL = 'gpt-5'

/** A host as users write one: an agent, and the messages of its state. */
function open(url: string, options: WrapOptions | undefined, useResponsesApi: boolean): Host {
  const middleware = options ? [precisAgentMiddleware(options)] : []
  const create = (): Host => {
    let messages: BaseMessage[] = []
    return {
      async ask(text, { isStream = false, signal, runTool } = {}) {
        const model = new ChatOpenAI({
          model: MODEL,
          apiKey: 'none',
          maxRetries: 0,
          useResponsesApi,
          configuration: { baseURL: `${url}/v1` },
        })
        const readFile = tool(({ path }) => runTool?.('read_file', { path }) ?? '', {
          name: 'read_file',
          description: 'Reads a file.',
          schema: z.object({ path: z.string() }),
        })
        const agent = createAgent({ model, tools: [readFile], systemPrompt: SYSTEM, middleware })
        const input = { messages: [...messages, new HumanMessage(text)] }
        const config = { recursionLimit: 2000, ...(signal && { signal }) }
        messages = await (isStream
          ? stream(agent, input, config)
          : invoke(agent, input, config)
        ).catch(unwrap)
        return messages.at(-1)?.text ?? ''
      },
      fork: create,
    }
  }
  return create()
}

type Agent = ReturnType<typeof createAgent>
type Input = { readonly messages: BaseMessage[] }

async function invoke(agent: Agent, input: Input, config: object): Promise<BaseMessage[]> {
  return (await agent.invoke(input, config)).messages
}

async function stream(agent: Agent, input: Input, config: object): Promise<BaseMessage[]> {
  let messages: BaseMessage[] = []
  const modes: ['values', 'messages'] = ['values', 'messages']
  for await (const [mode, chunk] of await agent.stream(input, { ...config, streamMode: modes })) {
    if (mode === 'values') messages = chunk.messages
  }
  return messages
}

/** LangChain wraps every error that passes a middleware, whatever the middleware does. */
function unwrap(error: unknown): never {
  throw MiddlewareError.isInstance(error) ? error.cause : error
}

testWrappedClient({
  name: 'an agent of langchain with ChatOpenAI',
  format: 'openai-chat',
  open: (url, options) => open(url, options, false),
  abortError: /abort/i,
})

testWrappedClient({
  name: 'an agent of langchain with ChatOpenAI and the Responses API',
  isSecond: true,
  format: 'openai-responses',
  open: (url, options) => open(url, options, true),
  abortError: /abort/i,
  // LangChain reads no `response.failed`.
  hidesOverflowInStreams: true,
})

describe('precisAgentMiddleware', () => {
  let upstream: FakeUpstream | undefined
  afterEach(() => upstream?.close())
  const connect = async (model: FakeModel) => {
    upstream = await startFakeUpstream(model)
    const { url, requests } = upstream
    const configuration = { baseURL: `${url}/v1` }
    return {
      model: new ChatOpenAI({ model: MODEL, apiKey: 'none', maxRetries: 0, configuration }),
      requests,
    }
  }
  const createReader = () => {
    let read = 0
    return tool(() => readFakeFile(++read), {
      name: 'read_file',
      schema: z.object({ path: z.string() }),
    })
  }

  test('leaves the state its whole history, and gives the middleware behind it messages of LangChain', {
    tags: 'slow',
  }, async () => {
    const { model, requests } = await connect(readFiles(60))
    const seen: unknown[] = []
    const watch = createMiddleware({
      name: 'Watch',
      wrapModelCall: (request, handler) => {
        seen.push(...request.messages)
        return handler(request)
      },
    })
    const middleware = [precisAgentMiddleware({ windowTokens: 16_000 }), watch]
    const agent = createAgent({ model, tools: [createReader()], middleware })
    const { messages } = await agent.invoke(
      { messages: [new HumanMessage(INSTRUCTION)] },
      { recursionLimit: 1000 },
    )
    expect(messages).toHaveLength(122)
    const results = messages.filter((message) => ToolMessage.isInstance(message))
    expect(results.map(({ content }) => content)).toEqual(
      results.map((_, index) => readFakeFile(index + 1)),
    )
    expect(requests.at(-1)?.raw.length).toBeLessThan(
      JSON.stringify(messages.map(({ content }) => content)).length / 2,
    )
    expect(seen.every((message) => BaseMessage.isInstance(message))).toBe(true)
  })

  test('goes on with what a checkpointer gives back', { tags: 'slow' }, async () => {
    const { model, requests } = await connect((_, number) =>
      number % 10 === 0
        ? { text: 'FINISHED' }
        : { toolCalls: [{ name: 'read_file', input: { path: `${number}.ts` } }] },
    )
    const compressions: unknown[] = []
    const on = { 'compression-applied': (event: unknown) => compressions.push(event) }
    const agent = createAgent({
      model,
      tools: [createReader()],
      checkpointer: new MemorySaver(),
      middleware: [precisAgentMiddleware({ windowTokens: 16_000, on })],
    })
    for (let turn = 0; turn < 12; turn++) {
      const input = { messages: [new HumanMessage(`${INSTRUCTION} This is turn ${turn}.`)] }
      await agent.invoke(input, { configurable: { thread_id: 'a' }, recursionLimit: 100 })
    }
    expect(requests).toHaveLength(120)
    expect(Math.max(...requests.map(({ tokens }) => tokens))).toBeLessThan(16_000)
    const breaks = requests.filter(({ raw }, index) => {
      const before = requests[index - 1]?.raw ?? ''
      return measureSharedPrefix(before, raw) < before.length / 2
    })
    expect(compressions.length).toBeGreaterThan(2)
    expect(breaks.length).toBeLessThanOrEqual(compressions.length)
  })

  test('lets the words of the model through as they come', async () => {
    const text = 'a rather long answer in several pieces, which come one after the other'
    const { model } = await connect(() => ({ text, pauseMs: 30 }))
    const agent = createAgent({
      model,
      tools: [],
      middleware: [precisAgentMiddleware({ windowTokens: 16_000 })],
    })
    const open: (number | undefined)[] = []
    let said = ''
    const input = { messages: [new HumanMessage('hello')] }
    for await (const [chunk] of await agent.stream(input, { streamMode: 'messages' })) {
      said += chunk.text
      if (chunk.text) open.push(upstream?.openRequests)
    }
    expect(said).toBe(text)
    expect(open.length).toBeGreaterThan(2)
    expect(open.slice(0, -1).every((count) => count === 1)).toBe(true)
  })

  test('takes the name of a model that has none which says anything', {
    tags: 'slow',
  }, async () => {
    const { model, requests } = await connect(readFiles(60))
    model.model = 'deployment-7'
    const models: string[] = []
    const perRequest = ({ model: name }: { readonly model: string }) => void models.push(name)
    const middleware = [precisAgentMiddleware({ windowTokens: 16_000, model: MODEL, perRequest })]
    const agent = createAgent({ model, tools: [createReader()], middleware })
    await agent.invoke({ messages: [new HumanMessage(INSTRUCTION)] }, { recursionLimit: 1000 })
    expect(new Set(models)).toEqual(new Set([MODEL]))
    expect(Math.max(...requests.map(({ tokens }) => tokens))).toBeLessThan(16_000)
  })
})

testExample('langchain', (url) => ({ OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: 'none' }))
