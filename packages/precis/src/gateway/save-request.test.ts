import { createMemoryStore } from '@precis/core/following'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createActHost } from './act-host.ts'
import { readApiRequest } from './api-request.ts'
import type { ActRequest, ActResult } from './gateway.ts'
import { RequestShortener } from './shorten-request.ts'

const OWNER = { id: 'a'.repeat(64), session: 'one', agent: 'claude-code' }
const MINUTE = 60_000

/** A session of an agent that reads files, with a cache mark on its latest message. */
function createRequest(turns: number): ActRequest {
  const messages: object[] = []
  for (let turn = 0; turn < turns; turn++) {
    const text = Array.from(
      { length: 120 },
      (_, line) => `line ${line} of src/part${turn}.ts says value_${turn}_${line}`,
    )
    messages.push({ role: 'user', content: `Read src/part${turn}.ts and go on.` })
    const id = `toolu_${turn}`
    messages.push({
      role: 'assistant',
      content: [{ type: 'tool_use', id, name: 'Read', input: { file_path: `src/part${turn}.ts` } }],
    })
    messages.push({
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: id, content: text.join('\n') }],
    })
    messages.push({ role: 'assistant', content: `Part ${turn} is as it should be.` })
  }
  const text = `Read src/part${turns}.ts and go on.`
  messages.push({
    role: 'user',
    content: [{ type: 'text', text, cache_control: { type: 'ephemeral' } }],
  })
  const body = Buffer.from(
    JSON.stringify({ model: 'claude-sonnet-4-5', max_tokens: 1000, messages }),
  )
  const place = {
    api: 'anthropic-messages',
    purpose: 'generate',
    path: '/v1/messages',
    model: undefined,
  } as const
  return { ...place, headers: {}, body, owner: OWNER, windowTokens: undefined }
}

describe('a gateway that saves', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date'] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  function open(saves: boolean, store = createMemoryStore()) {
    const shortener = new RequestShortener(
      createActHost({ archive: undefined, store, note: (text) => expect.fail(text) }),
    )
    return async (request: ActRequest): Promise<ActResult> => {
      const body = readApiRequest(request.body, request)
      if (!body) throw new TypeError('no request')
      return await shortener.shorten(request, body, saves)
    }
  }

  test('leaves a history alone while the provider has it, shortens it after a pause, and keeps the bytes then', async () => {
    const shorten = open(true)
    for (const turns of [20, 21, 22])
      expect((await shorten(createRequest(turns))).type).toBe('pass')
    vi.setSystemTime(Date.now() + 10 * MINUTE)
    const after = await shorten(createRequest(23))
    expect(after).toMatchObject({ type: 'replace', record: { act: 'save' } })
    const next = await shorten(createRequest(24))
    if (after.type !== 'replace' || next.type !== 'replace') throw new TypeError('it was not kept')
    // Everything except the latest message, where the marks move.
    const [head = ''] = Buffer.from(after.body)
      .toString()
      .split('{"role":"user","content":[{"type":"text","text":"Read src/part23')
    expect(head.length).toBeGreaterThan(1000)
    expect(Buffer.from(next.body).toString().startsWith(head)).toBe(true)
    expect(next.body.length).toBeLessThan(createRequest(24).body.length / 2 + 20_000)
  })

  test('leaves a history alone that went out whole because its thread was too late and had to end', async () => {
    const store = createMemoryStore()
    const ended = open(true, store)
    for (const turns of [20, 21, 22]) await ended(createRequest(turns))
    vi.setSystemTime(Date.now() + 10 * MINUTE)
    const shorten = open(true, store)
    for (const turns of [24, 25, 26])
      expect((await shorten(createRequest(turns))).type).toBe('pass')
  })

  test.each([
    [3, 'pass'],
    [10, 'replace'],
  ])('knows in a new thread that the cache is %i minutes old', async (minutes, type) => {
    const shorten = open(true)
    const usage = { inputTokens: 90_000, outputTokens: 100, cachedInputTokens: 80_000 }
    const sentBefore = { at: Date.now() - minutes * MINUTE, usage }
    expect((await shorten({ ...createRequest(23), sentBefore })).type).toBe(type)
    // A request of this thread is newer than what was told.
    expect((await shorten({ ...createRequest(24), sentBefore })).type).toBe(type)
  })

  test('that is not asked to leaves it alone after a pause too', async () => {
    const shorten = open(false)
    await shorten(createRequest(22))
    vi.setSystemTime(Date.now() + 10 * MINUTE)
    expect((await shorten(createRequest(23))).type).toBe('pass')
  })

  test('takes what is only counted for no request', async () => {
    const shorten = open(true)
    await shorten(createRequest(22))
    vi.setSystemTime(Date.now() + 4 * MINUTE)
    await shorten({ ...createRequest(23), purpose: 'count' })
    vi.setSystemTime(Date.now() + 4 * MINUTE)
    const sent = await shorten(createRequest(23))
    const counted = await shorten({ ...createRequest(23), purpose: 'count' })
    if (sent.type !== 'replace' || counted.type !== 'replace')
      throw new TypeError('it was not shortened')
    expect(Buffer.from(counted.body).equals(sent.body)).toBe(true)
  })
})
