import { describe, expect, test } from 'vitest'
import {
  type Conversation,
  type Message,
  readText,
  renderPart,
} from '../../conversation/message.ts'
import { createSummaryMessage } from '../../conversation/summary-message.ts'
import { joinSessions } from '../join-sessions.ts'
import { readOutput, withMessages } from '../shared/format.suite.ts'
import { pi } from './pi.ts'
import {
  answer,
  type BuiltEntry,
  call,
  entry,
  header,
  newSession,
  result,
  text,
  thinking,
  toJsonl,
  user,
} from './session.suite.ts'

const SECRET = 'sk-live-0123456789abcdef'
const edit = (id: string, parentId: string, targetId: string, replacement: unknown) =>
  entry(id, parentId, 'context_edit', { targetId, replacement })
const system = (id: string, parentId: string | null, sections: object) =>
  entry(id, parentId, 'message', {
    message: { role: 'system', content: '', sections, timestamp: 1 },
  })

/**
 * What pi 1.5 writes: a system prompt in parts, a hidden request, results and answers with other
 * words.
 */
const EDITED: readonly BuiltEntry[] = [
  header(),
  system('s1', null, { preamble: 'be exact' }),
  user('u1', 's1', [text(`hidden ${SECRET}`)]),
  answer('a1', 'u1', [call('c1'), call('c2')]),
  result('r1', 'a1', 'c1', `token ${SECRET}`),
  result('r2', 'r1', 'c2', 'harmless'),
  answer('a2', 'r2', [thinking('hm', 'sig'), text(`it is ${SECRET}`)]),
  entry('e1', 'a2', 'custom_message', {
    customType: 'x',
    content: SECRET,
    details: { SECRET },
    display: true,
  }),
  edit('k1', 'e1', 'u1', null),
  edit('k2', 'k1', 'r1', { content: 'first edit' }),
  edit('k3', 'k2', 'r1', { content: [text('token [redacted]')] }),
  edit('k4', 'k3', 'a2', { content: 'redacted answer' }),
  edit('k5', 'k4', 'e1', { content: 'redacted note' }),
  system('s2', 'k5', { skills: 'one more' }),
  entry('w1', 's2', 'usage', {
    kind: 'cache_warm',
    provider: 'anthropic',
    model: 'claude-opus-4-5',
    usage: {},
  }),
  user('u2', 'w1', 'go on'),
]

describe('edits of context', () => {
  const edited = pi.parse(toJsonl(EDITED))
  const texts = (messages: readonly Message[]) =>
    messages.map(({ parts }) =>
      parts.map((part) => ('output' in part ? part.output.map(renderPart) : renderPart(part))),
    )

  test('hide or replace an entry; the newest one that names it wins', () => {
    expect(texts(edited.messages.slice(1))).toEqual([
      [['token [redacted]'], ['harmless']],
      ['redacted answer'],
      ['redacted note'],
      ['go on'],
    ])
    expect(JSON.stringify(edited.messages)).not.toContain(SECRET)
  })

  test('are in the entries of a copy, and what they replaced is not', () => {
    for (const isNew of [true, false]) {
      const lines = write(edited, edited.messages.slice(1), isNew)
      expect(JSON.stringify(lines)).not.toContain(SECRET)
      expect(lines.map(({ type }) => type)).not.toContain('context_edit')
      expect(texts(pi.parse(toJsonl(lines)).messages)).toEqual(texts(edited.messages.slice(1)))
      expect(lines.find(({ id }) => id === 'r2')).toMatchObject({
        message: { content: [text('harmless')] },
      })
    }
  })

  test('that name nothing on the branch change nothing, and one that cannot be read hides', () => {
    const read = (targetId: string, replacement: unknown) =>
      pi.parse(
        toJsonl([header(), user('u1', null, 'one'), edit('k1', 'u1', targetId, replacement)]),
      ).messages
    expect(read('nowhere', null).map(readText)).toEqual(['one'])
    expect(read('u1', { text: 'of a newer pi' })).toEqual([])
    expect(read('u1', undefined)).toEqual([])
  })

  test('do not make a clone another session', () => {
    const again = pi.parse(readOutput(pi.serialize(edited, newSession)))
    expect(texts(again.messages)).toEqual(texts(edited.messages))
  })

  test('that were made in a copy hold when its additions are put after the original', () => {
    const added = [
      entry('n1', 'u2', 'custom_message', { customType: 'x', content: 'new', display: true }),
      edit('n2', 'n1', 'u2', { content: 'another wording' }),
      edit('n3', 'n2', 'r2', null),
    ]
    const base = pi.parse(toJsonl(EDITED))
    const copied = write(base, base.messages.slice(2))
    const grown = pi.parse(toJsonl([...copied, ...added]))
    const start = toJsonl(copied).length
    const growth = { messages: grown.messages.slice(-1), start }
    const joined = joinSessions({ format: pi, base, grown, growth, newSession })
    expect(joined.keepsRecords).toBe(true)
    expect(texts(pi.parse(joined.bytes).messages).flat(2)).toEqual([
      expect.any(String),
      expect.any(String),
      'token [redacted]',
      'redacted answer',
      'redacted note',
      'another wording',
      'new',
    ])
  })
})

describe('the system prompt of pi 1.5', () => {
  const edited = pi.parse(toJsonl(EDITED))

  test('is in a copy in its order, first what was before all messages', () => {
    const lines = write(edited, [
      createSummaryMessage('it was redacted'),
      ...edited.messages.slice(3),
    ])
    expect(lines.map(({ type, id }) => (id === 's1' || id === 's2' ? id : type))).toEqual([
      'session',
      's1',
      'custom_message',
      'custom_message',
      's2',
      'message',
      'session_info',
    ])
  })

  test('stays before a compaction that is kept, whose checkpoint repeats it', () => {
    const [, ...rest] = EDITED.slice(0, 7)
    const compaction = {
      summary: 'all',
      firstKeptEntryId: 'r2',
      systemMessage: { role: 'system', content: 'be exact' },
    }
    const compacted = pi.parse(
      toJsonl([header(), ...rest, entry('c1', 'a2', 'compaction', compaction)]),
    )
    const lines = write(compacted, compacted.messages.slice(0, 1))
    expect(lines.map(({ type, id }) => id ?? type).slice(1, 3)).toEqual(['s1', 'c1'])
  })
})

function write(
  conversation: Conversation,
  messages: readonly Message[],
  isNew = true,
): BuiltEntry[] {
  const output = readOutput(
    pi.serialize(withMessages(conversation, messages), isNew ? newSession : undefined),
  )
  return output
    .trimEnd()
    .split('\n')
    .map((line): BuiltEntry => JSON.parse(line))
}
