import { findOverflow } from '@precis/core'
import { afterEach, describe, expect, test } from 'vitest'
import type { FakeModel } from './fake-model.ts'
import {
  type FakeUpstream,
  type FakeUpstreamOptions,
  startFakeUpstream,
} from './start-fake-upstream.ts'

const apis = [
  { name: 'anthropic-messages', path: '/v1/messages', streamPath: '/v1/messages' },
  { name: 'openai-chat', path: '/v1/chat/completions', streamPath: '/v1/chat/completions' },
  { name: 'openai-responses', path: '/v1/responses', streamPath: '/v1/responses' },
  {
    name: 'gemini-contents',
    path: '/v1beta/models/some:generateContent',
    streamPath: '/v1beta/models/some:streamGenerateContent?alt=sse',
  },
]

let upstream: FakeUpstream | undefined
afterEach(() => upstream?.close())

async function start(model?: FakeModel, options?: FakeUpstreamOptions) {
  upstream = await startFakeUpstream(model, options)
  const { url } = upstream
  return {
    upstream,
    post: (path: string, body: object) =>
      fetch(`${url}${path}`, { method: 'POST', body: JSON.stringify(body) }),
  }
}

describe.each(apis)('$name', ({ name, path, streamPath }) => {
  test('says what the script says, with every request recorded byte for byte', async () => {
    const { post, upstream } = await start(({ model, protocol }, number) => ({
      text: `${protocol} ${model} ${number}`,
    }))
    const body = { model: 'some', messages: [{ role: 'user', content: 'naïve “text”' }] }
    const text = await (await post(path, body)).text()
    expect(text).toContain(`${name} some 1`)
    expect(upstream.requests[0]?.raw).toBe(JSON.stringify(body))
  })

  test('streams reasoning, text and calls in pieces', async () => {
    const script = {
      reasoning: 'so it must be',
      text: 'here it is',
      toolCalls: [{ name: 'look', input: { at: 'it' } }],
    }
    const { post } = await start(() => script)
    const response = await post(streamPath, { model: 'some', stream: true })
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    const text = await response.text()
    expect(text.split('\n\n').length).toBeGreaterThan(3)
    for (const words of ['so it must be', 'here it is', '"look"', 'call_1_0']) {
      if (name !== 'gemini-contents' || words !== 'call_1_0') expect(text).toContain(words)
    }
  })

  test('refuses what is too long in words that are known', async () => {
    const { post, upstream } = await start(undefined, { windowTokens: 10 })
    const response = await post(path, { model: 'some', messages: ['x'.repeat(100)] })
    expect(response.status).toBe(400)
    expect(findOverflow(await response.json())).toMatchObject({ of: 'tokens' })
    expect(upstream.requests[0]?.isOverflow).toBe(true)
  })

  test('gives errors of the script', async () => {
    const { post } = await start(() => ({
      status: 529,
      error: { message: 'overloaded', type: 'overloaded_error' },
    }))
    const response = await post(path, { model: 'some' })
    expect(response.status).toBe(529)
    expect(await response.json()).toMatchObject({ error: { message: 'overloaded' } })
  })

  test.each(['reset', 'break'] as const)('ends the connection by %s', async (connection) => {
    const { post } = await start(() => ({ connection }))
    await expect(
      post(path, { model: 'some' }).then((response) => response.text()),
    ).rejects.toThrow()
  })
})

test('tells what a request has in common with one before it', async () => {
  const { post } = await start()
  const messages = ['x'.repeat(8000)]
  await post('/v1/chat/completions', { model: 'some', messages })
  const second = await post('/v1/chat/completions', {
    model: 'some',
    messages: [...messages, 'more'],
  })
  const { usage } = JSON.parse(await second.text())
  expect(usage.prompt_tokens_details.cached_tokens).toBeGreaterThan(1900)
  expect(usage.prompt_tokens_details.cached_tokens).toBeLessThan(usage.prompt_tokens)
})

test('counts tokens without asking the script', async () => {
  let asked = 0
  const { post } = await start(() => {
    asked++
    return {}
  })
  const body = { model: 'some', messages: ['x'.repeat(400)] }
  expect(await (await post('/v1/messages/count_tokens', body)).json()).toMatchObject({
    input_tokens: 108,
  })
  expect(await (await post('/v1beta/models/some:countTokens', body)).json()).toMatchObject({
    totalTokens: 108,
  })
  expect(asked).toBe(0)
})
