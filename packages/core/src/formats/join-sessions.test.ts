import { describe, expect, test, vi } from 'vitest'
import { expectLinearGrowth } from '../../../../test/growth.suite.ts'
import { type Conversation, readText } from '../conversation/message.ts'
import { createSummaryMessage } from '../conversation/summary-message.ts'
import * as claude from './claude-code/session.suite.ts'
import {
  answered,
  called,
  document,
  item,
  line,
  meta,
  ran,
  said,
  userItem,
} from './codex/session.suite.ts'
import * as copilot from './copilot/session.suite.ts'
import * as gemini from './gemini-cli/session.suite.ts'
import type { FormatName } from './index.ts'
import { formats } from './index.ts'
import { describeMessages, findGrowth, joinSessions, readWhole } from './join-sessions.ts'
import * as opencode from './opencode/session.suite.ts'
import * as pi from './pi/session.suite.ts'
import * as qwen from './qwen-code/session.suite.ts'
import { readOutput } from './shared/format.suite.ts'
import { createNewSession } from './shared/new-session.suite.ts'

const asked = opencode.user(opencode.text('first'))
const askedAgain = opencode.user(opencode.text('second'))
const ORIGINALS: Partial<Record<FormatName, string>> = {
  'claude-code': claude.toJsonl([
    claude.user('u1', null, 'first'),
    claude.assistant('a1', 'u1', [claude.text('looking'), claude.call('toolu_1')]),
    claude.result('r1', 'a1', 'toolu_1', 'output'),
    claude.assistant('a2', 'r1', [claude.text('found')]),
    claude.user('u2', 'a2', 'second'),
    claude.assistant('a3', 'u2', [claude.text('done')]),
  ]),
  codex: document([
    meta(),
    ...said('first'),
    ...answered('looking'),
    called('a'),
    ...ran('a', 'output'),
    ...said('second'),
    ...answered('done'),
  ]),
  'gemini-cli': gemini.toLog([
    gemini.HEADER,
    gemini.user('u1', [gemini.text('first')]),
    gemini.answer('g1', 'looking', {
      toolCalls: [gemini.call('c1', [gemini.response('c1', 'output')])],
    }),
    gemini.user('u2', [gemini.text('second')]),
    gemini.answer('g2', 'done'),
  ]),
  opencode: opencode.exported([
    asked,
    opencode.assistant(asked, [opencode.text('looking'), opencode.ran('call_1', 'output')]),
    askedAgain,
    opencode.assistant(askedAgain, [opencode.text('done')]),
  ]),
  pi: pi.toJsonl([
    pi.header(),
    pi.user('u1', null, [pi.text('first')]),
    pi.answer('a1', 'u1', [pi.text('looking'), pi.call('c1')]),
    pi.result('r1', 'a1', 'c1', 'output'),
    pi.user('u2', 'r1', [pi.text('second')]),
    pi.answer('a2', 'u2', [pi.text('done')]),
  ]),
  'qwen-code': qwen.toLog([
    qwen.user('u1', null, qwen.text('first')),
    qwen.answer('a1', 'u1', qwen.text('looking'), qwen.call('c1')),
    qwen.result('r1', 'a1', 'c1', 'output'),
    qwen.user('u2', 'r1', qwen.text('second')),
    qwen.answer('a2', 'u2', qwen.text('done')),
  ]),
}

test('every format that takes what its agent added is tested', () => {
  const takers = Object.values(formats).filter(({ append }) => append !== undefined)
  expect(takers.map(({ name }) => name).toSorted()).toEqual(Object.keys(ORIGINALS).toSorted())
})

/** What each agent adds when it continues after the line with this id. */
const ADDED: Partial<Record<FormatName, (leaf: string, base: string) => string>> = {
  'claude-code': (leaf) =>
    claude.toJsonl([
      { ...claude.user('n1', null, 'third'), parentUuid: leaf },
      claude.assistant('n2', 'n1', [claude.text('three')]),
      { type: 'custom-title', customTitle: 'the compressed one', sessionId: claude.SESSION_ID },
      { type: 'last-prompt', leafUuid: claude.uuidOf('n2'), sessionId: claude.SESSION_ID },
    ]),
  codex: () => document([...said('third'), ...answered('three')]),
  'gemini-cli': () =>
    gemini.toLog([
      { $set: { lastUpdated: '2026-06-07T08:09:10.000Z' } },
      gemini.user('n1', [gemini.text('third')]),
      gemini.answer('n2', 'three'),
    ]),
  pi: (leaf) =>
    pi.toJsonl([
      pi.user('n1', leaf, [pi.text('third')]),
      pi.answer('n2', 'n1', [pi.text('three')]),
    ]),
  'qwen-code': (leaf) =>
    qwen.toLog([
      qwen.user('n1', leaf, qwen.text('third')),
      qwen.answer('n2', 'n1', qwen.text('three')),
      qwen.system('n3', 'n2', 'custom_title', { customTitle: 'the compressed one' }),
    ]),
}

function compress(format: FormatName, base: Conversation): string {
  const messages = [createSummaryMessage('what was first'), ...base.messages.slice(-2)]
  const session = { ...createNewSession({ name: format }), title: 'compressed' }
  return readOutput(formats[format].serialize({ ...base, messages }, session))
}

interface Joining extends Omit<Parameters<typeof joinSessions>[0], 'newSession'> {}

function join(parts: Joining) {
  const { format } = parts
  const isOpencode = format.name === 'opencode'
  const newSession = isOpencode ? opencode.newSession : createNewSession(format)
  const { bytes, keepsRecords } = joinSessions({ ...parts, newSession })
  return { ...parts, text: new TextDecoder().decode(bytes), keepsRecords }
}

function expectWhole({ format, base, growth, text }: ReturnType<typeof join>): void {
  expect(describeMessages(format.parse(text).messages)).toEqual(
    describeMessages([...base.messages, ...growth.messages]),
  )
}

function findLeaf(text: string): string {
  const lines = text
    .trim()
    .split('\n')
    .map((line): unknown => JSON.parse(line))
  const ids = lines.flatMap((line) =>
    typeof line === 'object' && line !== null
      ? 'uuid' in line && typeof line.uuid === 'string'
        ? [line.uuid]
        : 'id' in line && typeof line.id === 'string'
          ? [line.id]
          : []
      : [],
  )
  return ids.at(-1) ?? ''
}

describe.each(['claude-code', 'codex', 'gemini-cli', 'pi', 'qwen-code'] as const)(
  'what %s added',
  (name) => {
    const format = formats[name]
    const base = format.parse(ORIGINALS[name] ?? '')
    const compressed = compress(name, base)
    const added = ADDED[name]?.(findLeaf(compressed), ORIGINALS[name] ?? '') ?? ''
    const grown = format.parse(compressed + added)
    const growth = findGrowth(format, format.parse(compressed), grown, compressed.length)

    test('is found behind what was there', () => {
      expect(growth.messages).toHaveLength(2)
      expect(findGrowth(format, grown, grown, compressed.length + added.length).messages).toEqual(
        [],
      )
    })

    test('goes behind the whole original, record by record', () => {
      const joined = join({ format, base, grown, growth })
      expect(joined.keepsRecords).toBe(true)
      expectWhole(joined)
      expect(joined.text).not.toContain('the compressed one')
    })

    test('is written anew where nobody knows where it begins', () => {
      const unplaced = { messages: growth.messages }
      const joined = join({ format, base, grown, growth: unplaced })
      // Records of Gemini CLI are known by their ids, wherever they are.
      expect(joined.keepsRecords).toBe(name === 'gemini-cli')
      expectWhole(joined)
    })

    test('belongs to the new session', () => {
      const { text } = join({ format, base, grown, growth })
      const { sessionId } = createNewSession(format)
      expect(text).toContain(sessionId)
      for (const line of text.trim().split('\n')) {
        const value: { sessionId?: string; $set?: { sessionId?: string } } = JSON.parse(line)
        expect([undefined, sessionId]).toContain(value.$set?.sessionId ?? value.sessionId)
      }
    })
  },
)

describe.each([
  ['wrote its history anew', []],
  // A resume in the minute in which the session was written begins in the same file.
  [
    'began anew and then took up its history',
    [
      gemini.HEADER,
      { $set: { messages: [gemini.user('s1', [gemini.text('<session_context>')])] } },
    ],
  ],
])('what Gemini CLI added after it %s', (_, start) => {
  const format = formats['gemini-cli']
  const base = format.parse(ORIGINALS['gemini-cli'] ?? '')
  const compressed = compress('gemini-cli', base)
  const records = compressed
    .trim()
    .split('\n')
    .slice(1)
    .map((line): object => JSON.parse(line))

  test('goes behind the whole original, record by record', () => {
    const again = gemini.toLog([
      ...start,
      { $set: { messages: [...records, gemini.user('n1', [gemini.text('third')])] } },
      gemini.answer('n2', 'three'),
    ])
    const grown = format.parse(compressed + again)
    const growth = findGrowth(format, format.parse(compressed), grown, compressed.length)
    const joined = join({ format, base, grown, growth })
    expect(growth.messages).toHaveLength(2)
    expect(joined.keepsRecords).toBe(true)
    expectWhole(joined)
  })
})

describe('a session of Codex that was compacted often', () => {
  const format = formats.codex
  const create = (
    compactions: number,
    { ends = '\n', payload }: { ends?: string; payload?: object } = {},
  ) => {
    const lines = Array.from({ length: compactions }, (_, index) => [
      ...said(`request ${index}`),
      ...answered(`answer ${index}`),
      line(
        'compacted',
        payload ?? {
          message: '',
          replacement_history: [userItem(`request ${index}`), userItem(`Summary ${index}`)],
        },
      ),
    ])
    return [meta(), ...lines.flat(), ...said('last')].map((each) => each + ends).join('')
  }

  test.each(['\n', '\r\n'])(
    'has all messages, by their places in it, with line breaks %j',
    (ends) => {
      const messages = readWhole(format, format.parse(create(3, { ends })))
      expect(messages.map((message) => [readText(message), message.records])).toEqual([
        ...[0, 1, 2].flatMap((index) => [
          [`request ${index}`, [5 * index + 1]],
          [`answer ${index}`, [5 * index + 4]],
          [`Summary ${index}`, [5 * index + 5]],
        ]),
        ['last', [16]],
      ])
    },
  )

  test.each(['', '{"cut off', line('turn_context', { cwd: '/p' })])(
    'has them after a first line %j',
    (first) => {
      const messages = readWhole(format, format.parse(`${first}\n${create(3)}`))
      expect(messages.map(readText)).toEqual([
        ...[0, 1, 2].flatMap((index) => [
          `request ${index}`,
          `answer ${index}`,
          `Summary ${index}`,
        ]),
        'last',
      ])
    },
  )

  test('has the origins of the whole session, also after a compaction without typing', () => {
    const note = '<team_note>A hook says this.</team_note>'
    const compacted = line('compacted', { message: '', replacement_history: [userItem('Summary')] })
    const lines = [meta(), ...said('look'), compacted, item(userItem(note)), compacted]
    const text = lines.map((each) => `${each}\n`).join('')
    const found = readWhole(format, format.parse(text)).find((one) => readText(one) === note)
    expect(found?.origin).toBe('synthetic')
  })

  test('has a request once that several old compactions kept', () => {
    const compact = (index: number) => line('compacted', { message: `Summary ${index}` })
    const lines = [0, 1, 2].flatMap((index) => [...said(`request ${index}`), compact(index)])
    const text = [meta(), ...lines, ...answered('last')].map((each) => `${each}\n`).join('')
    expect(readWhole(format, format.parse(text)).map(readText)).toEqual([
      ...[0, 1, 2].flatMap((index) => [`request ${index}`, `Summary ${index}`]),
      'last',
    ])
  })

  describe.each([
    ['a list of what it kept', undefined],
    ['only a summary, as old versions wrote them', { message: 'Summary' }],
    ['neither', {}],
  ])('whose compactions have %s', (_, payload) => {
    test('is read whole in a time that grows with it', { tags: 'slow' }, async () => {
      await expectLinearGrowth(
        (size) => format.parse(create(size, { payload })),
        (conversation) => readWhole(format, conversation),
        50,
      )
    })
  })
})

test.each(['claude-code', 'codex', 'pi'] as const)(
  'a session of %s is not parsed anew for each of its compactions',
  (name) => {
    const format = formats[name]!
    const user = { type: 'user', sessionId: 's', message: { role: 'user', content: 'look' } }
    const boundary = { type: 'system', subtype: 'compact_boundary', sessionId: 's' }
    const asked = { role: 'user', content: [{ type: 'text', text: 'look' }] }
    const lines: Readonly<Record<string, readonly string[]>> = {
      'claude-code': [
        { ...user, uuid: 'a', parentUuid: null },
        { ...boundary, uuid: 'b', parentUuid: null },
        { ...user, uuid: 'c', parentUuid: 'b' },
        { ...boundary, uuid: 'd', parentUuid: null },
      ].map((entry) => JSON.stringify(entry)),
      codex: [meta(), ...said('look'), line('compacted', { message: 'S' }), ...said('look')],
      pi: [
        { type: 'session', version: 3, id: 's', cwd: '/p' },
        { type: 'message', id: '1', parentId: null, message: asked },
        { type: 'compaction', id: '2', parentId: '1', summary: 'S', firstKeptEntryId: '2' },
        { type: 'message', id: '3', parentId: '2', message: asked },
      ].map((entry) => JSON.stringify(entry)),
    }
    const parse = vi.fn((text: string) => format.parse(text))
    const conversation = format.parse(lines[name]!.map((each) => `${each}\n`).join(''))
    const whole = readWhole({ ...format, parse }, conversation)
    expect(parse).not.toHaveBeenCalled()
    expect(whole).toEqual(readWhole({ ...format, readCompactions: undefined }, conversation))
    expect(whole.filter((one) => readText(one) === 'look')).toHaveLength(2)
  },
)

describe('what OpenCode added', () => {
  test('goes behind the whole original, record by record', () => {
    const format = formats.opencode
    const base = format.parse(ORIGINALS.opencode ?? '')
    const compressed = compress('opencode', base)
    const { info, messages } = opencode.readExport(compressed)
    const more = opencode.user(opencode.text('third'))
    const records = [
      ...messages,
      more,
      opencode.assistant(more, [opencode.text('three'), opencode.ran('call_9', 'new')]),
    ]
    const grown = format.parse(JSON.stringify({ info, messages: records }))
    const growth = findGrowth(format, format.parse(compressed), grown, undefined)
    const joined = join({ format, base, grown, growth })
    expect(joined.keepsRecords).toBe(true)
    expectWhole(joined)
    const ids = opencode.readExport(joined.text).messages.map(({ info: { id } }) => id)
    expect([...ids].sort()).toEqual(ids)
  })
})

describe('links of Claude Code', () => {
  const format = formats['claude-code']
  const base = format.parse(ORIGINALS['claude-code'] ?? '')

  test('lead from the first line that was added to the end of the original', () => {
    const compressed = compress('claude-code', base)
    const grown = format.parse(
      compressed +
        claude.toJsonl([{ ...claude.user('n1', null, 'third'), parentUuid: findLeaf(compressed) }]),
    )
    const growth = findGrowth(format, format.parse(compressed), grown, compressed.length)
    const joined = join({ format, base, grown, growth })
    const last: { parentUuid: string } = JSON.parse(joined.text.trim().split('\n').at(-1) ?? '')
    expect(last.parentUuid).toBe(claude.uuidOf('a3'))
  })

  test('where the agent compacted the compressed session, the original stays whole and the rest goes behind it', () => {
    const compressed = compress('claude-code', base)
    const boundary = claude.system('b1', null, 'compact_boundary', {
      compactMetadata: { trigger: 'auto' },
    })
    const grown = format.parse(
      compressed +
        claude.toJsonl([
          boundary,
          claude.user('s1', 'b1', 'This session is being continued from a previous conversation', {
            isCompactSummary: true,
          }),
          claude.user('n1', 's1', 'third'),
        ]),
    )
    const growth = findGrowth(format, format.parse(compressed), grown, compressed.length)
    const joined = join({ format, base, grown, growth })
    expectWhole(joined)
    expect(growth.messages).toHaveLength(2)
  })

  test('what Claude Code told the model in attachments stays an attachment: the API knows no such blocks', () => {
    const compressed = compress('claude-code', base)
    const told = { type: 'edited_text_file', snippet: 'of the environment' }
    const sent = {
      version: '2.1.332',
      rendered: [{ content: 'It changed.' }],
      renderedRole: 'system',
    }
    const grown = format.parse(
      compressed +
        claude.toJsonl([
          claude.system('b1', null, 'compact_boundary', { compactMetadata: { trigger: 'auto' } }),
          claude.user('s1', 'b1', 'This session is being continued from a previous conversation', {
            isCompactSummary: true,
          }),
          { ...claude.attachment('e1', 's1', told), ...sent },
          claude.user('n1', 'e1', 'third'),
        ]),
    )
    const growth = findGrowth(format, format.parse(compressed), grown, compressed.length)
    const joined = join({ format, base, grown, growth })
    expect(joined.keepsRecords).toBe(false)
    const lines = joined.text.trim().split('\n')
    const entries = lines.map((line): { type: string; message?: unknown } => JSON.parse(line))
    const { version: _, ...words } = sent
    expect(entries.find(({ type }) => type === 'attachment')).toMatchObject({
      attachment: told,
      ...words,
    })
    expect(JSON.stringify(entries.map(({ message }) => message))).not.toContain('environment')
  })
})

/**
 * Two more turns, a compaction by the agent itself, and one turn after it, as each agent stores
 * them.
 */
const COMPACTED: Partial<Record<FormatName, (leaf: string, compressed: string) => string>> = {
  'claude-code': (leaf, compressed) =>
    compressed +
    claude.toJsonl([
      { ...claude.user('n1', null, 'third'), parentUuid: leaf },
      claude.assistant('n2', 'n1', [claude.text('three')]),
      claude.user('n3', 'n2', 'fourth'),
      claude.assistant('n4', 'n3', [claude.text('four')]),
      {
        ...claude.system('b1', null, 'compact_boundary', {
          compactMetadata: {
            trigger: 'manual',
            preservedMessages: { anchorUuid: claude.uuidOf('s1'), uuids: [claude.uuidOf('n4')] },
          },
        }),
        logicalParentUuid: claude.uuidOf('n4'),
      },
      claude.user('s1', 'b1', 'This session is being continued from a previous conversation', {
        isCompactSummary: true,
      }),
      claude.user('n5', 's1', 'fifth'),
    ]),
  codex: (_, compressed) =>
    compressed +
    document([
      ...said('third'),
      ...answered('three'),
      called('n'),
      ...ran('n', 'output'),
      ...said('fourth'),
      ...answered('four'),
      line('compacted', {
        message: '',
        replacement_history: [
          userItem('second'),
          { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'three' }] },
          userItem('fourth'),
          userItem('Another language model started to solve this problem'),
        ],
      }),
      ...said('fifth'),
    ]),
  'gemini-cli': (_, compressed) =>
    compressed +
    gemini.toLog([
      gemini.user('n1', [gemini.text('third')]),
      gemini.answer('n2', 'three'),
      gemini.user('n3', [gemini.text('fourth')]),
      gemini.answer('n4', 'four'),
      {
        $set: {
          messages: [
            gemini.user('k1', [gemini.text('<state_snapshot>\nall of it\n</state_snapshot>')]),
            gemini.answer('k2', 'Got it. Thanks for the additional context!'),
            gemini.user('k3', [gemini.text('fourth')]),
            gemini.answer('k4', 'four'),
          ],
        },
      },
      gemini.user('n5', [gemini.text('fifth')]),
    ]),
  pi: (leaf, compressed) =>
    compressed +
    pi.toJsonl([
      pi.user('n1', leaf, [pi.text('third')]),
      pi.answer('n2', 'n1', [pi.text('three')]),
      pi.user('n3', 'n2', [pi.text('fourth')]),
      pi.answer('n4', 'n3', [pi.text('four')]),
      pi.entry('p1', 'n4', 'compaction', {
        summary: 'what was',
        firstKeptEntryId: 'n3',
        tokensBefore: 9000,
      }),
      pi.user('n5', 'p1', [pi.text('fifth')]),
    ]),
  opencode: (_, compressed) => {
    const { info, messages } = opencode.readExport(compressed)
    const [third, fourth, mark, fifth] = [
      opencode.user(opencode.text('third')),
      opencode.user(opencode.text('fourth')),
      opencode.user({ type: 'compaction', auto: false }),
      opencode.user(opencode.text('fifth')),
    ]
    const records = [
      third,
      opencode.assistant(third, [opencode.text('three')]),
      fourth,
      opencode.assistant(fourth, [opencode.text('four')]),
      mark,
      opencode.assistant(mark, [opencode.text('what was')], { summary: true }),
      fifth,
    ]
    return JSON.stringify({ info, messages: [...messages, ...records] })
  },
}

describe.each(['claude-code', 'codex', 'gemini-cli', 'pi', 'opencode'] as const)(
  'what %s added before it compacted the session itself',
  (name) => {
    const format = formats[name]
    const base = format.parse(ORIGINALS[name] ?? '')
    const compressed = compress(name, base)
    const grown = format.parse(
      COMPACTED[name]?.(name === 'opencode' ? '' : findLeaf(compressed), compressed) ?? '',
    )
    const start = name === 'opencode' ? undefined : compressed.length
    const growth = findGrowth(format, format.parse(compressed), grown, start)

    test('is found, once and in its order, with the summary at its place', () => {
      const texts = growth.messages.map(readText)
      expect(texts.filter((text) => /^(?:third|three|fourth|four|fifth)$/.test(text))).toEqual([
        'third',
        'three',
        'fourth',
        'four',
        'fifth',
      ])
      expect(texts.length).toBeLessThanOrEqual(name === 'codex' ? 8 : 7)
      expect(texts.at(-1)).toBe('fifth')
      // The session as it is sent does not contain it any more.
      expect(grown.messages.map(readText)).not.toContain('third')
    })

    test('goes behind the whole original', () => {
      expectWhole(join({ format, base, grown, growth }))
    })

    test('is there too where the beginning was written anew', () => {
      const texts = readWhole(format, grown).map(readText)
      expect(texts).toHaveLength(format.parse(compressed).messages.length + growth.messages.length)
      expect(texts.slice(-growth.messages.length)).toEqual(growth.messages.map(readText))
    })
  },
)

describe('what Copilot added before it summarized the session itself', () => {
  test('is found, without the summary', () => {
    const first = copilot.request('r1', 'first', { rounds: [copilot.round('t1', 'one')] })
    const more = [
      copilot.request('r2', 'second', { rounds: [copilot.round('t2', 'two')] }),
      copilot.request('r3', 'third', {
        rounds: [copilot.round('t3', 'three', [], { summary: 'what was' })],
      }),
      copilot.request('r4', 'fourth', { rounds: [copilot.round('t4', 'four')] }),
    ]
    const { copilot: format } = formats
    const grown = format.parse(copilot.toBody([first, ...more]))
    expect(grown.messages.map(readText)).toEqual(['what was', 'fourth', 'four'])
    const growth = findGrowth(format, format.parse(copilot.toBody([first])), grown, undefined)
    expect(growth.messages.map(readText)).toEqual([
      'second',
      'two',
      'third',
      'three',
      'fourth',
      'four',
    ])
  })
})
