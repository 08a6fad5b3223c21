import { describe, expect, test } from 'vitest'
import { expectLinearGrowth } from '../../../../../test/growth.suite.ts'
import { readText } from '../../conversation/message.ts'
import { claudeCode } from './claude-code.ts'
import {
  assistant,
  attachment,
  type BuiltEntry,
  call,
  createRichSession,
  result,
  system,
  text,
  thinking,
  toJsonl,
  user,
  uuidOf,
} from './session.suite.ts'

/** What the agent would send, one word per message. */
function readLive(entries: readonly object[]): string[] {
  return claudeCode.parse(toJsonl(entries)).messages.map((message) => {
    const [part] = message.parts
    return part?.type === 'tool-result'
      ? `result ${part.callId}`
      : readText(message) || (part?.type ?? 'nothing')
  })
}

const u1 = user('u1', null, 'q1')
const a1 = assistant('a1', 'u1', [text('a1')])
const u2 = user('u2', 'a1', 'old q2')
const a2 = assistant('a2', 'u2', [text('old a2')])
const u3 = user('u3', 'a1', 'new q2')
const a3 = assistant('a3', 'u3', [text('new a2')])
const branched = [u1, a1, u2, a2, u3, a3]
const lastPrompt = (leaf: string) => ({
  type: 'last-prompt',
  lastPrompt: 'x',
  leafUuid: uuidOf(leaf),
  sessionId: 's',
})
const boundary = (extra: object = {}) =>
  system('cb', null, 'compact_boundary', { logicalParentUuid: uuidOf('a1'), ...extra })
const summary = user('cs', 'cb', 'SUMMARY', {
  isCompactSummary: true,
  isVisibleInTranscriptOnly: true,
})

const startMs = Date.UTC(2026, 0, 2, 3, 4, 5)
const sentAt = (entry: BuiltEntry, seconds: number) => ({
  ...entry,
  timestamp: new Date(startMs + seconds * 1000).toISOString(),
})
/** One entry a second. */
const timed = [u1, a1, u2, a2].map(sentAt)
/** The end of a conversation whose parent is not in the file. */
const lost = (seconds: number) => [
  sentAt({ ...u3, parentUuid: uuidOf('gone') }, seconds),
  sentAt(a3, seconds + 1),
]

// Every expectation is what Claude Code 2.1.329 sent for the same entries.
describe('live branch', () => {
  test.each<[string, BuiltEntry[], string[]]>([
    ['the last line tells which of two branches lives', branched, ['q1', 'a1', 'new q2', 'new a2']],
    [
      'an earlier time stamp does not kill the last line',
      [u1, a1, u2, a2, { ...u3, timestamp: '2020-01-01T00:00:00.000Z' }, a3],
      ['q1', 'a1', 'new q2', 'new a2'],
    ],
    [
      'a side chain at the end is no leaf',
      [u1, a1, u2, a2, { ...u3, isSidechain: true }, { ...a3, isSidechain: true }],
      ['q1', 'a1', 'old q2', 'old a2'],
    ],
    [
      'a system entry at the end is a leaf',
      [...branched, system('t1', 'a2', 'turn_duration')],
      ['q1', 'a1', 'old q2', 'old a2'],
    ],
    [
      'a last-prompt revives the branch it names',
      [...branched, lastPrompt('a2')],
      ['q1', 'a1', 'old q2', 'old a2'],
    ],
    [
      'a last-prompt inside the chain goes on to the newest entry below it',
      [...branched, lastPrompt('a1')],
      ['q1', 'a1', 'new q2', 'new a2'],
    ],
    [
      'a last-prompt that names nothing counts for nothing',
      [...branched, lastPrompt('a2'), lastPrompt('gone')],
      ['q1', 'a1', 'new q2', 'new a2'],
    ],
    [
      'in the place of a missing parent comes the newest entry of the five seconds before',
      [...timed, ...lost(8)],
      ['q1', 'a1', 'old q2', 'old a2', 'new q2', 'new a2'],
    ],
    [
      'without an entry in the five seconds before a missing parent ends the path',
      [...timed, ...lost(9)],
      ['new q2', 'new a2'],
    ],
    [
      'of entries of the same time the first one takes the place of a missing parent',
      [u1, a1, u2, a2, ...lost(0)],
      ['q1', 'new q2', 'new a2'],
    ],
    [
      'a parent of null starts a new chain',
      [u1, a1, { ...u2, parentUuid: null }, a2],
      ['old q2', 'old a2'],
    ],
    [
      'a cycle is cut and every entry sent once',
      [{ ...u1, parentUuid: uuidOf('a2') }, a1, u2, a2],
      ['q1', 'a1', 'old q2', 'old a2'],
    ],
    [
      'of a uuid given twice the later line counts in the place of the first',
      [u1, a1, u2, a2, { ...u2, message: { role: 'user', content: 'dup q2' } }],
      ['q1', 'a1', 'dup q2', 'old a2'],
    ],
    [
      'nothing before a compaction boundary is sent',
      [u1, a1, boundary(), summary, user('u4', 'cs', 'q4')],
      ['SUMMARY', 'q4'],
    ],
    [
      'a boundary that is linked backwards cuts too',
      [u1, a1, { ...boundary(), parentUuid: uuidOf('a1') }, summary],
      ['SUMMARY'],
    ],
    [
      'a boundary off the chain cuts nothing',
      [u1, a1, boundary(), summary, { ...u3, parentUuid: uuidOf('a1') }],
      ['q1', 'a1', 'new q2'],
    ],
    [
      'a summary without a boundary cuts nothing',
      [u1, a1, { ...summary, parentUuid: uuidOf('a1') }],
      ['q1', 'a1', 'SUMMARY'],
    ],
    [
      'a kept stretch is sent after the summary',
      [
        u1,
        a1,
        u2,
        a2,
        boundary({
          compactMetadata: {
            preservedSegment: {
              headUuid: uuidOf('u2'),
              anchorUuid: uuidOf('cs'),
              tailUuid: uuidOf('a2'),
            },
          },
        }),
        summary,
        user('u4', 'cs', 'q4'),
      ],
      ['SUMMARY', 'old q2', 'old a2', 'q4'],
    ],
    [
      'kept entries that are gone are not missed',
      [
        boundary({
          compactMetadata: {
            preservedMessages: { anchorUuid: uuidOf('cs'), uuids: [uuidOf('u2'), uuidOf('a2')] },
          },
        }),
        summary,
        user('u4', 'cs', 'q4'),
      ],
      ['SUMMARY', 'q4'],
    ],
    [
      'a chain that goes on from a kept entry passes the summary',
      [
        u1,
        a1,
        u2,
        a2,
        boundary({
          compactMetadata: {
            preservedMessages: { anchorUuid: uuidOf('cs'), uuids: [uuidOf('u2'), uuidOf('a2')] },
          },
        }),
        summary,
        user('u4', 'a2', 'q4'),
      ],
      ['SUMMARY', 'old q2', 'old a2', 'q4'],
    ],
    [
      'failed requests, empty words and lone thinking are not sent',
      [
        u1,
        {
          ...assistant('e1', 'u1', [text('API Error: 500')], 'm', '<synthetic>'),
          isApiErrorMessage: true,
        },
        user('e2', 'e1', ''),
        assistant('e3', 'e2', [thinking('hm', 'sig')]),
        assistant('a1', 'e3', [text('a1')]),
      ],
      ['q1', 'a1'],
    ],
    [
      'a local command is sent, a timing is not',
      [
        u1,
        system('l1', 'u1', 'local_command', { content: '<command-name>/x</command-name>' }),
        system('t1', 'l1', 'turn_duration'),
      ],
      ['q1', '<command-name>/x</command-name>'],
    ],
    [
      'notices of hooks are not sent, changed files are',
      [
        u1,
        attachment('h1', 'u1', { type: 'hook_success', content: '' }),
        attachment('h2', 'h1', { type: 'edited_text_file', snippet: 'x' }),
      ],
      ['q1', 'opaque'],
    ],
    [
      'what the client announces anew at every resume is no part of the session',
      [
        u1,
        attachment('d1', 'u1', { type: 'deferred_tools_delta', addedNames: ['WebFetch'] }),
        attachment('d2', 'd1', { type: 'agent_listing_delta', addedTypes: ['claude'] }),
        attachment('d3', 'd2', { type: 'mcp_instructions_delta', addedNames: ['docs'] }),
        attachment('d4', 'd3', { type: 'skill_listing', content: '- review' }),
        attachment('d5', 'd4', { type: 'instructions', files: [] }),
      ],
      ['q1'],
    ],
  ])('%s', (_, entries, expected) => {
    expect(readLive(entries)).toEqual(expected)
  })

  const c1 = assistant('c1', 'u1', [call('t1')], 'msg')
  const c2 = assistant('c2', 'c1', [call('t2')], 'msg')
  const r1 = result('r1', 'c1', 't1', 'o1')
  const r2 = result('r2', 'c2', 't2', 'o2')
  test.each<[string, BuiltEntry[]]>([
    ['each on its call', [u1, c1, c2, r1, r2]],
    [
      'one after the other',
      [u1, c1, c2, { ...r1, parentUuid: uuidOf('c2') }, { ...r2, parentUuid: uuidOf('r1') }],
    ],
    ['between the calls', [u1, c1, r1, { ...c2, parentUuid: uuidOf('r1') }, r2]],
  ])('results of parallel calls written %s are read the same', (_, entries) => {
    const { messages } = claudeCode.parse(
      toJsonl([...entries, assistant('a2', 'r2', [text('done')])]),
    )
    expect(messages.map((message) => message.role)).toEqual([
      'user',
      'assistant',
      'tool',
      'tool',
      'assistant',
    ])
    expect(messages[1]?.parts).toMatchObject([{ callId: 't1' }, { callId: 't2' }])
    expect(messages.slice(2, 4).map((message) => message.parts[0])).toMatchObject([
      { callId: 't1', name: 'Bash' },
      { callId: 't2', name: 'Bash' },
    ])
  })

  test('a message id that comes back after words of the person is another answer', () => {
    const entries = [
      u1,
      assistant('a1', 'u1', [text('x')], 'msg'),
      user('u2', 'a1', 'q2'),
      assistant('a2', 'u2', [text('y')], 'msg'),
    ]
    expect(readLive(entries)).toEqual(['q1', 'x', 'q2', 'y'])
  })

  test('a blank text block is carried with its entry and not read', () => {
    const answer = assistant('a1', 'u1', [text(''), call('t1')])
    const { messages } = claudeCode.parse(toJsonl([u1, answer]))
    expect(messages[1]?.parts).toMatchObject([{ type: 'tool-call' }])
  })

  test('takes time with entries whose parents are missing', { tags: 'slow' }, async () => {
    const make = (size: number) =>
      toJsonl(Array.from({ length: size }, (_, index) => user(`u${index}`, `gone${index}`, 'x')))
    await expectLinearGrowth(make, (log) => claudeCode.parse(log), 500)
  })

  test('everything at once is read as the agent reads it', () => {
    const { messages } = claudeCode.parse(toJsonl(createRichSession()))
    expect(messages.map(({ role, origin, records }) => [role, origin, records])).toEqual([
      ['user', 'user', [2]],
      ['assistant', 'agent', [5, 6, 7, 9]],
      ['tool', 'environment', [10]],
      ['tool', 'environment', [12]],
      ['assistant', 'agent', [13]],
      ['user', 'user', [15]],
      ['assistant', 'agent', [17]],
      ['user', 'user', [18]],
      ['tool', 'environment', [19]],
      ['assistant', 'agent', [20]],
    ])
    expect(messages[1]?.parts).toMatchObject([
      { type: 'reasoning', text: 'which files?', signatureLength: 7 },
      { type: 'text' },
      { type: 'tool-call', input: { command: 'ls', number: 1.5 } },
      { type: 'tool-call' },
    ])
    expect(messages[5]?.parts[1]).toMatchObject({ type: 'image', mediaType: 'image/png', bytes: 5 })
  })
})
