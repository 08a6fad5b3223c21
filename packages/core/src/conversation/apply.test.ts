import { describe, expect, test } from 'vitest'
import { apply } from './apply.ts'
import type { AppliedEdit } from './edit.ts'
import { agent, conversationOf, injected, person, result, system } from './histories.suite.ts'
import { type Message, type Protocol, readText } from './message.ts'
import { createSummaryMessage } from './summary-message.ts'

const conversation = conversationOf([person('a'), agent('b'), person('c'), agent('d')])

describe('apply', () => {
  test('without edits every message is the same object', () => {
    expect(apply(conversation, []).messages).toEqual(conversation.messages)
    expect(apply(conversation, []).messages[2]).toBe(conversation.messages[2])
  })

  test('drops and replaces ranges and leaves the rest alone', () => {
    const stub = agent('stub')
    const edited = apply(conversation, [
      { type: 'drop', start: 0, end: 2 },
      { type: 'replace', start: 3, end: 4, messages: [stub] },
    ])
    expect(edited.messages).toEqual([conversation.messages[2], stub])
  })

  test('never changes the conversation it was given', () => {
    const before = [...conversation.messages]
    apply(conversation, [{ type: 'drop', start: 0, end: 4 }])
    expect(conversation.messages).toEqual(before)
  })

  describe('roles take turns', () => {
    const text = (messages: readonly Message[]) =>
      messages.map((message) => `${message.role}: ${readText(message)}`)
    const summary = createSummaryMessage('what was')
    const steps = [person('a'), agent('', '1'), result('1'), agent('b'), person('c'), agent('d')]
    const edit = (
      messages: readonly Message[],
      edits: readonly AppliedEdit[],
      protocol?: Protocol,
    ) => text(apply(conversationOf(messages, protocol), edits).messages)

    test.each([
      [
        'request and request',
        1,
        4,
        ['user: a', 'assistant: Understood.', 'user: c', 'assistant: d'],
      ],
      [
        'results and request',
        3,
        4,
        ['user: a', 'assistant: ', 'tool: ', 'assistant: Understood.', 'user: c', 'assistant: d'],
      ],
      [
        'nothing and answer',
        0,
        3,
        ['user: [Earlier messages were removed.]', 'assistant: b', 'user: c', 'assistant: d'],
      ],
    ])('where a drop brings %s together', (_, start, end, expected) => {
      expect(edit(steps, [{ type: 'drop', start, end }])).toEqual(expected)
    })

    test('where a drop brings answers together, for providers that insist on it', () => {
      const drop: AppliedEdit = { type: 'drop', start: 1, end: 2 }
      const messages = [agent('a'), person('b'), agent('c')]
      const apart = ['assistant: a', 'user: [Earlier messages were removed.]', 'assistant: c']
      expect(edit(messages, [drop], 'openai-chat')).toEqual(apart)
      expect(edit(messages, [drop], 'gemini-contents')).toEqual(apart)
      expect(edit(messages, [drop], 'anthropic-messages')).toEqual(['assistant: a', 'assistant: c'])
      expect(edit(messages, [drop], 'openai-responses')).toEqual(['assistant: a', 'assistant: c'])
    })

    test.each([
      [
        'before a request',
        [person('a'), agent('b'), person('c')],
        0,
        2,
        ['summary', 'assistant', 'user'],
      ],
      [
        'behind a request',
        steps,
        1,
        4,
        ['user', 'assistant', 'summary', 'assistant', 'user', 'assistant'],
      ],
      [
        'at the end of an answered history',
        [person('a'), agent('b')],
        0,
        2,
        ['summary', 'assistant'],
      ],
      ['before an answer', steps, 0, 3, ['summary', 'assistant', 'user', 'assistant']],
      [
        'behind the system prompt',
        [system('s'), ...steps],
        1,
        4,
        ['system', 'summary', 'assistant', 'user', 'assistant'],
      ],
    ])('around a summary %s', (_, messages, start, end, expected) => {
      const edited = apply(conversationOf(messages), [
        { type: 'replace', start, end, messages: [summary] },
      ])
      expect(
        edited.messages.map((message) => (message === summary ? 'summary' : message.role)),
      ).toEqual(expected)
    })

    test('a listed system message whose results go has a message of the user before it', () => {
      const listed = { ...system('frozen'), isListed: true } as Message
      const messages = [person('a'), agent('b', '1'), result('1'), listed, agent('c'), person('d')]
      const removal: AppliedEdit = { type: 'replace', start: 1, end: 3, messages: [agent('b')] }
      const after = ['system: frozen', 'assistant: c', 'user: d']
      const removed = 'user: [Earlier messages were removed.]'
      expect(edit(messages, [removal], 'anthropic-messages')).toEqual([
        'user: a',
        'assistant: b',
        removed,
        ...after,
      ])
      expect(edit(messages, [{ type: 'drop', start: 0, end: 3 }], 'anthropic-messages')).toEqual([
        removed,
        ...after,
      ])
      expect(edit(messages, [{ type: 'drop', start: 1, end: 3 }], 'anthropic-messages')).toEqual([
        'user: a',
        ...after,
      ])
      expect(
        edit(
          [agent('b'), listed, agent('c'), person('d'), agent('e')],
          [{ type: 'drop', start: 3, end: 5 }],
        ),
      ).toEqual(['assistant: b', 'system: frozen', 'assistant: c'])
    })

    test('but what the host sent side by side stays side by side', () => {
      const messages = [
        person('a'),
        injected('b'),
        person('c'),
        agent('d'),
        agent('e'),
        result('1'),
        person('f'),
      ]
      const changed = { ...person('C'), origin: 'synthetic' as const }
      const kept = {
        type: 'replace' as const,
        start: 0,
        end: 2,
        messages: [person('A'), messages[1]!],
      }
      const edits = [kept, { type: 'replace' as const, start: 2, end: 3, messages: [changed] }]
      const roles = ['user', 'user', 'user', 'assistant', 'assistant', 'tool', 'user']
      expect(apply(conversationOf(messages), edits).messages.map(({ role }) => role)).toEqual(roles)
    })
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
