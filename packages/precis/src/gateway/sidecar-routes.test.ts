import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTokenCounter, findModel } from '@precis/core'
import { checkInvariants } from '@precis/core/conversation/invariants'
import { formats } from '@precis/core/formats'
import { describe, expect, test } from 'vitest'
import { serve } from './decide.ts'
import { ask, openGateway, startUpstream, type TestGatewayOptions } from './gateway.suite.ts'

const KEY = { 'content-type': 'application/json', authorization: 'Bearer the-key-of-litellm' }
const OTHER = { ...KEY, authorization: 'Bearer another-key' }
const SMALL = [{ role: 'user', content: 'hello' }]
const RULE = 'Never touch the folder generated/.'

/** Steps of an agent with a tool, in either shape. */
function createMessages(shape: 'openai' | 'anthropic', steps: number): object[] {
  const messages: object[] = [{ role: 'user', content: `Mend the tests of the parser. ${RULE}` }]
  for (let step = 0; step < steps; step++) {
    const output = Array.from(
      { length: 60 },
      (_, line) => `src/file${step}.ts:${line}: expected ${step * line}`,
    ).join('\n')
    const id = `call_${step}`
    const input = { path: `src/file${step}.ts` }
    if (shape === 'openai') {
      const call = {
        id,
        type: 'function',
        function: { name: 'read', arguments: JSON.stringify(input) },
      }
      messages.push({ role: 'assistant', content: `Step ${step}.`, tool_calls: [call] })
      messages.push({ role: 'tool', tool_call_id: id, content: output })
    } else {
      const call = { type: 'tool_use', id, name: 'read', input }
      messages.push({ role: 'assistant', content: [{ type: 'text', text: `Step ${step}.` }, call] })
      messages.push({
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: id, content: output }],
      })
    }
  }
  return [
    ...messages,
    { role: 'assistant', content: 'All of them pass.' },
    { role: 'user', content: 'Now the lexer.' },
  ]
}

async function open(options: TestGatewayOptions = {}) {
  const upstream = await startUpstream()
  const database = join(mkdtempSync(join(tmpdir(), 'sidecar-')), 'archive.db')
  const settings = { database, archive: { database, quotaBytes: 1e9 }, saves: false }
  const acts = {
    serve: (request: Parameters<typeof serve>[0]['request']) => serve({ request, settings }),
  }
  const gateway = await openGateway(upstream.url, { database, acts, ...options })
  const compress = async (request: object | string, headers: Record<string, string> = KEY) => {
    const body = typeof request === 'string' ? request : JSON.stringify(request)
    const answer = await ask(`${gateway.url}/v1/compress`, { headers, body })
    return { status: answer.status, ...JSON.parse(answer.body.toString()) }
  }
  const retrieve = async (path: string, headers: Record<string, string> = KEY, body?: object) => {
    const asked = body ? { body: JSON.stringify(body) } : { method: 'GET' }
    const answer = await ask(`${gateway.url}/v1/retrieve${path}`, { headers, ...asked })
    return { status: answer.status, ...JSON.parse(answer.body.toString()) }
  }
  const readAccounts = async () => {
    const answer = await ask(`${gateway.url}/sessions.json`, { method: 'GET', headers: KEY })
    return JSON.parse(answer.body.toString())
  }
  return { upstream, compress, retrieve, readAccounts }
}

const count = (shape: 'openai-chat' | 'anthropic-messages', model: string, messages: object[]) =>
  createTokenCounter(findModel(model)).countConversation(formats[shape].parse({ model, messages }))
    .upper

describe.each([
  ['openai', 'openai-chat', 'gpt-5'],
  ['anthropic', 'anthropic-messages', 'claude-sonnet-4-5'],
] as const)('messages in the shape of %s', (shape, format, model) => {
  const messages = createMessages(shape, 24)

  test('fit the budget, as their provider takes them, with the newest request and what holds for all of the work', async () => {
    const { compress, upstream } = await open()
    const reply = await compress({ messages, model, token_budget: 8000 })
    expect(reply).toMatchObject({ status: 200, transforms_applied: ['precis:summary'] })
    expect(reply.tokens_before).toBe(count(format, model, messages))
    expect(reply.tokens_after).toBe(count(format, model, reply.messages))
    expect(reply.tokens_after).toBeLessThanOrEqual(8000)
    expect(reply.tokens_saved).toBe(reply.tokens_before - reply.tokens_after)
    expect(reply.compression_ratio).toBeCloseTo(reply.tokens_after / reply.tokens_before, 10)
    expect(checkInvariants(formats[format].parse({ model, messages: reply.messages }))).toEqual([])
    expect(reply.messages.at(-1)).toEqual(messages.at(-1))
    expect(JSON.stringify(reply.messages)).toContain(RULE)
    expect(upstream.received).toEqual([])
  })

  test('begin with the same bytes in every later turn', async () => {
    const { compress } = await open()
    const first = await compress({ messages, model, token_budget: 8000 })
    const longer = [
      ...messages,
      { role: 'assistant', content: 'Done.' },
      { role: 'user', content: 'And the docs.' },
    ]
    const second = await compress({ messages: longer, model, token_budget: 8000 })
    expect(second.messages.slice(0, first.messages.length)).toEqual(first.messages)
    expect(second.messages).toHaveLength(first.messages.length + 2)
    expect(second.ccr_hashes).toEqual(first.ccr_hashes)
  })

  test('that fit stay as they are', async () => {
    const { compress } = await open()
    const reply = await compress({ messages, model })
    expect(reply).toMatchObject({
      messages,
      tokens_saved: 0,
      compression_ratio: 1,
      transforms_applied: [],
      ccr_hashes: [],
    })
  })

  test('are given back by the hash that their summary names, whole, by words and record by record', async () => {
    const { compress, retrieve } = await open()
    const { messages: shorter, ccr_hashes: hashes } = await compress({
      messages,
      model,
      token_budget: 8000,
    })
    // Read as LiteLLM does.
    const text = JSON.stringify(shorter)
    expect([...text.matchAll(/hash=([a-f0-9]{24})/g)].map(([, hash]) => hash)).toEqual(hashes)
    const [hash] = hashes
    const whole = await retrieve(`/${hash}`)
    expect(whole).toMatchObject({ status: 200, hash })
    expect(whole.original_content).toContain('src/file3.ts:7: expected 21')
    const found = await retrieve(`/${hash}?query=file17`)
    expect(found.original_content).toContain('src/file17.ts')
    const span = /span (\d+)/.exec(found.original_content)?.[1]
    expect((await retrieve('', KEY, { hash, span })).original_content).toContain('file17')
    expect((await retrieve(`?hash=${hash}`)).status).toBe(200)
  })

  test('are another key’s as little as what is not there', { tags: 'slow' }, async () => {
    const { compress, retrieve } = await open()
    const { ccr_hashes: hashes } = await compress({ messages, model, token_budget: 8000 })
    const foreign = await retrieve(`/${hashes[0]}`, OTHER)
    expect(foreign).toEqual(await retrieve(`/${'0'.repeat(24)}`, OTHER))
    expect(foreign.status).toBe(404)
    // Both have the same messages, but each has its own entry under the same hash.
    await compress({ messages, model, token_budget: 8000 }, OTHER)
    expect((await retrieve(`/${hashes[0]}`, OTHER)).status).toBe(200)
    expect((await retrieve(`/${hashes[0]}`)).status).toBe(200)
  })
})

test('what was made shorter is on the page of the key, once, with what it was and where it is', async () => {
  const { compress, readAccounts } = await open()
  const messages = createMessages('openai', 24)
  const { tokens_before: tokensBefore, tokens_after: tokensAfter } = await compress({
    messages,
    model: 'gpt-5',
    token_budget: 8000,
  })
  await compress({ messages, model: 'gpt-5', token_budget: 8000 })
  const { sessions } = await readAccounts()
  expect(sessions).toMatchObject([{ session: 'POST /v1/compress', requests: 2 }])
  expect(sessions[0].acts).toMatchObject([
    { act: 'guard', tokensBefore, tokensAfter, archived: expect.stringMatching(/^[0-9a-f]{10}$/) },
  ])
})

test('a ratio is a budget, newest messages stay, and what is not done is named', async () => {
  const { compress } = await open()
  const messages = createMessages('openai', 24)
  const config = { target_ratio: 0.5, protect_recent: 9, compress_user_messages: false }
  const reply = await compress({ messages, model: 'gpt-5', config })
  expect(reply.tokens_after).toBeLessThanOrEqual(reply.tokens_before / 2)
  expect(reply.messages.slice(-9)).toEqual(messages.slice(-9))
  expect(reply.config_ignored).toEqual(['compress_user_messages'])
})

test('the window that the gateway was given holds where a request names no budget', async () => {
  const { compress } = await open({ windowTokens: 15_000 })
  const reply = await compress({ messages: createMessages('openai', 24), model: 'gpt-5' })
  expect(reply.tokens_after).toBeLessThan(15_000)
  expect(reply.tokens_saved).toBeGreaterThan(0)
})

test.each([['x-headroom-bypass'], ['x-precis-bypass']])(
  '%s gives the messages back',
  async (header) => {
    const { compress } = await open()
    const messages = createMessages('openai', 24)
    const reply = await compress(
      { messages, model: 'gpt-5', token_budget: 5000 },
      { ...KEY, [header]: 'true' },
    )
    expect(reply).toMatchObject({ status: 200, messages, tokens_before: 0, ccr_hashes: [] })
  },
)

test.each([
  ['no JSON', '{', 400],
  ['no messages', '{"model":"gpt-5"}', 400],
  ['messages that are none', '{"model":"gpt-5","messages":[1]}', 400],
  ['an empty list', '{"model":"gpt-5","messages":[]}', 200],
  ['no model', JSON.stringify({ messages: SMALL }), 200],
  [
    'a budget that is none',
    JSON.stringify({ messages: SMALL, model: 'gpt-5', token_budget: 'all', config: 7 }),
    200,
  ],
  [
    'a budget that nothing fits',
    JSON.stringify({ messages: SMALL, model: 'gpt-5', token_budget: 1 }),
    200,
  ],
  [
    'a role that nobody knows',
    JSON.stringify({ messages: [{ role: '\u0000', content: 7 }], model: 'x' }),
    200,
  ],
])('%s is answered in words', async (_, body, status) => {
  const { compress } = await open()
  const reply = await compress(body)
  expect(reply.status).toBe(status)
  if (status === 400) expect(reply.error).toMatchObject({ type: 'invalid_request' })
  else expect(reply.messages).toEqual(JSON.parse(body).messages)
})

test('threads that fail leave the messages as they are', async () => {
  const { compress } = await open({ acts: { serve: async () => ({ status: 503, body: '{}' }) } })
  expect(await compress({ messages: SMALL, model: 'gpt-5' })).toMatchObject({
    status: 200,
    messages: SMALL,
  })
})

test.each([['/'], ['/..%2f..%2fetc%2fpasswd'], ['/%00'], [`/${'a'.repeat(5000)}`], ["/' OR 1=1"]])(
  'what is no hash is not there: %s',
  async (path) => {
    const { retrieve } = await open()
    expect([400, 404]).toContain((await retrieve(path.replaceAll(' ', '%20'))).status)
  },
)
