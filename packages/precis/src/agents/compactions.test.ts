import { createSummaryMessage, readText } from '@precis/core/conversation'
import { describe, expect, test, vi } from 'vitest'
import { createMemorySource } from '../files/read-document.ts'
import { readSessionCompactions } from '../sessions/compactions.ts'
import { agents } from './index.ts'
import type { Agent } from './shared/agent.ts'

const OWN = readText(createSummaryMessage('## Where things stand\n- The tax is mended.'))
const at = (second: number) => new Date(Date.UTC(2026, 3, 1, 10, 0, second)).toISOString()
const toLines = (records: readonly object[]) =>
  records.map((record) => `${JSON.stringify(record)}\n`).join('')

const find = (name: string): Agent => {
  const agent = agents.find((one) => one.name === name)
  if (!agent) throw new Error(`no agent ${name}`)
  return agent
}
const read = (name: string, text: string) =>
  readSessionCompactions(find(name), createMemorySource(Buffer.from(text)))

describe('Claude Code', () => {
  const usage = (tokens: number) => ({ input_tokens: tokens, output_tokens: 5 })
  const user = (
    uuid: string,
    parentUuid: string | null,
    second: number,
    content: string,
    more = {},
  ) => ({
    type: 'user',
    uuid,
    parentUuid,
    sessionId: 's',
    cwd: '/work/shop',
    timestamp: at(second),
    message: { role: 'user', content },
    ...more,
  })
  const answer = (
    uuid: string,
    parentUuid: string,
    second: number,
    text: string,
    tokens: number,
  ) => ({
    type: 'assistant',
    uuid,
    parentUuid,
    sessionId: 's',
    timestamp: at(second),
    message: {
      id: `msg_${uuid}`,
      role: 'assistant',
      model: 'claude-sonnet-4-5',
      content: [{ type: 'text', text }],
      usage: usage(tokens),
    },
  })
  const before = [
    user('a', null, 0, 'Never touch generated files. Mend the tax in src/cart.ts.'),
    answer('b', 'a', 10, 'I will look at src/cart.ts and at src/tax-rates.ts first.', 90_000),
  ]
  const boundary = (second: number, compactMetadata: object) => ({
    type: 'system',
    subtype: 'compact_boundary',
    uuid: 'c',
    parentUuid: null,
    logicalParentUuid: 'b',
    sessionId: 's',
    timestamp: at(second),
    compactMetadata,
  })
  const summary = (text: string, second = 40) =>
    user('d', 'c', second, text, { isCompactSummary: true, isVisibleInTranscriptOnly: true })

  test('gives what the boundary notes as it is', () => {
    const metadata = { trigger: 'manual', preTokens: 120_000, postTokens: 2500, durationMs: 559 }
    const [found, ...others] = read(
      'claude-code',
      toLines([
        ...before,
        boundary(40, metadata),
        summary('All about src/cart.ts.'),
        answer('e', 'd', 50, 'Go on.', 8000),
      ]),
    )
    expect(others).toEqual([])
    expect(found).toMatchObject({
      record: 2,
      lastRecord: 3,
      time: new Date(at(40)),
      trigger: 'manual',
      by: 'agent',
      durationMs: { value: 559, isEstimated: false },
      tokensBefore: { value: 120_000, isEstimated: false },
      tokensAfter: { value: 2500, isEstimated: false },
      summary: 'All about src/cart.ts.',
    })
  })

  test('estimates by times and by the next request where the boundary says less', () => {
    const [found] = read(
      'claude-code',
      toLines([
        ...before,
        boundary(70, { trigger: 'auto', preTokens: 155_000 }),
        summary('All.', 70),
        answer('e', 'd', 75, 'Go on.', 8000),
      ]),
    )
    expect(found).toMatchObject({
      trigger: 'automatic',
      durationMs: { value: 60_000, isEstimated: true },
      tokensAfter: { value: 8000, isEstimated: true },
    })
  })

  test('takes the pause before a command for no wait, and the time of the command for its beginning', () => {
    const metadata = { trigger: 'manual', preTokens: 9 }
    const command = user('f', 'd', 66, '<command-name>/compact</command-name>')
    const text = [...before, boundary(70, metadata), summary('All.', 70)]
    expect(read('claude-code', toLines(text))[0]?.durationMs).toBeUndefined()
    expect(read('claude-code', toLines([...text, command]))[0]?.durationMs).toEqual({
      value: 4000,
      isEstimated: true,
    })
  })

  test('tells what was lost of the words and the facts, and what it cost', () => {
    const text = toLines([
      ...before,
      boundary(40, { trigger: 'auto', preTokens: 155_000 }),
      summary('About src/cart.ts.'),
    ])
    const [found] = read('claude-code', text)
    expect(found?.lost?.words).toMatchObject({ total: 1, missing: 1 })
    expect(found?.lost?.facts?.weightiest).toContainEqual(
      expect.objectContaining({ kind: 'path', text: 'src/tax-rates.ts', record: 1 }),
    )
    expect(found?.lost?.facts?.weightiest.map((fact) => fact.text)).not.toContain('src/cart.ts')
    expect(found?.cost?.dollars.isEstimated).toBe(true)
    expect(found?.cost?.coldDollars).toBeGreaterThan(found?.cost?.dollars.value ?? 0)
  })

  test('knows a summary of precis, which no model was paid for', () => {
    const words = `This session is being continued from a previous conversation that ran out of context. The summary below covers the earlier portion of the conversation.\n\nSummary:\n${OWN}`
    const [found] = read(
      'claude-code',
      toLines([...before, boundary(40, { trigger: 'auto' }), summary(words)]),
    )
    expect(found).toMatchObject({ by: 'precis', summary: OWN, cost: { dollars: { value: 0 } } })
  })

  test('a session that was compressed by precis was not compacted within', () => {
    const chained = user('c', 'b', 20, OWN, { isCompactSummary: true })
    expect(read('claude-code', toLines([...before, chained]))).toEqual([])
  })

  test('of several each is measured against what was there before it', () => {
    const second = [
      user('g', 'e', 80, 'Also mend src/shipping.ts.'),
      answer('h', 'g', 90, 'I mended src/postage.ts.', 100_000),
      {
        ...boundary(95, { trigger: 'auto', preTokens: 155_000 }),
        uuid: 'i',
        logicalParentUuid: 'h',
      },
      { ...summary('Nothing.', 95), uuid: 'j', parentUuid: 'i' },
    ]
    const text = toLines([
      ...before,
      boundary(40, { trigger: 'auto' }),
      summary('About src/cart.ts.'),
      answer('e', 'd', 50, 'Go on.', 8000),
      ...second,
    ])
    const [, found] = read('claude-code', text)
    expect(found?.record).toBe(7)
    expect(found?.lost?.words).toMatchObject({ total: 1, missing: 1 })
    expect(found?.lost?.facts?.weightiest.map((fact) => fact.text)).toContain('src/postage.ts')
  })

  test('a short answer is there only where it stands alone', () => {
    const said = [...before, user('b2', 'b', 20, 'yes')]
    const counts = (words: string) =>
      read(
        'claude-code',
        toLines([
          ...said,
          { ...boundary(40, { trigger: 'auto' }), logicalParentUuid: 'b2' },
          summary(words),
        ]),
      )[0]?.lost?.words
    expect(counts('Yesterday and yesterday, yes to all.')).toMatchObject({ clipped: 0, missing: 2 })
    expect(counts('The user said "yes".')).toMatchObject({ verbatim: 1, clipped: 0, missing: 1 })
  })

  test('a sentence is named with the last compaction that took it, unless a later request has it', () => {
    const words = [
      'Mend src/a.ts.',
      '\u53ea\u6539 src/b.ts \u548c src/c.ts',
      'Never touch src/d.ts.',
    ]
    const text = toLines([
      ...words.map((word, index) => user(`u${index}`, index ? `u${index - 1}` : null, index, word)),
      { ...boundary(10, { trigger: 'auto' }), logicalParentUuid: 'u2' },
      summary('Nothing.', 10),
      user('v', 'd', 20, `As I said:\n${words[1]}  and now.  Look at src/e.ts.`),
      { ...boundary(30, { trigger: 'auto' }), uuid: 'w', logicalParentUuid: 'v' },
      { ...summary('Nothing.', 30), uuid: 'x', parentUuid: 'w' },
      user('y', 'x', 40, 'Why "Never touch src/d.ts."?'),
    ])
    const found = read('claude-code', text)
    const list = found.map(({ lost }) => lost?.words.sentences.map((one) => one.text))
    expect(list).toEqual([['Mend src/a.ts.'], ['As I said:']])
  })

  test('of many lost messages it searches later requests for a few', () => {
    const said = Array.from({ length: 60 }, (_, index) =>
      user(`u${index}`, index === 0 ? null : `u${index - 1}`, index, `Look at part ${index} now.`),
    )
    const text = toLines([
      ...said,
      { ...boundary(70, { trigger: 'auto' }), logicalParentUuid: 'u59' },
      summary('Nothing.', 70),
      user('v', 'd', 80, 'THE-PRESENT goes on.'),
    ])
    const searched: string[] = []
    const spy = vi.spyOn(String.prototype, 'includes').mockImplementation(function (
      this: string,
      ...sought
    ) {
      if (this.indexOf('THE-PRESENT') >= 0 && sought[0].startsWith('Look at part'))
        searched.push(sought[0])
      return this.indexOf(...sought) >= 0
    })
    const [found] = read('claude-code', text)
    spy.mockRestore()
    expect(found?.lost?.words).toMatchObject({ missing: 60 })
    expect(found?.lost?.words.sentences).toHaveLength(3)
    expect(searched.length).toBeLessThanOrEqual(3)
  })
})

describe('Codex', () => {
  const meta = { timestamp: at(0), type: 'session_meta', payload: { id: 's', cwd: '/work/shop' } }
  const item = (second: number, role: string, text: string) => ({
    timestamp: at(second),
    type: 'response_item',
    payload: {
      type: 'message',
      role,
      content: [{ type: role === 'user' ? 'input_text' : 'output_text', text }],
    },
  })
  const event = (second: number, payload: object) => ({
    timestamp: at(second),
    type: 'event_msg',
    payload,
  })
  const count = (second: number, total: number) =>
    event(second, { type: 'token_count', info: { last_token_usage: { total_tokens: total } } })
  const kept = item(30, 'user', 'Mend the tax in src/cart.ts.').payload
  const compacted = (second: number, last: object) => ({
    timestamp: at(second),
    type: 'compacted',
    payload: { message: '', replacement_history: [kept, last] },
  })
  const before = [
    meta,
    {
      timestamp: at(1),
      type: 'turn_context',
      payload: { cwd: '/work/shop', model: 'gpt-5-codex' },
    },
    event(1, { type: 'user_message', message: 'Mend the tax in src/cart.ts.' }),
    item(1, 'user', 'Mend the tax in src/cart.ts.'),
    item(5, 'assistant', 'I look at src/tax-rates.ts.'),
    count(6, 228_480),
  ]

  test('counts before and after it, and the wait since the record before', () => {
    const closed = { type: 'compaction', id: 'x', encrypted_content: 'gAAAA' }
    const [found] = read('codex', toLines([...before, compacted(36, closed), count(36, 23_630)]))
    expect(found).toMatchObject({
      record: 6,
      trigger: 'automatic',
      by: 'agent',
      durationMs: { value: 30_000, isEstimated: true },
      tokensBefore: { value: 228_480, isEstimated: true },
      tokensAfter: { value: 23_630, isEstimated: false },
      summary: undefined,
    })
    // What the provider encrypted may contain any of them.
    expect(found?.lost).toMatchObject({ words: { total: 1, verbatim: 1 }, facts: undefined })
  })

  test('reads the summary that precis put into an item', () => {
    const own = {
      type: 'compaction',
      id: 'x',
      encrypted_content: `precis-compaction-1:${btoa(OWN)}`,
    }
    expect(read('codex', toLines([...before, compacted(36, own)]))).toMatchObject([
      { by: 'precis', summary: OWN },
    ])
  })

  describe('in 0.169', () => {
    const started = (second: number, more = {}) =>
      event(second, {
        type: 'task_started',
        turn_id: `t${second}`,
        model_context_window: 258_400,
        ...more,
      })
    const attributed = (second: number) =>
      started(second, { turn_attribution: { turn_trigger: 'user' } })
    const done = (second: number) =>
      event(second, { type: 'task_complete', last_agent_message: null })
    const readAfter = (...turns: readonly object[]) => {
      const summary =
        'Another language model started to solve this problem. Here is its summary:\nAll.'
      const left = {
        type: 'message',
        role: 'user',
        content: [{ type: 'input_text', text: summary }],
      }
      const text = toLines([
        meta,
        attributed(1),
        ...before.slice(3),
        ...turns,
        count(38, 228_480),
        item(40, 'assistant', 'All.'),
        count(40, 229_700),
        compacted(40, left),
        count(41, 23_630),
        event(41, {
          type: 'item_completed',
          item: { type: 'ContextCompaction', id: 'x' },
          started_at_ms: Date.parse(at(39)),
          completed_at_ms: Date.parse(at(41)),
        }),
      ])
      return read('codex', text)[0]
    }

    test('one by hand is a turn that nobody began', () => {
      expect(readAfter(done(7), started(36))).toMatchObject({
        trigger: 'manual',
        durationMs: { value: 2000, isEstimated: false },
        tokensBefore: { value: 228_480, isEstimated: true },
        tokensAfter: { value: 23_630, isEstimated: false },
      })
    })

    test('one of its own is part of a turn', () => {
      expect(readAfter(done(7), attributed(36))?.trigger).toBe('automatic')
      expect(readAfter()?.trigger).toBe('automatic')
    })
  })

  test('between two turns it may have been the user', () => {
    const done = event(7, { type: 'task_complete' })
    const [found] = read('codex', toLines([...before, done, compacted(36, kept)]))
    expect(found).toMatchObject({ trigger: undefined, durationMs: undefined })
  })
})

describe('Gemini CLI', () => {
  const head = {
    sessionId: '1fe6fa35-1dce-4c75-9e0b-683dc14efcbf',
    projectHash: 'x',
    startTime: at(0),
  }
  const asked = {
    id: 'u',
    timestamp: at(1),
    type: 'user',
    content: [{ text: 'Mend the tax in src/cart.ts.' }],
  }
  const tokens = (input: number) => ({
    input,
    output: 5,
    cached: 0,
    thoughts: 0,
    tool: 0,
    total: input + 5,
  })
  const answer = (id: string, second: number, input: number) => ({
    id,
    timestamp: at(second),
    type: 'gemini',
    content: 'src/tax-rates.ts is wrong.',
    model: 'gemini-2.5-pro',
    tokens: tokens(input),
  })
  const snapshot = (second: number, text: string) => ({
    id: 's',
    timestamp: at(second),
    type: 'user',
    content: [{ text: `<state_snapshot>\n${text}\n</state_snapshot>` }],
  })
  const set = (second: number, messages: readonly object[]) => ({
    $set: { messages, lastUpdated: at(second) },
  })

  test('is a history that is written again with a snapshot; to resume is none', () => {
    const again = set(50, [snapshot(40, 'All.')])
    const text = toLines([
      head,
      asked,
      answer('g', 5, 90_000),
      set(40, [snapshot(40, 'All.'), asked]),
      again,
    ])
    const found = read('gemini-cli', `${text}${toLines([answer('h', 60, 9000)])}`)
    expect(found).toMatchObject([
      {
        record: 3,
        lastRecord: 5,
        time: new Date(at(40)),
        by: 'agent',
        trigger: undefined,
        durationMs: undefined,
        tokensBefore: { value: 90_000, isEstimated: true },
        tokensAfter: { value: 9000, isEstimated: true },
        summary: 'All.',
        lost: { words: { total: 1, verbatim: 1 } },
      },
    ])
  })

  test.each([
    ['Context compressed from 19% to 0%.', 'automatic'],
    ['', 'manual'],
    ['Model changed.', undefined],
  ])('what 0.61 shows behind it tells who wanted it: %j', (content, trigger) => {
    const shown = { id: 'i', timestamp: at(40), type: 'info', content }
    const text = toLines([
      head,
      asked,
      answer('g', 5, 90_000),
      set(40, [snapshot(40, 'All.'), asked]),
      shown,
    ])
    expect(read('gemini-cli', text)).toMatchObject([{ trigger }])
  })

  test('knows a snapshot of precis', () => {
    const text = toLines([head, asked, answer('g', 5, 90_000), set(40, [snapshot(40, OWN)])])
    expect(read('gemini-cli', text)).toMatchObject([{ by: 'precis', summary: OWN }])
  })
})

describe('OpenCode', () => {
  const info = (id: string, role: string, created: number, more = {}) => ({
    id,
    sessionID: 'ses_1',
    role,
    time: { created, completed: created + 20_000 },
    ...more,
  })
  const text = (value: string) => [{ id: 'prt_1', type: 'text', text: value }]
  const tokens = (input: number) => ({
    input,
    output: 900,
    reasoning: 0,
    cache: { read: 0, write: 0 },
  })
  const model = { modelID: 'claude-sonnet-4-5', providerID: 'anthropic' }
  const start = Date.UTC(2026, 3, 1)
  const summary = (more: object) =>
    info('msg_4', 'assistant', start + 31_000, { parentID: 'msg_3', summary: true, ...more })
  const session = (last: object, said: string) =>
    JSON.stringify({
      info: { id: 'ses_1', directory: '/work/shop' },
      messages: [
        { info: info('msg_1', 'user', start), parts: text('Mend the tax in src/cart.ts.') },
        {
          info: info('msg_2', 'assistant', start, {
            ...model,
            finish: 'stop',
            tokens: tokens(90_000),
          }),
          parts: text('src/tax-rates.ts is wrong.'),
        },
        {
          info: info('msg_3', 'user', start + 30_000),
          parts: [{ id: 'prt_3', type: 'compaction', auto: true }],
        },
        { info: last, parts: text(said) },
        {
          info: info('msg_5', 'assistant', start + 60_000, { ...model, tokens: tokens(7000) }),
          parts: text('Go on.'),
        },
      ],
    })

  test('is billed, and takes as long as the answer to it', () => {
    const last = summary({ ...model, finish: 'stop', tokens: tokens(91_000) })
    expect(read('opencode', session(last, 'About src/cart.ts.'))).toMatchObject([
      {
        record: 2,
        lastRecord: 3,
        trigger: 'automatic',
        by: 'agent',
        durationMs: { value: 21_000, isEstimated: false },
        tokensBefore: { value: 91_000, isEstimated: false },
        tokensAfter: { value: 7000, isEstimated: true },
        summary: 'About src/cart.ts.',
        cost: { dollars: { value: (91_000 * 3 + 900 * 15) / 1e6, isEstimated: false } },
        lost: { words: { total: 1, missing: 1 } },
      },
    ])
  })

  test('one whose request had none of the history is as large as the answer before it', () => {
    const last = summary({ ...model, finish: 'stop', tokens: tokens(200) })
    expect(read('opencode', session(last, 'About src/cart.ts.'))).toMatchObject([
      { tokensBefore: { value: 90_900 } },
    ])
  })

  test('one that failed was none', () => {
    expect(read('opencode', session(summary({ ...model, error: { name: 'x' } }), ''))).toEqual([])
  })
})

describe('pi', () => {
  const entry = (id: string, parentId: string | null, second: number, more: object) => ({
    id,
    parentId,
    timestamp: at(second),
    ...more,
  })
  const message = (role: string, words: string, more = {}) => ({
    type: 'message',
    message: { role, content: [{ type: 'text', text: words }], ...more },
  })
  const usage = (input: number) => ({
    model: 'claude-sonnet-4-5',
    usage: { input, output: 5, cacheRead: 0, cacheWrite: 0 },
  })
  const session = (compaction: object) =>
    toLines([
      { type: 'session', version: 3, id: 's', cwd: '/work/shop', timestamp: at(0) },
      entry('a', null, 1, message('user', 'Mend the tax in src/cart.ts.')),
      entry('b', 'a', 5, message('assistant', 'src/tax-rates.ts is wrong.', usage(90_000))),
      entry('c', 'b', 25, {
        type: 'compaction',
        firstKeptEntryId: 'b',
        tokensBefore: 90_500,
        ...compaction,
      }),
      entry('d', 'c', 30, message('assistant', 'Go on.', usage(7000))),
    ])

  test('has its summary and the tokens before; what it kept is not lost', () => {
    const [found] = read('pi', session({ summary: 'All.' }))
    expect(found).toMatchObject({
      record: 3,
      trigger: undefined,
      by: 'agent',
      durationMs: undefined,
      tokensBefore: { value: 90_500, isEstimated: false },
      tokensAfter: { value: 7000, isEstimated: true },
      summary: 'All.',
      lost: { words: { missing: 1 } },
    })
    expect(found?.lost?.facts?.weightiest.map(({ text }) => text)).not.toContain('src/tax-rates.ts')
  })

  test('the extension of precis says that it wrote it', () => {
    const compaction = { summary: `${OWN}\n\nand more`, details: { by: 'precis', summary: OWN } }
    expect(read('pi', session(compaction))).toMatchObject([
      { by: 'precis', durationMs: undefined, summary: OWN },
    ])
  })
})

test('a text of the user that looks like a summary of precis is none of its compactions', () => {
  for (const agent of agents) {
    const source = createMemorySource(
      Buffer.from(toLines([{ type: 'user', message: { content: OWN } }])),
    )
    expect(agent.readCompactions?.(source) ?? []).toEqual([])
  }
})
