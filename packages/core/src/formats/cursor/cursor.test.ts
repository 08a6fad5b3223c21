import { describe, expect, test } from 'vitest'
import { checkInvariants } from '../../conversation/invariants/index.ts'
import { readText } from '../../conversation/message.ts'
import { testFormat } from '../shared/format.suite.ts'
import { cursor } from './cursor.ts'
import { answer, hostWords, line, RICH, text, toLog, typed } from './session.suite.ts'

testFormat(cursor, {
  hostWords,
  documents: { 'a transcript': toLog(RICH) },
})

describe('cursor', () => {
  test('the words of the user are apart from what Cursor puts around them', () => {
    const { messages } = cursor.parse(toLog(RICH))
    const said = messages.filter(({ role }) => role === 'user')
    expect(
      said.map(({ origin, parts }) => [origin, parts.map((part) => 'text' in part && part.text)]),
    ).toEqual([
      ['user', [expect.stringMatching(/^<timestamp>.*>$/), 'Find the bug.']],
      ['user', [expect.stringContaining('a.ts'), 'fix it', expect.stringContaining('Agent mode')]],
      ['user', ['thanks']],
    ])
  })

  test('what only Cursor said is no request', () => {
    const notice = '<system_reminder>The user switched to agent mode.</system_reminder>'
    const { messages } = cursor.parse(toLog([typed('hi'), line('user', text(notice))]))
    expect(messages.map(({ origin }) => origin)).toEqual(['user', 'synthetic'])
  })

  test('every call has a result that says that Cursor stored none, so no rule is broken', () => {
    const conversation = cursor.parse(toLog(RICH))
    expect(checkInvariants(conversation)).toEqual([])
    const results = conversation.messages.filter(({ role }) => role === 'tool')
    expect(results.map(({ parts }) => parts.length)).toEqual([1, 2, 1])
    expect(toLog(RICH)).not.toContain('tool_result')
  })

  test('a transcript of nothing but ends of turns is refused, with the place of others', () => {
    expect(() => cursor.parse('{"type":"turn_ended","status":"success"}\n')).toThrow(
      /none of its lines is a message of Cursor/,
    )
  })

  test('half a frame is the words of the user', () => {
    const { messages } = cursor.parse(
      toLog([line('user', text('what is <user_query> for?')), answer(text('x'))]),
    )
    expect(messages.map(readText)).toEqual(['what is <user_query> for?', 'x'])
  })
})
