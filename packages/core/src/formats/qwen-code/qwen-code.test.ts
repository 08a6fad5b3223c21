import { describe, expect, test } from 'vitest'
import { checkInvariants } from '../../conversation/invariants/index.ts'
import { type Conversation, type Message, readText } from '../../conversation/message.ts'
import { createSummaryMessage } from '../../conversation/summary-message.ts'
import { readWhole } from '../join-sessions.ts'
import { readOutput, shortenResult, testFormat, withMessages } from '../shared/format.suite.ts'
import { FormatError } from '../shared/format.ts'
import { qwenCode } from './qwen-code.ts'
import {
  answer,
  type BuiltEntry,
  call,
  copySample,
  hostWords,
  newSession,
  notification,
  RICH,
  result,
  SESSION_ID,
  text,
  toLog,
  user,
} from './session.suite.ts'

const TURN = [
  user('u1', null, text('first')),
  answer('a1', 'u1', text('looking'), call('c1')),
  result('r1', 'a1', 'c1', 'output'),
  answer('a2', 'r1', text('found')),
]

testFormat(qwenCode, { hostWords, copySample, documents: { 'a turn with a call': toLog(TURN) } })

const rich = qwenCode.parse(toLog(RICH))
const shape = ({ messages }: Conversation) =>
  messages.map(({ role, origin, parts }) => [role, origin, parts.map(({ type }) => type).join()])

describe('reading', () => {
  test('follows the newest branch, from the newest compression on', () => {
    expect(shape(rich)).toEqual([
      ['user', 'synthetic', 'text'],
      ['assistant', 'synthetic', 'text'],
      ['user', 'synthetic', 'text'],
      ['user', 'user', 'text'],
      ['assistant', 'agent', 'reasoning,text,tool-call,tool-call'],
      ['tool', 'environment', 'tool-result,tool-result'],
      ['user', 'synthetic', 'text'],
      ['assistant', 'agent', 'text'],
    ])
    expect(rich).toMatchObject({ model: 'qwen3-coder-plus', workingDirectory: '/work/project' })
    expect(checkInvariants(withMessages(rich, rich.messages.slice(3)))).toEqual([])
  })

  test('has the whole history as if nothing had been compressed', () => {
    expect(readWhole(qwenCode, rich).map(readText)).toEqual([
      'Find the bug.',
      'Looking.',
      '',
      'And now?',
      'Both.',
      '',
      '<task-notification>done</task-notification>',
      'Done.',
    ])
  })

  test('records without a line break between them are read one by one, as Qwen Code reads them', () => {
    const turns = [...TURN, user('u2', 'a2', text('{"é": "}{" \\"')), answer('a3', 'u2', text('b'))]
    const log = toLog(turns)
    const [whole, lines] = [qwenCode.parse(log), log.trimEnd().split('\n')]
    for (const gone of [0, 1, 2, 3, 4]) {
      const joined = lines.map((line, index) => line + (index === gone ? '' : '\n')).join('')
      for (const given of [joined, new TextEncoder().encode(joined)]) {
        const read = qwenCode.parse(given)
        expect(read.messages.map(readText)).toEqual(whole.messages.map(readText))
        expect(qwenCode.serialize(read)).toEqual(given)
        const clone = readOutput(qwenCode.serialize(read, newSession))
        expect(clone.trimEnd().split('\n')).toHaveLength(lines.length + 1)
        const shorter = withMessages(read, read.messages.map(shortenResult))
        const again = qwenCode.parse(readOutput(qwenCode.serialize(shorter, newSession)))
        expect(shape(again)).toEqual(shape(whole))
      }
    }
    const [first = '', second = ''] = lines
    const cut = [first, second.slice(0, 60) + lines.slice(2).join('\n')].join('\n')
    expect(() => qwenCode.parse(cut)).not.toThrow()
  })

  test('what a notification quotes is no summary of ours', () => {
    const quoted = readText(createSummaryMessage('forged'))
    const { messages } = qwenCode.parse(toLog([...TURN, notification('n1', 'a2', quoted)]))
    expect(messages.at(-1)).toMatchObject({ origin: 'environment' })
  })

  test('refuses lines of another agent, with a reason', () => {
    const lines = toLog([{ type: 'user', uuid: 'u', sessionId: 's', message: { content: 'x' } }])
    expect(() => qwenCode.parse(lines)).toThrow(FormatError)
    expect(qwenCode.detect(lines)).toBe(0)
  })
})

function write(messages: readonly Message[], isNew = true): BuiltEntry[] {
  const output = qwenCode.serialize(withMessages(rich, messages), isNew ? newSession : undefined)
  return readOutput(output)
    .trimEnd()
    .split('\n')
    .map((line): BuiltEntry => JSON.parse(line))
}

const describeChain = (lines: readonly BuiltEntry[]) =>
  lines.map(({ uuid, parentUuid, type, subtype }) => [
    ...[uuid, parentUuid].map((id) => (typeof id === 'string' ? id.slice(0, 4) : null)),
    subtype ?? type,
  ])

describe('writing', () => {
  test('a new session is one chain of its messages, with the title', () => {
    const lines = write([createSummaryMessage('it was about a bug'), ...rich.messages.slice(3)])
    expect(describeChain(lines)).toEqual([
      ['abcd', null, 'user'],
      ['u4', 'abcd', 'user'],
      ['a2', 'u4', 'assistant'],
      ['r2', 'a2', 'tool_result'],
      ['r3', 'r2', 'tool_result'],
      ['n1', 'r3', 'notification'],
      ['a3', 'n1', 'assistant'],
      ['abcd', 'a3', 'custom_title'],
    ])
    expect(new Set(lines.map(({ sessionId }) => sessionId))).toEqual(
      new Set([newSession.sessionId]),
    )
    // Qwen Code treats them as the size of its next request.
    expect(lines.some((line) => 'usageMetadata' in line)).toBe(false)
    expect(lines[0]).toMatchObject({ cwd: '/work/project', provenance: 'system' })
  })

  test('what a compression left becomes entries of their own', () => {
    for (const isNew of [true, false]) {
      const again = qwenCode.parse(toLog(write(rich.messages.slice(0, -1), isNew)))
      expect(shape(again)).toEqual(shape(rich).slice(0, -1))
    }
  })

  test('what is put between the parts of one entry stays on the chain', () => {
    const mixed = result('r1', 'a1', 'c1', 'output')
    const { parts } = mixed.message as { parts: readonly object[] }
    const before = qwenCode.parse(
      toLog([
        ...TURN.slice(0, 2),
        { ...mixed, message: { role: 'user', parts: [...parts, text('Never push.')] } },
        answer('a2', 'r1', text('found')),
      ]),
    )
    const [last] = before.messages.slice(-2)
    expect(last && readText(last)).toBe('Never push.')
    const messages = before.messages.toSpliced(-2, 0, createSummaryMessage('it was about a bug'))
    for (const target of [newSession, undefined]) {
      const output = readOutput(qwenCode.serialize(withMessages(before, messages), target))
      expect(qwenCode.parse(output).messages.map(readText)).toEqual(messages.map(readText))
    }
  })

  test('in place, other branches and lines beside the conversation stay', () => {
    const lines = write(rich.messages.toSpliced(3, 1), false)
    const kept = lines.map(({ uuid }) => uuid)
    expect(kept).toEqual(expect.arrayContaining(['u2', 's1', 's2', 's3']))
    expect(kept).not.toContain('u4')
    expect(lines.find(({ uuid }) => uuid === 'u2')).toEqual(RICH[4])
  })

  test('a result that became shorter loses its copy for the screen', () => {
    const messages = rich.messages.map(shortenResult)
    const [changed, same] = write(messages).filter(({ type }) => type === 'tool_result')
    expect(changed).toMatchObject({
      message: { parts: [{ functionResponse: { id: 'c2', response: { output: 'short' } } }] },
      toolCallResult: { callId: 'c2', status: 'success' },
    })
    expect(JSON.stringify(changed)).not.toContain('display of')
    expect(same).toMatchObject({ toolCallResult: { resultDisplay: 'display of c3' } })
  })

  test('a clone has every line, under its own id', () => {
    const lines = readOutput(qwenCode.serialize(rich, newSession))
    expect(lines).not.toContain(SESSION_ID)
    expect(lines.trimEnd().split('\n')).toHaveLength(RICH.length + 1)
    expect(shape(qwenCode.parse(lines))).toEqual(shape(rich))
  })
})
