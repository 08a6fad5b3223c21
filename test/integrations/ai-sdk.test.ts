import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogleGenerativeAI } from '@ai-sdk/google'
import { createOpenAI } from '@ai-sdk/openai'
import { findOverflow } from '@precis/core'
import { checkInvariants } from '@precis/core/conversation/invariants'
import { formats } from '@precis/core/formats'
import {
  extractReasoningMiddleware,
  generateObject,
  generateText,
  jsonSchema,
  type LanguageModel,
  type ModelMessage,
  stepCountIs,
  streamText,
  ToolLoopAgent,
  tool,
  wrapLanguageModel,
} from 'ai'
import { afterEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { RequestFormat } from '../../packages/core/src/formats/index.ts'
import { precisMiddleware, precisPrepareStep } from '../../packages/core/src/integrations/ai-sdk.ts'
import type { WrapOptions } from '../../packages/core/src/integrations/followed-calls.ts'
import { type FakeUpstream, startFakeUpstream } from '../fake-upstream/start-fake-upstream.ts'
import { testExample } from './example.suite.ts'
import {
  type Host,
  INSTRUCTION,
  RUNS,
  readFakeFile,
  readFiles,
  SYSTEM,
  testWrappedClient,
} from './wrapped-client.suite.ts'

type SpecifiedModel = Parameters<typeof wrapLanguageModel>[0]['model']

const inputSchema = jsonSchema<{ path: string }>({
  type: 'object',
  properties: { path: { type: 'string' } },
  required: ['path'],
})

/**
 * A host as users write one: `generateText` or `streamText` with the whole list, and what they
 * answer behind it.
 */
function open(model: LanguageModel): Host {
  const messages: ModelMessage[] = []
  return {
    async ask(text, { isStream = false, signal, runTool } = {}) {
      messages.push({ role: 'user', content: text })
      const execute = (input: object) => runTool?.('read_file', input) ?? ''
      const request = {
        model,
        system: SYSTEM,
        messages,
        tools: { read_file: tool({ inputSchema, execute }) },
        stopWhen: stepCountIs(1000),
        maxRetries: 0,
        ...(signal && { abortSignal: signal }),
      }
      const { said, added } = isStream ? await stream(request) : await generate(request)
      messages.push(...added)
      return said
    },
    fork: () => open(model),
  }
}

type Request = Parameters<typeof generateText>[0]

async function generate(request: Request) {
  const result = await generateText(request).catch(withStatus)
  return { said: result.text, added: await readAdded(result) }
}

async function stream(request: Request) {
  const errors: unknown[] = []
  const result = streamText({
    ...request,
    onError: ({ error }) => void errors.push(error),
  } as Parameters<typeof streamText>[0])
  try {
    await result.consumeStream({ onError: (error) => void errors.push(error) })
    const said = await result.text
    return { said, added: await readAdded(result) }
  } catch (error) {
    return withStatus(errors[0] ?? error)
  }
}

/** Since version 7 a response has the messages of its last step alone. */
async function readAdded(result: {
  readonly response: unknown
  readonly responseMessages?: unknown
}) {
  const response = (await result.response) as { readonly messages: ModelMessage[] }
  return ((await result.responseMessages) as ModelMessage[] | undefined) ?? response.messages
}

/** Other clients call it `status`. */
function withStatus(error: unknown): never {
  throw error instanceof Error
    ? Object.assign(error, { status: Reflect.get(error, 'statusCode') })
    : error
}

const wrap = (model: SpecifiedModel, options: WrapOptions | undefined) =>
  options ? wrapLanguageModel({ model, middleware: precisMiddleware(options) }) : model

const clients: readonly {
  name: string
  format: RequestFormat
  isSecond?: boolean
  create: (url: string) => SpecifiedModel
}[] = [
  {
    name: 'a model of @ai-sdk/anthropic',
    isSecond: true,
    format: 'anthropic-messages',
    create: (url) => createAnthropic({ apiKey: 'none', baseURL: `${url}/v1` })('claude-sonnet-4-5'),
  },
  {
    name: 'a model of @ai-sdk/openai',
    format: 'openai-responses',
    create: (url) => createOpenAI({ apiKey: 'none', baseURL: `${url}/v1` })('gpt-5'),
  },
  {
    name: 'a chat model of @ai-sdk/openai',
    isSecond: true,
    format: 'openai-chat',
    create: (url) => createOpenAI({ apiKey: 'none', baseURL: `${url}/v1` }).chat('gpt-5'),
  },
  {
    name: 'a model of @ai-sdk/google',
    isSecond: true,
    format: 'gemini-contents',
    create: (url) => {
      let calls = 0
      const generateId = () => `id-${++calls}`
      return createGoogleGenerativeAI({ apiKey: 'none', baseURL: `${url}/v1beta`, generateId })(
        'gemini-2.5-pro',
      )
    },
  },
]

for (const { create, ...client } of clients) {
  testWrappedClient({
    ...client,
    open: (url, options) => open(wrap(create(url), options)),
    abortError: /abort/,
  })
}

describe('precisMiddleware', () => {
  let upstream: FakeUpstream | undefined
  afterEach(() => upstream?.close())
  const start = async (...given: Parameters<typeof startFakeUpstream>) => {
    upstream = await startFakeUpstream(...given)
    const { url, requests } = upstream
    const provider = createOpenAI({ apiKey: 'none', baseURL: `${url}/v1` })
    return { provider, requests }
  }
  const text = 'a rather long answer in several pieces, which come one after the other'
  const longPrompt = Array.from(
    { length: 60 },
    (_, index): ModelMessage => ({ role: 'user', content: readFakeFile(index) }),
  )

  test('lets the words of the model through as they come', async () => {
    const { provider } = await start(() => ({ text, pauseMs: 30 }))
    const result = streamText({
      model: wrap(provider.chat('gpt-5'), { windowTokens: 16_000 }),
      prompt: 'hello',
    })
    const open: (number | undefined)[] = []
    let said = ''
    for await (const piece of result.textStream) {
      said += piece
      open.push(upstream?.openRequests)
    }
    expect(said).toBe(text)
    expect(open.length).toBeGreaterThan(2)
    expect(open.every((count) => count === 1)).toBe(true)
  })

  test('ends the request of a stream that is given up', async () => {
    const { provider } = await start(() => ({ text, pauseMs: 300 }))
    const model = wrapLanguageModel({
      model: provider.chat('gpt-5'),
      middleware: precisMiddleware(),
    })
    const { stream } = await model.doStream({
      prompt: [{ role: 'user', content: [{ type: 'text', text: 'hello' }] }],
    })
    const reader = stream.getReader()
    await reader.read()
    const pending = reader.read()
    await reader.cancel()
    expect(await pending).toEqual({ done: true, value: undefined })
    await expect.poll(() => upstream?.openRequests).toBe(0)
  })

  test.each(['chat', 'responses'] as const)(
    'gives the words of the provider where nothing helps (%s)',
    async (api) => {
      const { provider, requests } = await start(undefined, { windowTokens: 10 })
      const errors: unknown[] = []
      const result = streamText({
        model: wrap(provider[api]('gpt-5'), {}),
        messages: longPrompt,
        maxRetries: 0,
        onError: ({ error }) => void errors.push(error),
      })
      await result.consumeStream()
      expect(requests[0]?.isOverflow).toBe(true)
      expect(findOverflow(errors)).toBeDefined()
    },
  )

  test('works for objects, for agents, and beside other middleware', { tags: 'slow' }, async () => {
    const { provider, requests } = await start(({ raw }) =>
      raw.includes('json_schema') ? { text: '{"answer":42}' } : { text: 'FINISHED' },
    )
    const model = wrapLanguageModel({
      model: provider.chat('gpt-5'),
      middleware: [
        precisMiddleware({ windowTokens: 16_000 }),
        extractReasoningMiddleware({ tagName: 'think' }),
      ],
    })
    const { object } = await generateObject({
      model,
      schema: z.object({ answer: z.number() }),
      messages: longPrompt,
    })
    expect(object).toEqual({ answer: 42 })
    const agent = new ToolLoopAgent({ model, instructions: SYSTEM })
    expect((await agent.generate({ messages: longPrompt })).text).toBe('FINISHED')
    expect(Math.max(...requests.map(({ tokens }) => tokens))).toBeLessThan(16_000)
  })

  test('serves any number of models', { tags: 'slow' }, async () => {
    const { provider, requests } = await start()
    const middleware = precisMiddleware({ windowTokens: 16_000 })
    for (const name of ['gpt-5', 'gpt-5-mini']) {
      const model = wrapLanguageModel({ model: provider.chat(name), middleware })
      await generateText({ model, messages: longPrompt })
    }
    expect(requests.map(({ tokens }) => tokens < 16_000)).toEqual([true, true])
  })
})

describe('precisPrepareStep', () => {
  for (const { steps: count, options } of RUNS) {
    test(`keeps an agent of ${count} steps in a window of 16 000 tokens`, options, async () => {
      const upstream = await startFakeUpstream(readFiles(count))
      const problems: unknown[] = []
      let read = 0
      const { text, steps } = await generateText({
        model: createAnthropic({ apiKey: 'none', baseURL: `${upstream.url}/v1` })(
          'claude-sonnet-4-5',
        ),
        system: SYSTEM,
        prompt: INSTRUCTION,
        tools: { read_file: tool({ inputSchema, execute: () => readFakeFile(++read) }) },
        stopWhen: stepCountIs(1000),
        prepareStep: precisPrepareStep({
          windowTokens: 16_000,
          system: SYSTEM,
          onProblem: (problem) => problems.push(problem),
        }),
      })
      await upstream.close()
      expect(text).toContain('FINISHED')
      expect(steps).toHaveLength(count + 1)
      expect(problems).toEqual([])
      for (const { raw, tokens } of upstream.requests) {
        expect(tokens).toBeLessThan(16_000)
        expect(raw).toContain(INSTRUCTION)
        expect(checkInvariants(formats['anthropic-messages'].parse(raw))).toEqual([])
      }
    })
  }

  test('leaves a step alone that fits, and one it cannot read', async () => {
    const problems: unknown[] = []
    const prepareStep = precisPrepareStep({ onProblem: (problem) => problems.push(problem) })
    const steps: object[] = []
    const messages = [{ role: 'user', content: 'hello' }]
    expect(await prepareStep({ model: 'openai/gpt-5', messages, steps })).toBeUndefined()
    expect(problems).toEqual([])
    expect(
      await prepareStep({ model: 'gpt-5', messages: [{ role: 'wizard', content: 'x' }], steps }),
    ).toBeUndefined()
    expect(problems).toHaveLength(1)
  })
})

testExample('ai-sdk', (url) => ({ ANTHROPIC_BASE_URL: `${url}/v1`, ANTHROPIC_API_KEY: 'none' }))
