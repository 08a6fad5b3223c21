import { describe, expect, test } from 'vitest'
import { apply } from './apply.ts'
import { agent, conversationOf, person } from './histories.suite.ts'

const conversation = conversationOf([person('a'), agent('b'), person('c'), agent('d')])

describe('apply', () => {
  test('without edits every message is the same object', () => {
    expect(apply(conversation, []).messages).toEqual(conversation.messages)
    expect(apply(conversation, []).messages[2]).toBe(conversation.messages[2])
  })

  test('drops and replaces ranges and leaves the rest alone', () => {
    const stub = person('stub')
    const edited = apply(conversation, [
      { type: 'drop', start: 0, end: 1 },
      { type: 'replace', start: 2, end: 4, messages: [stub] },
    ])
    expect(edited.messages).toEqual([conversation.messages[1], stub])
  })

  test('never changes the conversation it was given', () => {
    const before = [...conversation.messages]
    apply(conversation, [{ type: 'drop', start: 0, end: 4 }])
    expect(conversation.messages).toEqual(before)
  })

  test.each([
    [
      'overlap',
      [
        { type: 'drop', start: 0, end: 2 },
        { type: 'drop', start: 1, end: 3 },
      ],
    ],
    ['run backwards', [{ type: 'drop', start: 3, end: 1 }]],
    ['leave the history', [{ type: 'drop', start: 2, end: 9 }]],
  ] as const)('refuses edits that %s', (_, edits) => {
    expect(() => apply(conversation, edits)).toThrow(RangeError)
  })
})
