import { describe, expect, test } from 'vitest'
import { type Conversation, type Message, readText } from '../../conversation/message.ts'
import { createSummaryMessage, isSummary } from '../../conversation/summary-message.ts'
import { toModelMessages } from '../ai-sdk/model-messages.ts'
import { readOutput, shortenResult, testFormat, withMessages } from '../shared/format.suite.ts'
import { FormatError } from '../shared/format.ts'
import { isJsonObject, type JsonObject } from '../shared/json.ts'
import { pi } from './pi.ts'
import {
  answer,
  type BuiltEntry,
  call,
  copySample,
  entry,
  header,
  hostWords,
  newSession,
  RICH,
  result,
  text,
  thinking,
  toJsonl,
  user,
} from './session.suite.ts'

const withoutLinks = (line: BuiltEntry): Omit<BuiltEntry, 'id'> => ({
  ...line,
  id: undefined,
  parentId: undefined,
})

testFormat(pi, {
  copySample,
  hostWords,
  documents: {
    'a turn with a call': toJsonl([
      header(),
      entry('m1', null, 'model_change', { provider: 'anthropic', modelId: 'claude-opus-4-5' }),
      user('u1', 'm1', [text('first')]),
      answer('a1', 'u1', [thinking('hm', 'sig'), text('looking'), call('c1')]),
      result('r1', 'a1', 'c1', 'output'),
      answer('a2', 'r1', [text('found')]),
      user('u2', 'a2', 'second, as a string'),
    ]),
    'version 1, without ids': toJsonl(
      [
        header({ version: undefined }),
        user('', '', [text('first')]),
        answer('', '', [text('done')]),
      ].map((line) => (line.type === 'session' ? line : withoutLinks(line))),
    ),
  },
})

const rich = pi.parse(toJsonl(RICH))

describe('reading', () => {
  test('follows the branch of the newest entry and leaves out what pi does not send', () => {
    expect(
      rich.messages.map(({ role, origin, parts }) => [
        role,
        origin,
        parts.map(({ type }) => type).join(),
      ]),
    ).toEqual([
      ['user', 'user', 'text'],
      ['assistant', 'agent', 'reasoning,text,tool-call,tool-call'],
      ['tool', 'environment', 'tool-result,tool-result'],
      ['user', 'synthetic', 'text'],
      ['user', 'synthetic', 'text'],
      ['assistant', 'agent', 'text'],
      ['user', 'user', 'text,image'],
    ])
    expect(readText(rich.messages[3]!)).toBe(
      'Ran `ls`\n```\na.ts\n```\n\nCommand exited with code 1',
    )
    expect(rich).toMatchObject({
      protocol: 'anthropic-messages',
      model: 'claude-opus-4-5',
      workingDirectory: '/work/project',
    })
  })

  test.each([
    ['anthropic-messages', 'anthropic-messages', 3],
    ['openai-codex-responses', 'openai-responses', 3],
    ['google-vertex', 'gemini-contents', 3],
    ['openai-completions', 'openai-chat', 0],
    ['something-new', 'openai-chat', 3],
  ])('an answer of %s obeys the rules of %s', (api, protocol, signatureLength) => {
    const { messages, ...facts } = pi.parse(
      toJsonl([header(), answer('a1', null, [thinking('hm', 'sig')], { api })]),
    )
    expect(facts.protocol).toBe(protocol)
    expect(messages[0]?.parts).toMatchObject([{ type: 'reasoning', signatureLength }])
  })

  test('a compaction comes first, then what it kept, then what followed', () => {
    const { messages } = pi.parse(toJsonl(COMPACTED))
    expect(messages.map(readText)).toEqual([
      'The conversation history before this point was compacted into the following summary:\n\n<summary>\nall of it\n</summary>',
      'kept answer',
      'newest',
    ])
    expect(messages[0]?.origin).toBe('synthetic')
  })

  test('a compaction of version 1 counts its lines', () => {
    const entries = COMPACTED.map((line) => {
      const { firstKeptEntryId: _, version: __, ...fields } = withoutLinks(line)
      if (line.type === 'session') return { ...fields, id: line.id }
      return line.type === 'compaction' ? { ...fields, firstKeptEntryIndex: 2 } : fields
    })
    expect(pi.parse(toJsonl(entries)).messages.map(readText).slice(1)).toEqual([
      'kept answer',
      'newest',
    ])
  })

  test('a circle of parents ends', () => {
    const { messages } = pi.parse(
      toJsonl([header(), user('u1', 'u2', 'one'), user('u2', 'u1', 'two')]),
    )
    expect(messages.map(readText)).toEqual(['one', 'two'])
  })

  test('words of an extension are no summary of ours, even if they look like it', () => {
    const content = readText(createSummaryMessage('lies'))
    const read = (customType: string) =>
      pi.parse(
        toJsonl([
          header(),
          entry('e1', null, 'custom_message', { customType, content, display: true }),
        ]),
      )
    expect(read('extension').messages.map(isSummary)).toEqual([false])
    expect(read('precis').messages.map(isSummary)).toEqual([true])
  })

  test('a newer version is refused with its number', () => {
    const read = () => pi.parse(toJsonl([header({ version: 4 })]))
    expect(read).toThrow(FormatError)
    expect(read).toThrow(/version 4/)
  })

  test('goes on with any model, pictures too', () => {
    const messages = toModelMessages(rich, 'anthropic-messages')
    expect(messages.map(({ role }) => role)).toContain('tool')
    expect(messages.at(-1)?.content).toContainEqual(
      expect.objectContaining({ type: 'file', data: 'aGVsbG8=' }),
    )
  })
})

const COMPACTED = [
  header(),
  user('u1', null, 'oldest'),
  answer('a1', 'u1', [text('kept answer')]),
  entry('c1', 'a1', 'compaction', {
    summary: 'all of it',
    firstKeptEntryId: 'a1',
    tokensBefore: 1000,
  }),
  user('u2', 'c1', 'newest'),
]

test('an older compaction among what a newer one kept is not sent', () => {
  const older = COMPACTED.concat(
    entry('c2', 'u2', 'compaction', { summary: 'newer', firstKeptEntryId: 'a1' }),
  )
  expect(pi.parse(toJsonl(older)).messages.slice(1).map(readText)).toEqual([
    'kept answer',
    'newest',
  ])
})

test('a message that was compacted away does not come back, whatever it is and whichever id the session has', () => {
  const note = entry('e1', 'u1', 'custom_message', {
    customType: 'x',
    content: 'old note',
    display: true,
  })
  const compacted = pi.parse(
    toJsonl(COMPACTED.toSpliced(2, 1, note, answer('a1', 'e1', [text('kept answer')]))),
  )
  const kept = compacted.messages.toSpliced(1, 1)
  for (const isNew of [true, false]) {
    expect(pi.parse(toJsonl(write(compacted, kept, isNew))).messages.map(readText)).toEqual(
      kept.map(readText),
    )
  }
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

const readMessage = ({ message }: BuiltEntry): JsonObject => (isJsonObject(message) ? message : {})
const dateMessage = (line: BuiltEntry) => ({
  ...readMessage(line),
  timestamp: Date.parse(newSession.timestamp),
})

describe('writing', () => {
  test('links a new session into one chain, under its own id, with its title last', () => {
    const lines = write(rich, rich.messages.slice(3))
    expect(lines[0]).toMatchObject({
      type: 'session',
      id: newSession.sessionId,
      timestamp: newSession.timestamp,
    })
    const [, ...chain] = lines
    chain.forEach(({ parentId }, index) => {
      expect(parentId).toBe(chain[index - 1]?.id ?? null)
    })
    expect(lines.map(({ type }) => type)).toEqual([
      'session',
      'model_change',
      'message',
      'custom_message',
      'message',
      'message',
      'session_info',
    ])
    expect(lines.at(-1)).toMatchObject({ name: newSession.title })
  })

  test('empties the usage that would make pi compact at once, and touches nothing else of an answer', () => {
    const before = RICH.find(({ id }) => id === 'a2')
    const after = write(rich, rich.messages.slice(1)).find(({ id }) => id === 'a2')
    expect(after).toMatchObject({ message: { usage: { totalTokens: 0, cost: { total: 0 } } } })
    expect({ ...after, message: 0, parentId: 0 }).toEqual({ ...before, message: 0, parentId: 0 })
    expect(after?.message).toMatchObject({
      content: [text('Two files.')],
      model: 'claude-opus-4-5',
      stopReason: 'stop',
    })
  })

  test('a result that became shorter loses its copy for the screen; the one beside it keeps its bytes', () => {
    const messages = rich.messages.map(shortenResult)
    const lines = write(rich, messages, false)
    expect(lines.find(({ id }) => id === 'r1')?.message).toEqual({
      role: 'toolResult',
      toolCallId: 'c1',
      toolName: 'bash',
      content: [text('short')],
      isError: false,
      timestamp: 1,
    })
    expect(lines.find(({ id }) => id === 'r2')).toEqual(RICH.find(({ id }) => id === 'r2'))
    expect(JSON.stringify(lines)).not.toContain('output output')
  })

  test('carries labels of what stays, settings and names when the session keeps its id', () => {
    const types = (messages: readonly Message[]) =>
      write(rich, messages, false).map(({ type }) => type)
    expect(types(rich.messages.slice(1))).toContain('label')
    expect(types(rich.messages.slice(3))).not.toContain('label')
    expect(types(rich.messages.slice(3))).toContain('session_info')
  })

  test('a kept compaction goes first and keeps nothing from before it', () => {
    const compacted = pi.parse(toJsonl(COMPACTED))
    const lines = write(compacted, compacted.messages.toSpliced(1, 1))
    expect(lines[1]).toMatchObject({
      type: 'compaction',
      summary: 'all of it',
      firstKeptEntryId: 'c1',
      parentId: null,
    })
    const again = pi.parse(toJsonl(lines))
    expect(again.messages.map(readText)).toEqual(compacted.messages.toSpliced(1, 1).map(readText))
  })

  test('a compaction behind a message of ours is written as its words, or pi would forget ours', () => {
    const compacted = pi.parse(toJsonl(COMPACTED))
    const messages = [createSummaryMessage('before'), ...compacted.messages]
    const again = pi.parse(toJsonl(write(compacted, messages)))
    expect(again.messages.map(readText)).toEqual(messages.map(readText))
  })

  test('new calls and results are written as entries of their own', () => {
    const messages: Message[] = [
      ...rich.messages,
      {
        role: 'assistant',
        origin: 'agent',
        parts: [{ type: 'tool-call', callId: 'n1', name: 'read', input: '{"path":"a"}' }],
      },
      {
        role: 'tool',
        origin: 'environment',
        parts: [
          {
            type: 'tool-result',
            callId: 'n1',
            name: 'read',
            output: [{ type: 'text', text: 'A' }],
            isError: true,
          },
        ],
      },
    ]
    const again = pi.parse(toJsonl(write(rich, messages)))
    expect(again.messages.slice(-2)).toMatchObject([
      { role: 'assistant', parts: [{ callId: 'n1', input: { path: 'a' } }] },
      {
        role: 'tool',
        parts: [{ callId: 'n1', name: 'read', isError: true, output: [{ text: 'A' }] }],
      },
    ])
  })

  test('a clone of an unedited session keeps every line, dead branches too', () => {
    const lines = readOutput(pi.serialize(rich, newSession)).trimEnd().split('\n')
    const newest = (line: BuiltEntry) =>
      line.id === 'u2' ? { ...line, message: dateMessage(line) } : line
    expect(lines.slice(1, -1)).toEqual(RICH.slice(1).map((line) => JSON.stringify(newest(line))))
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ type: 'session_info', parentId: 'u2' })
  })

  test('a copy stands on top of the list of pi, which goes by the newest time of a request or an answer', () => {
    const madeMs = Date.parse(newSession.timestamp)
    const listTimes = (lines: readonly BuiltEntry[]) =>
      lines
        .map(readMessage)
        .flatMap(({ role, timestamp }) =>
          role === 'user' || role === 'assistant' ? timestamp : [],
        )
    const onlyAnswers = rich.messages.filter(({ origin }) => origin !== 'user')
    for (const messages of [rich.messages.slice(0, 4), rich.messages.slice(3), onlyAnswers]) {
      const [newest = 0, ...others] = listTimes(write(rich, messages)).sort(
        (a, b) => Number(b) - Number(a),
      )
      expect(newest).toBe(madeMs)
      expect(others).not.toContain(madeMs)
    }
    expect(listTimes(write(rich, rich.messages.slice(3), false))).not.toContain(madeMs)
  })

  test('a line that was cut off is carried, and read over', () => {
    const cut = toJsonl(RICH) + JSON.stringify(user('u9', 'u2', 'never')).slice(0, -9)
    expect(pi.serialize(pi.parse(cut))).toBe(cut)
    expect(pi.parse(cut).messages).toHaveLength(rich.messages.length)
  })

  test('a system message is refused', () => {
    const system: Message = {
      role: 'system',
      origin: 'environment',
      parts: [{ type: 'text', text: 'x' }],
    }
    expect(() => write(rich, [system, ...rich.messages])).toThrow(FormatError)
  })
})
