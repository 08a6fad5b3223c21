import { type ConversationStore, createMemoryStore } from '@precis/core/following'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createActHost } from './act-host.ts'
import { readApiRequest } from './api-request.ts'
import type { ActRequest } from './gateway.ts'
import { RequestShortener } from './shorten-request.ts'

const DAY = 86_400_000
const OWNER = { id: 'a'.repeat(64), session: 'one', agent: undefined }
const BETA = 'oauth-2025-04-20,context-1m-2025-08-07'
const OVERFLOW = { of: 'tokens', limitTokens: 1500 } as const

function createRequest(session: string, more: Partial<ActRequest> = {}): ActRequest {
  const messages = Array.from({ length: 10 }, (_, turn) => [
    { role: 'user', content: `Mend src/tax${turn}.ts. ${'It rounds down. '.repeat(20)}` },
    { role: 'assistant', content: `Line ${turn} is mended. ${'It rounds half up. '.repeat(20)}` },
  ])
  const list = [...messages.flat(), { role: 'user', content: 'Go on.' }]
  return {
    api: 'anthropic-messages',
    purpose: 'generate',
    path: '/v1/messages',
    model: undefined,
    headers: {},
    body: Buffer.from(JSON.stringify({ model: 'claude-sonnet-4-5', messages: list })),
    owner: { ...OWNER, session },
    windowTokens: undefined,
    ...more,
  }
}

function open(store: ConversationStore = createMemoryStore(), notes: string[] = []) {
  const host = createActHost({ archive: undefined, store, note: (text) => notes.push(text) })
  const shortener = new RequestShortener(host)
  return async (request: ActRequest) => {
    const body = readApiRequest(request.body, request)
    if (!body) throw new Error('it is no request')
    return (await shortener.shorten(request, body, false)).type
  }
}

describe('a window that an upstream reported', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }))
  afterEach(() => void vi.useRealTimers())

  test('is that of requests for the same window alone', async () => {
    const shorten = open()
    expect(await shorten(createRequest('one', { overflow: OVERFLOW }))).toBe('replace')
    expect(await shorten(createRequest('two'))).toBe('replace')
    const headers = { 'anthropic-beta': BETA }
    expect(await shorten(createRequest('three', { headers }))).toBe('pass')
    const { messages } = JSON.parse(String(createRequest('four').body))
    const cloud = { model: 'claude-sonnet-4-5', anthropic_beta: BETA.split(','), messages }
    const body = Buffer.from(JSON.stringify(cloud))
    expect(await shorten(createRequest('four', { body }))).toBe('pass')
  })

  test('is forgotten after a day, however often it was used', async () => {
    const shorten = open()
    await shorten(createRequest('one', { overflow: OVERFLOW }))
    vi.setSystemTime(Date.now() + DAY / 2)
    expect(await shorten(createRequest('two'))).toBe('replace')
    vi.setSystemTime(Date.now() + DAY / 2)
    expect(await shorten(createRequest('three'))).toBe('pass')
  })

  test('is not needed: without a store a request is made to fit, and that is told', async () => {
    const away = () => Promise.reject(new Error('no connection for "go on"'))
    const store = { ...createMemoryStore(), find: away, write: away }
    const notes: string[] = []
    const shorten = open(store, notes)
    expect(await shorten(createRequest('one', { windowTokens: 1500 }))).toBe('replace')
    expect(notes).toContain('what upstreams said of windows is not known: Error')
  })
})
