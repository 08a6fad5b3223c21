import Anthropic from '@anthropic-ai/sdk'
import { GoogleGenAI } from '@google/genai'
import OpenAI, { APIPromise, AzureOpenAI } from 'openai'
import { zodResponseFormat } from 'openai/helpers/zod'
import { Stream } from 'openai/streaming'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { wrapAnthropic } from '../../packages/core/src/integrations/anthropic.ts'
import type { WrapOptions } from '../../packages/core/src/integrations/followed-calls.ts'
import { wrapGoogle } from '../../packages/core/src/integrations/google.ts'
import { wrapOpenAI } from '../../packages/core/src/integrations/openai.ts'
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

type ChatMessage = OpenAI.Chat.Completions.ChatCompletionMessageParam
type Item = OpenAI.Responses.ResponseInputItem

const MODEL = 'gpt-5'
const parameters = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] }

function connect(url: string, options: WrapOptions | undefined): OpenAI {
  const client = new OpenAI({ apiKey: 'none', baseURL: `${url}/v1`, maxRetries: 0 })
  return options ? wrapOpenAI(client, options) : client
}

function openChat(client: OpenAI): Host {
  const messages: ChatMessage[] = [{ role: 'system', content: SYSTEM }]
  const tools = [{ type: 'function' as const, function: { name: 'read_file', parameters } }]
  const complete = async ({ isStream = false, signal }: AskOptions) => {
    const request = { model: MODEL, tools, messages }
    if (!isStream) return client.chat.completions.create(request, { signal })
    const stream_options = { include_usage: true }
    return client.chat.completions
      .stream({ ...request, stream_options }, { signal })
      .finalChatCompletion()
  }
  return {
    async ask(text, options = {}) {
      messages.push({ role: 'user', content: text })
      for (;;) {
        const answer = (await complete(options)).choices[0]!.message
        messages.push(answer)
        if (!answer.tool_calls?.length) return answer.content ?? ''
        for (const call of answer.tool_calls) {
          if (call.type !== 'function') continue
          const content =
            options.runTool?.(call.function.name, JSON.parse(call.function.arguments)) ?? ''
          messages.push({ role: 'tool', tool_call_id: call.id, content })
        }
      }
    },
    fork: () => openChat(client),
  }
}

const readText = (part: OpenAI.Responses.ResponseOutputMessage['content'][number]): string =>
  part.type === 'output_text' ? part.text : ''

function openResponses(client: OpenAI): Host {
  const input: Item[] = []
  const tools = [{ type: 'function' as const, name: 'read_file', parameters, strict: false }]
  const respond = async ({ isStream = false, signal }: AskOptions) => {
    const request = { model: MODEL, instructions: SYSTEM, tools, input, store: false }
    if (!isStream) return client.responses.create(request, { signal })
    return client.responses.stream(request, { signal }).finalResponse()
  }
  return {
    async ask(text, options = {}) {
      input.push({ role: 'user', content: text })
      for (;;) {
        const { output } = await respond(options)
        input.push(...(output as Item[]))
        const calls = output.flatMap((item) => (item.type === 'function_call' ? [item] : []))
        // Streams of older clients have no `output_text`.
        if (calls.length === 0)
          return output
            .flatMap((item) => (item.type === 'message' ? item.content : []))
            .map(readText)
            .join('')
        for (const call of calls) {
          const result = options.runTool?.(call.name, JSON.parse(call.arguments)) ?? ''
          input.push({ type: 'function_call_output', call_id: call.call_id, output: result })
        }
      }
    },
    fork: () => openResponses(client),
  }
}

testWrappedClient({
  name: 'chat.completions of openai',
  format: 'openai-chat',
  open: (url, options) => openChat(connect(url, options)),
  abortError: /aborted/,
})

testWrappedClient({
  name: 'responses of openai',
  isSecond: true,
  format: 'openai-responses',
  open: (url, options) => openResponses(connect(url, options)),
  abortError: /aborted/,
})

testExample('openai', (url) => ({ OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: 'none' }))

describe('wrapOpenAI', () => {
  let upstream: FakeUpstream | undefined
  afterEach(() => upstream?.close())
  const start = async (...given: Parameters<typeof startFakeUpstream>) => {
    upstream = await startFakeUpstream(...given)
    return { upstream, client: connect(upstream.url, { windowTokens: 16_000 }) }
  }
  const longList = (count: number): ChatMessage[] =>
    Array.from({ length: count }, (_, index): ChatMessage[] => [
      { role: 'user', content: `Question ${index}: ${readFakeFile(index)}` },
      { role: 'assistant', content: `Answer ${index}` },
    ]).flat()

  test('gives an OpenAI client and leaves the given one as it is', { tags: 'slow' }, async () => {
    const { upstream } = await start()
    const given = connect(upstream.url, undefined)
    const wrapped = wrapOpenAI(given, { windowTokens: 16_000 })
    expect(wrapped).toBeInstanceOf(OpenAI)
    expect(wrapped.constructor).toBe(OpenAI)
    expect(wrapped.webhooks).toBe(given.webhooks)
    expect(wrapped.chat.completions).toBe(wrapped.chat.completions)
    const messages: ChatMessage[] = [...longList(60), { role: 'user', content: INSTRUCTION }]
    await given.chat.completions.create({ model: MODEL, messages })
    await wrapped.chat.completions.create({ model: MODEL, messages })
    await wrapped.withOptions({ timeout: 9000 }).chat.completions.create({ model: MODEL, messages })
    const [bare = 0, compressed = 0, derived = 0] = upstream.requests.map(({ raw }) => raw.length)
    expect(compressed).toBeLessThan(bare / 2)
    expect(derived).toBe(compressed)
  })

  test('takes the clients of Azure', { tags: 'slow' }, async () => {
    const { upstream } = await start()
    const azure = new AzureOpenAI({
      apiKey: 'none',
      apiVersion: '2025-01-01',
      endpoint: upstream.url,
      maxRetries: 0,
    })
    const wrapped = wrapOpenAI(azure, { windowTokens: 16_000 })
    expect(wrapped).toBeInstanceOf(AzureOpenAI)
    await wrapped.chat.completions.create({
      model: MODEL,
      messages: [...longList(60), { role: 'user', content: 'So?' }],
    })
    expect(upstream.requests[0]?.url).toBe(
      '/openai/deployments/gpt-5/chat/completions?api-version=2025-01-01',
    )
    expect(upstream.requests[0]?.tokens).toBeLessThan(16_000)
  })

  test('gives an APIPromise with all of its ways to the answer', async () => {
    const { client } = await start()
    const request = { model: MODEL, messages: [{ role: 'user' as const, content: 'hello' }] }
    const call = client.chat.completions.create(request)
    expect(call).toBeInstanceOf(APIPromise)
    const { data, response } = await call.withResponse()
    expect(data.choices[0]?.message.content).toBe('FAKE-REPLY-OK')
    expect(response.status).toBe(200)
    const raw = await client.chat.completions.create(request).asResponse()
    expect(await raw.json()).toMatchObject({ object: 'chat.completion' })
  })

  test('gives streams that can be split, aborted and read elsewhere', async () => {
    const { client } = await start(() => ({
      text: 'a rather long answer in several pieces, one after the other',
    }))
    const request = {
      model: MODEL,
      stream: true as const,
      messages: [{ role: 'user' as const, content: 'hello' }],
    }
    const stream = await client.chat.completions.create(request)
    expect(stream).toBeInstanceOf(Stream)
    const [left, right] = stream.tee()
    const read = async (chunks: AsyncIterable<OpenAI.Chat.Completions.ChatCompletionChunk>) => {
      let text = ''
      for await (const chunk of chunks) text += chunk.choices[0]?.delta.content ?? ''
      return text
    }
    const texts = await Promise.all([read(left), read(right)])
    expect(texts[0]).toBe('a rather long answer in several pieces, one after the other')
    expect(texts[1]).toBe(texts[0])
    const readable = (await client.chat.completions.create(request)).toReadableStream()
    expect(await new Response(readable).text()).toContain('several pieces')
    const left2 = await client.chat.completions.create(request)
    for await (const _ of left2) break
    expect(left2.controller.signal.aborted).toBe(true)
  })

  test('parses answers, and runs tools by itself', { tags: 'slow' }, async () => {
    const { client, upstream } = await start((_, number) =>
      number === 1
        ? { text: '{"answer":42}' }
        : number < 60
          ? { toolCalls: [{ name: 'read_file', input: { path: `src/file-${number}.ts` } }] }
          : { text: 'FINISHED' },
    )
    const schema = z.object({ answer: z.number() })
    const messages: ChatMessage[] = [{ role: 'user', content: INSTRUCTION }]
    const parsed = await client.chat.completions.parse({
      model: MODEL,
      messages,
      response_format: zodResponseFormat(schema, 'answer'),
    })
    expect(parsed.choices[0]?.message.parsed).toEqual({ answer: 42 })
    let read = 0
    const run = client.chat.completions.runTools(
      {
        model: MODEL,
        messages,
        tools: [
          {
            type: 'function',
            function: {
              name: 'read_file',
              description: 'reads',
              function: () => readFakeFile(++read),
              parameters,
            },
          },
        ],
      },
      { maxChatCompletions: 100 },
    )
    expect(await run.finalContent()).toBe('FINISHED')
    expect(Math.max(...upstream.requests.map(({ tokens }) => tokens))).toBeLessThan(16_000)
  })

  test('passes on what the provider remembers by itself', async () => {
    const { client, upstream } = await start()
    const input: Item[] = Array.from({ length: 60 }, (_, index) => ({
      role: 'user',
      content: readFakeFile(index),
    }))
    await client.responses.create({ model: MODEL, input, previous_response_id: 'resp_1' })
    await client.responses.create({ model: MODEL, input: readFakeFile(1) })
    expect(JSON.parse(upstream.requests[0]?.raw ?? '').input).toEqual(input)
    expect(JSON.parse(upstream.requests[1]?.raw ?? '').input).toBe(readFakeFile(1))
  })

  test('goes on from the compression when the host takes back its last messages', {
    tags: 'slow',
  }, async () => {
    const { client, upstream } = await start()
    const messages: ChatMessage[] = [...longList(60), { role: 'user', content: 'First try' }]
    await client.chat.completions.create({ model: MODEL, messages })
    const retried: ChatMessage[] = [
      ...messages.slice(0, -1),
      { role: 'user', content: 'Second try' },
    ]
    await client.chat.completions.create({ model: MODEL, messages: retried })
    const [first = '', second = ''] = upstream.requests.map(({ raw }) => raw)
    expect(second.replace('Second try', 'First try')).toBe(first)
  })
})

describe('a client that is none of the package, or one that was wrapped before', () => {
  const openai = new OpenAI({ apiKey: 'none' })
  const anthropic = new Anthropic({ apiKey: 'none' })
  const google = new GoogleGenAI({ apiKey: 'none' })
  type Wrap = (client: unknown) => unknown

  test.each([
    ['wrapOpenAI', wrapOpenAI as Wrap, anthropic, 'wrapAnthropic of @precis/core/anthropic'],
    ['wrapOpenAI', wrapOpenAI as Wrap, google, 'wrapGoogle of @precis/core/google'],
    ['wrapAnthropic', wrapAnthropic as Wrap, openai, 'wrapOpenAI of @precis/core/openai'],
    ['wrapGoogle', wrapGoogle as Wrap, openai, 'wrapOpenAI of @precis/core/openai'],
    ['wrapOpenAI', wrapOpenAI as Wrap, OpenAI, 'such as new OpenAI()'],
    ['wrapAnthropic', wrapAnthropic as Wrap, undefined, 'found undefined'],
    ['wrapGoogle', wrapGoogle as Wrap, null, 'found null'],
  ])('%s refuses another at once and says which wrapper is right', (name, wrap, client, told) => {
    expect(() => wrap(client)).toThrow(TypeError)
    expect(() => wrap(client)).toThrow(`Wrapping a client with ${name}`)
    expect(() => wrap(client)).toThrow(told)
  })

  // As tracing libraries do: every method of a proxy is bound to what it stands for.
  const observe = <T extends object>(inner: T): T =>
    new Proxy(inner, {
      get(target, key) {
        const value: unknown = Reflect.get(target, key)
        if (typeof value === 'function') return (...args: unknown[]) => value.apply(target, args)
        return typeof value === 'object' && value !== null ? observe(value) : value
      },
    })
  const patch = (client: OpenAI) => {
    const { completions } = client.chat
    const create = completions.create.bind(completions)
    return Object.assign(client, {
      chat: Object.assign(client.chat, { completions: Object.assign(completions, { create }) }),
    })
  }
  // Without the methods of its class, as a spread leaves it.
  const spread = (client: OpenAI): object =>
    Object.assign({}, client, {
      chat: Object.assign({}, client.chat, { completions: observe(client.chat.completions) }),
    })
  const options = { windowTokens: 16_000 }

  test.each<[string, (client: OpenAI) => OpenAI]>([
    ['a proxy inside', (client) => wrapOpenAI(observe(client), options)],
    ['a proxy outside', (client) => observe(wrapOpenAI(client, options))],
    ['a method of its own', (client) => wrapOpenAI(patch(client), options)],
    ['a copy', (client) => wrapOpenAI(spread(client) as OpenAI, options)],
    ['precis itself', (client) => wrapOpenAI(wrapOpenAI(client, options), options)],
  ])('fits the window with %s', { tags: 'slow' }, async (_, wrap) => {
    const upstream = await startFakeUpstream()
    const client = wrap(
      new OpenAI({ apiKey: 'none', baseURL: `${upstream.url}/v1`, maxRetries: 0 }),
    )
    const messages: ChatMessage[] = [
      ...Array.from({ length: 60 }, (_, index): ChatMessage[] => [
        { role: 'user', content: `Read file ${index}` },
        { role: 'assistant', content: readFakeFile(index) },
      ]).flat(),
      { role: 'user', content: 'And now?' },
    ]
    const request = { model: MODEL, messages }
    const said = await client.chat.completions.create(request)
    const streamed = await client.chat.completions.stream(request).finalChatCompletion()
    const parsed = await client.chat.completions.parse(request)
    await upstream.close()
    const answers = [said, streamed, parsed].map(({ choices }) => choices[0]?.message.content)
    expect(answers).toEqual(['FAKE-REPLY-OK', 'FAKE-REPLY-OK', 'FAKE-REPLY-OK'])
    expect(upstream.requests).toHaveLength(3)
    for (const { tokens, raw } of upstream.requests) {
      expect(tokens).toBeLessThan(16_000)
      expect(raw).toContain('conversation-summary')
    }
  })

  test('a call whose messages cannot be read is sent as it is, and told', async () => {
    const upstream = await startFakeUpstream()
    const problems: string[] = []
    const client = connect(upstream.url, { onProblem: (problem) => problems.push(String(problem)) })
    const unreadable: unknown = { model: MODEL, messages: [1, 2] }
    await client.chat.completions
      .create(unreadable as OpenAI.ChatCompletionCreateParamsNonStreaming)
      .catch(() => {})
    await upstream.close()
    expect(problems).toEqual([expect.stringMatching(/its messages is a list of other things/)])
  })

  test('a message that contains itself ends in the error of the client', async () => {
    const upstream = await startFakeUpstream()
    const loop: { role: 'user'; content: string; self?: unknown } = {
      role: 'user',
      content: 'hello',
    }
    loop.self = loop
    const send = (client: OpenAI) =>
      client.chat.completions.create({ model: MODEL, messages: [loop] }).catch(String)
    const own = await send(connect(upstream.url, undefined))
    const followed = await send(connect(upstream.url, { onProblem: () => {} }))
    await upstream.close()
    expect(own).toMatch(/^TypeError/)
    expect(followed).toBe(own)
  })

  test('the console is told of a problem once, where nobody else is', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
    const upstream = await startFakeUpstream()
    const settings = {
      get windowTokens(): number {
        throw new Error('the settings are broken')
      },
    }
    for (let time = 0; time < 2; time++) {
      const client = new OpenAI({ apiKey: 'none', baseURL: `${upstream.url}/v1` })
      const wrapped = wrapOpenAI(client, { perRequest: () => settings })
      for (let request = 0; request < 3; request++) {
        await wrapped.chat.completions.create({
          model: MODEL,
          messages: [{ role: 'user', content: 'hello' }],
        })
      }
    }
    await upstream.close()
    expect(upstream.requests).toHaveLength(6)
    expect(warn.mock.calls).toEqual([[expect.stringMatching(/the settings are broken.*onProblem/)]])
    warn.mockRestore()
  })
})
