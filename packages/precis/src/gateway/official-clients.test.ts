import Anthropic from '@anthropic-ai/sdk'
import { GoogleGenAI } from '@google/genai'
import OpenAI from 'openai'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { FakeModel } from '../../../../test/fake-upstream/fake-model.ts'
import { startFakeUpstream } from '../../../../test/fake-upstream/start-fake-upstream.ts'
import { openGateway } from './gateway.suite.ts'

const QUESTION = 'What is in café.txt? "quoted" \u2028 😀'
const KEY = 'sk-test'

interface Client {
  readonly title: string
  /** Returns the words of the answer. */
  readonly ask: (url: string, isStream: boolean) => Promise<string>
}

const clients: readonly Client[] = [
  {
    title: 'Anthropic',
    async ask(baseURL, isStream) {
      const client = new Anthropic({ apiKey: KEY, baseURL, maxRetries: 0 })
      const request = {
        model: 'claude-opus-4-8',
        max_tokens: 100,
        messages: [{ role: 'user' as const, content: QUESTION }],
      }
      const { content } = isStream
        ? await client.messages.stream(request).finalMessage()
        : await client.messages.create(request)
      return content.map((block) => (block.type === 'text' ? block.text : '')).join('')
    },
  },
  {
    title: 'OpenAI, Chat Completions',
    async ask(url, isStream) {
      const client = new OpenAI({ apiKey: KEY, baseURL: `${url}/v1`, maxRetries: 0 })
      const request = { model: 'gpt-5.4', messages: [{ role: 'user' as const, content: QUESTION }] }
      if (!isStream)
        return (await client.chat.completions.create(request)).choices[0]?.message.content ?? ''
      let text = ''
      for await (const chunk of await client.chat.completions.create({
        ...request,
        stream: true,
      })) {
        text += chunk.choices[0]?.delta.content ?? ''
      }
      return text
    },
  },
  {
    title: 'OpenAI, Responses',
    async ask(url, isStream) {
      const client = new OpenAI({ apiKey: KEY, baseURL: `${url}/v1`, maxRetries: 0 })
      const request = { model: 'gpt-5.4', input: QUESTION }
      if (!isStream) return (await client.responses.create(request)).output_text
      return (await client.responses.stream(request).finalResponse()).output_text
    },
  },
  {
    title: 'Google',
    async ask(baseUrl, isStream) {
      const { models } = new GoogleGenAI({ apiKey: KEY, httpOptions: { baseUrl } })
      const request = { model: 'gemini-2.5-pro', contents: QUESTION }
      if (!isStream) return (await models.generateContent(request)).text ?? ''
      let text = ''
      for await (const chunk of await models.generateContentStream(request))
        text += chunk.text ?? ''
      return text
    },
  },
]

async function open(model?: FakeModel) {
  const upstream = await startFakeUpstream(model)
  onTestFinished(() => upstream.close())
  return { upstream, gateway: await openGateway(upstream.url) }
}

describe.each(clients)("the provider's own client: $title", ({ ask }) => {
  test.each([false, true])(
    'sends the same and gets the same as without the gateway; streamed: %s',
    async (isStream) => {
      const text = 'A long answer, in pieces: é 😀. '.repeat(20)
      const { upstream, gateway } = await open(() => ({ text }))
      const direct = await ask(upstream.url, isStream)
      const relayed = await ask(gateway.url, isStream)
      expect([direct, relayed]).toEqual([text, text])
      const [first, second] = upstream.requests
      expect(second?.raw).toBe(first?.raw)
      expect(second?.url).toBe(first?.url)
      const { host: _, connection: __, 'x-precis-gateway': ___, ...headers } = second?.headers ?? {}
      const { host: ____, connection: _____, ...expected } = first?.headers ?? {}
      expect(headers).toEqual(expected)
    },
  )

  test('gets errors as the provider writes them', async () => {
    const { upstream, gateway } = await open(() => ({
      status: 400,
      error: { message: 'tools: an odd name' },
    }))
    const read = (url: string) => ask(url, false).then(String, (error: unknown) => String(error))
    expect(await read(gateway.url)).toContain('tools: an odd name')
    expect(await read(gateway.url)).toBe(await read(upstream.url))
  })

  test('is told when a stream breaks off', async () => {
    const { gateway } = await open(() => ({ text: 'never whole '.repeat(50), connection: 'break' }))
    await expect(ask(gateway.url, true)).rejects.toThrow()
  })
})
