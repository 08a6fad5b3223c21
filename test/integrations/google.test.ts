import { type Content, GoogleGenAI, Type } from '@google/genai'
import { afterEach, describe, expect, test } from 'vitest'
import type { WrapOptions } from '../../packages/core/src/integrations/followed-calls.ts'
import { wrapGoogle } from '../../packages/core/src/integrations/google.ts'
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

const MODEL = 'gemini-2.5-pro'
const declaration = {
  name: 'read_file',
  parameters: {
    type: Type.OBJECT,
    properties: { path: { type: Type.STRING } },
    required: ['path'],
  },
}

function connect(url: string, options: WrapOptions | undefined): GoogleGenAI {
  const client = new GoogleGenAI({ apiKey: 'none', httpOptions: { baseUrl: url } })
  return options ? wrapGoogle(client, options) : client
}

function openModels(client: GoogleGenAI): Host {
  const contents: Content[] = []
  const generate = async ({ isStream = false, signal }: AskOptions): Promise<Content> => {
    const config = {
      systemInstruction: SYSTEM,
      tools: [{ functionDeclarations: [declaration] }],
      ...(signal && { abortSignal: signal }),
    }
    if (!isStream) {
      const { candidates } = await client.models.generateContent({ model: MODEL, contents, config })
      return candidates?.[0]?.content ?? { role: 'model', parts: [] }
    }
    const parts: Content['parts'] = []
    for await (const { candidates } of await client.models.generateContentStream({
      model: MODEL,
      contents,
      config,
    })) {
      parts.push(...(candidates?.[0]?.content?.parts ?? []))
    }
    return { role: 'model', parts }
  }
  return {
    async ask(text, options = {}) {
      contents.push({ role: 'user', parts: [{ text }] })
      for (;;) {
        const content = await generate(options)
        contents.push(content)
        const calls = content.parts?.flatMap(({ functionCall }) => functionCall ?? []) ?? []
        if (calls.length === 0) return content.parts?.map((part) => part.text ?? '').join('') ?? ''
        const parts = calls.map(({ name = '', args }) => ({
          functionResponse: { name, response: { output: options.runTool?.(name, args) ?? '' } },
        }))
        contents.push({ role: 'user', parts })
      }
    },
    fork: () => openModels(client),
  }
}

testWrappedClient({
  name: 'models of @google/genai',
  format: 'gemini-contents',
  open: (url, options) => openModels(connect(url, options)),
  abortError: /abort/,
})

testExample('google', (url) => ({ GOOGLE_GEMINI_BASE_URL: url, GEMINI_API_KEY: 'none' }))

describe('wrapGoogle', () => {
  let upstream: FakeUpstream | undefined
  afterEach(() => upstream?.close())
  const start = async (...given: Parameters<typeof startFakeUpstream>) => {
    upstream = await startFakeUpstream(...given)
    return { upstream, client: connect(upstream.url, { windowTokens: 16_000 }) }
  }
  const longList = (count: number): Content[] =>
    Array.from({ length: count }, (_, index): Content[] => [
      { role: 'user', parts: [{ text: `Question ${index}: ${readFakeFile(index)}` }] },
      { role: 'model', parts: [{ text: `Answer ${index}` }] },
    ]).flat()
  const ask: Content = { role: 'user', parts: [{ text: INSTRUCTION }] }

  test('gives a GoogleGenAI and leaves the given one as it is', { tags: 'slow' }, async () => {
    const { upstream } = await start()
    const given = connect(upstream.url, undefined)
    const wrapped = wrapGoogle(given, { windowTokens: 16_000 })
    expect(wrapped).toBeInstanceOf(GoogleGenAI)
    const request = { model: MODEL, contents: [...longList(60), ask] }
    await given.models.generateContent(request)
    const { text } = await wrapped.models.generateContent(request)
    expect(text).toBe('FAKE-REPLY-OK')
    const [bare = 0, compressed = 0] = upstream.requests.map(({ raw }) => raw.length)
    expect(compressed).toBeLessThan(bare / 2)
  })

  // As tracing libraries do: they change every method, or put one of their own.
  const observe = <T extends object>(inner: T, seen: string[]): T =>
    new Proxy(inner, {
      get(target, key) {
        const value: unknown = Reflect.get(target, key)
        if (typeof value === 'function') {
          return (...args: unknown[]) => {
            seen.push(String(key))
            return value.apply(target, args)
          }
        }
        return typeof value === 'object' && value !== null ? observe(value, seen) : value
      },
    })
  const patch = (client: GoogleGenAI, seen: string[]): GoogleGenAI => {
    const { models } = client
    for (const name of ['generateContent', 'generateContentStream'] as const) {
      const method = models[name]
      const traced = (params: never) => {
        seen.push(name)
        return method(params)
      }
      Object.assign(models, { [name]: traced })
    }
    return client
  }
  type Trace = (client: GoogleGenAI, seen: string[]) => GoogleGenAI
  test.each<[string, Trace]>([
    ['a proxy inside', (client, seen) => wrapGoogle(observe(client, seen))],
    ['a proxy outside', (client, seen) => observe(wrapGoogle(client), seen)],
    ['methods of its own', (client, seen) => wrapGoogle(patch(client, seen))],
  ])(
    'fits the window of a client with %s, which still sees every call',
    { tags: 'slow' },
    async (_, wrap) => {
      const { upstream } = await start()
      const seen: string[] = []
      const client = wrap(connect(upstream.url, undefined), seen)
      const request = { model: 'gemini-1.0-pro', contents: [...longList(150), ask] }
      const { text } = await client.models.generateContent(request)
      for await (const _ of await client.models.generateContentStream(request));
      await client.chats.create({ model: 'gemini-1.0-pro' }).sendMessage({ message: 'Hello' })
      expect(text).toBe('FAKE-REPLY-OK')
      expect(seen.filter((name) => name === 'generateContent').length).toBeGreaterThan(0)
      expect(seen).toContain('generateContentStream')
      expect(upstream.requests).toHaveLength(3)
      for (const { raw } of upstream.requests.slice(0, 2))
        expect(raw).toContain('conversation-summary')
    },
  )

  test('follows chats, which keep their own history', { tags: 'slow' }, async () => {
    const { client, upstream } = await start(() => ({ text: readFakeFile(1) }))
    const chat = client.chats.create({ model: MODEL, history: [] })
    for (let turn = 1; turn <= 24; turn++) {
      const text = `${turn}: ${readFakeFile(turn)}`
      if (turn % 2 === 0) await chat.sendMessage({ message: text })
      else for await (const _ of await chat.sendMessageStream({ message: text }));
    }
    expect(chat.getHistory().filter(({ role }) => role === 'user')).toHaveLength(24)
    expect(upstream.requests).toHaveLength(24)
    expect(Math.max(...upstream.requests.map(({ tokens }) => tokens))).toBeLessThan(16_000)
  })

  test('follows the function calls that the client runs by itself', { tags: 'slow' }, async () => {
    const { client, upstream } = await start((_, number) =>
      number < 60
        ? { toolCalls: [{ name: 'read_file', input: { path: `${number}.ts` } }] }
        : { text: 'FINISHED' },
    )
    let read = 0
    const tool = {
      tool: async () => ({ functionDeclarations: [declaration] }),
      callTool: async () => [
        { functionResponse: { name: 'read_file', response: { output: readFakeFile(++read) } } },
      ],
    }
    const { text } = await client.models.generateContent({
      model: MODEL,
      contents: [ask],
      config: { tools: [tool], automaticFunctionCalling: { maximumRemoteCalls: 100 } },
    })
    expect(text).toBe('FINISHED')
    expect(upstream.requests).toHaveLength(60)
    expect(Math.max(...upstream.requests.map(({ tokens }) => tokens))).toBeLessThan(16_000)
  })

  test('passes on contents that are no list of messages, and counts tokens of what it was given', async () => {
    const { client, upstream } = await start()
    await client.models.generateContent({ model: MODEL, contents: 'hello' })
    await client.models.countTokens({ model: MODEL, contents: [...longList(60), ask] })
    const [text, counted] = upstream.requests
    expect(JSON.parse(text?.raw ?? '').contents).toEqual([
      { role: 'user', parts: [{ text: 'hello' }] },
    ])
    expect(counted?.tokens).toBeGreaterThan(16_000)
  })
})
