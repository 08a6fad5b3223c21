import { createTokenCounter, findModel } from '@precis/core'
import { describe, expect, test } from 'vitest'
import { agents } from '../agents/index.ts'
import { createMemorySource } from '../files/read-document.ts'
import { loadDocument } from './load-session.ts'
import { findRecordedContext } from './recorded-context.ts'

const SYSTEM_TOKENS = 12_000

function load(lines: readonly object[]) {
  const source = createMemorySource(
    Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join('')),
  )
  return loadDocument(
    'made',
    { source, path: undefined, stats: undefined, close: () => {} },
    undefined,
    agents,
  )
}

const codexMeta = [
  {
    timestamp: '2026-11-20T10:00:00Z',
    type: 'session_meta',
    payload: { id: 'x', cwd: '/work', cli_version: '0.169.0' },
  },
  {
    timestamp: '2026-11-20T10:00:00Z',
    type: 'turn_context',
    payload: { model: 'gpt-5.4', cwd: '/work' },
  },
]

const item = (payload: object) => ({
  timestamp: '2026-11-20T10:00:00Z',
  type: 'response_item',
  payload,
})

const message = (role: string, text: string) =>
  item({
    type: 'message',
    role,
    content: [{ type: role === 'user' ? 'input_text' : 'output_text', text }],
  })

/** As Codex notes what the provider counted. */
const billed = (input: number, output: number) => ({
  timestamp: '2026-11-20T10:00:00Z',
  type: 'event_msg',
  payload: {
    type: 'token_count',
    info: {
      last_token_usage: {
        input_tokens: input,
        output_tokens: output,
        total_tokens: input + output,
      },
      total_token_usage: { total_tokens: input + output },
    },
  },
})

const first = [
  message('user', 'read the file '.repeat(100)),
  message('assistant', 'it is read '.repeat(20)),
]
const second = [message('user', 'and now '.repeat(200)), message('assistant', 'done '.repeat(50))]

const counter = createTokenCounter(findModel('gpt-5.4'))
const countLines = (lines: readonly object[]) =>
  counter.countConversation(load([...codexMeta, ...lines]).conversation).upper

describe('what a recorded bill tells of a request', () => {
  const [one, both] = [countLines(first), countLines([...first, ...second])]
  const answer = one - countLines(first.slice(0, 1))

  const recorded = [
    ...codexMeta,
    ...first,
    billed(SYSTEM_TOKENS + one - answer, answer),
    ...second,
    billed(SYSTEM_TOKENS + both, 70),
  ]

  test('where counts are exact the newest request decides, and conversation and row are what was billed', () => {
    const session = load(recorded)
    const found = findRecordedContext(session, counter)
    expect(found).toEqual({
      billedTokens: SYSTEM_TOKENS + both + 70,
      notInFileTokens: SYSTEM_TOKENS + 70,
    })
    expect(session.agent?.readContextTokens?.(session.document.source)).toBe(found?.billedTokens)
  })

  test('what came after the newest request is no part of the row', () => {
    const session = load([...recorded, message('user', 'one more thing')])
    expect(findRecordedContext(session, counter)?.notInFileTokens).toBe(SYSTEM_TOKENS + 70)
  })

  test('for an estimated tokenizer the first request tells it, within what the newest one allows', () => {
    const claude = createClaude([
      [SYSTEM_TOKENS + 40, 30],
      [SYSTEM_TOKENS + 1_900, 200],
    ])
    const session = load(claude)
    const estimate = createTokenCounter(findModel('claude-opus-4-5'))
    const { notInFileTokens = 0 } = findRecordedContext(session, estimate) ?? {}
    const { lower, upper } = estimate.countConversation(session.conversation)
    expect(notInFileTokens).toBeGreaterThan(SYSTEM_TOKENS - 60)
    expect(notInFileTokens).toBeLessThanOrEqual(SYSTEM_TOKENS + 40)
    expect(notInFileTokens).toBeGreaterThanOrEqual(SYSTEM_TOKENS + 2_100 - upper)
    expect(notInFileTokens).toBeLessThanOrEqual(SYSTEM_TOKENS + 2_100 - lower)
  })

  test('a recorded system prompt bounds it, and tells it where nothing was billed for the model', () => {
    const shape = {
      system: [{ type: 'text', text: 'rule '.repeat(1_000) }],
      tools: [{ name: 'Read', description: 'read '.repeat(1_000), input_schema: {} }],
    }
    const request = { type: 'api-request', shapeHash: 'a1', params: {} }
    const records = [
      { type: 'api-request-shape', shapeHash: 'a1', shape },
      { type: 'api-request-shape', shapeHash: 'b2', shape: { system: 'of another', tools: [] } },
      request,
      { ...request, shapeHash: 'b2', agentId: 'c3' },
    ]
    const estimate = createTokenCounter(findModel('claude-opus-4-5'))
    const texts = [shape.system[0]?.text ?? '', JSON.stringify(shape.tools[0])]
    const upper = texts.reduce((sum, text) => sum + estimate.countText(text).upper, 0)
    const switched = createTokenCounter(findModel('claude-sonnet-4-5'))
    const asked = createClaude([[SYSTEM_TOKENS, 30]])
    expect(findRecordedContext(load([...asked, ...records]), switched)).toEqual({
      billedTokens: undefined,
      notInFileTokens: upper,
    })
    // More than that was billed for the first request, and less for the newest one.
    const bills = createClaude([
      [2 * upper, 30],
      [upper + 1_700, 200],
    ])
    const find = (lines: object[]) =>
      findRecordedContext(load(lines), estimate)?.notInFileTokens ?? 0
    expect(find([...bills, ...records])).toBe(upper)
    expect(find(bills)).toBeGreaterThan(upper)
  })

  test.each([
    ['was billed for another model', recorded, 'gpt-4.1'],
    ['lies before a compaction', [...recorded, compacted], 'gpt-5.4'],
    [
      'has less than what is certainly there',
      [...codexMeta, ...first, ...second, billed(20, 5)],
      'gpt-5.4',
    ],
    ['is not there', [...codexMeta, ...first, ...second], 'gpt-5.4'],
  ])('a request that %s tells nothing', (_, lines, model) => {
    expect(findRecordedContext(load(lines), createTokenCounter(findModel(model)))).toBeUndefined()
  })

  test('a row of less than nothing, or of more than half of the window, is none', () => {
    const less = load([...codexMeta, ...first, ...second, billed(both - 100, 10)])
    expect(findRecordedContext(less, counter)).toEqual({
      billedTokens: both - 90,
      notInFileTokens: undefined,
    })
    const more = load([...codexMeta, ...first, ...second, billed(600_000, 10)])
    expect(findRecordedContext(more, counter)).toEqual({
      billedTokens: 600_010,
      notInFileTokens: undefined,
    })
  })

  test('after a compaction the agent has no gauge until its next request', () => {
    const session = load([...recorded, compacted])
    expect(session.agent?.readContextTokens?.(session.document.source)).toBeUndefined()
    const gone = load([...recorded, compacted, ...second, billed(15_000, 100)])
    expect(gone.agent?.readContextTokens?.(gone.document.source)).toBe(15_100)
    expect(findRecordedContext(gone, counter)?.billedTokens).toBe(15_100)
  })
})

const compacted = {
  timestamp: '2026-11-20T10:00:00Z',
  type: 'compacted',
  payload: {
    message: '',
    replacement_history: [
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'go on' }] },
    ],
  },
}

/** A request of the user and an answer for each bill, the second one longer. */
function createClaude(bills: readonly (readonly [prompt: number, output: number])[]): object[] {
  return bills.flatMap(([prompt, output], index) => {
    const parent = index === 0 ? null : `a${index - 1}`
    const common = {
      sessionId: 's',
      cwd: '/work',
      version: '2.1.329',
      timestamp: '2026-11-20T10:00:00Z',
      isSidechain: false,
    }
    const usage = { input_tokens: 40, cache_read_input_tokens: prompt - 40, output_tokens: output }
    const content = [{ type: 'text', text: 'word '.repeat(index === 0 ? 20 : 120) }]
    return [
      {
        ...common,
        type: 'user',
        uuid: `u${index}`,
        parentUuid: parent,
        message: { role: 'user', content: 'line '.repeat(index === 0 ? 10 : 1_500) },
      },
      {
        ...common,
        type: 'assistant',
        uuid: `a${index}`,
        parentUuid: `u${index}`,
        message: {
          id: `m${index}`,
          type: 'message',
          role: 'assistant',
          model: 'claude-opus-4-5',
          content,
          usage,
        },
      },
    ]
  })
}
