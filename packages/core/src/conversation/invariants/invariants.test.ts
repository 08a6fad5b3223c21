import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { expectLinearGrowth } from '../../../../../test/growth.suite.ts'
import { runs } from '../../../../../test/property-runs.ts'
import {
  agent,
  conversationOf,
  histories,
  injected,
  person,
  result,
  system,
} from '../histories.suite.ts'
import type {
  AssistantMessage,
  Conversation,
  Message,
  OpaquePart,
  Protocol,
  ReasoningPart,
  ToolMessage,
} from '../message.ts'
import { readBonds } from '../read-ties.ts'
import { checkInvariants, invariants, repairInvariants } from './index.ts'

const PROTOCOLS: readonly Protocol[] = [
  'anthropic-messages',
  'openai-chat',
  'openai-responses',
  'gemini-contents',
]

const thinking = (signatureLength: number, text = 'hm'): ReasoningPart => ({
  type: 'reasoning',
  text,
  signatureLength,
})
const thoughtful = (
  signatureLength: number,
  ...rest: AssistantMessage['parts']
): AssistantMessage => ({
  role: 'assistant',
  origin: 'agent',
  parts: [thinking(signatureLength), ...rest],
})
const rules = (conversation: Conversation) =>
  checkInvariants(conversation).map(({ rule, message }) => `${rule} ${message}`)
const repaired = (conversation: Conversation) => repairInvariants(conversation).messages

const carry = (block: { readonly type: string }): OpaquePart => ({
  type: 'opaque',
  kind: block.type,
  text: JSON.stringify(block),
  bonds: readBonds(block),
})

/** Invalid histories that no agent should write. They have few ids, so that ids collide. */
const id = fc.constantFrom('a', 'b', 'c')
const brokenMessages: fc.Arbitrary<Message> = fc.oneof(
  fc.constantFrom('', ' ', 'text').map(person),
  fc.constant(injected('reminder')),
  fc.constant(system('rules')),
  fc
    .tuple(fc.constantFrom('', 'text'), fc.array(id, { maxLength: 3 }))
    .map(([text, ids]) => agent(text, ...ids)),
  fc.constantFrom(0, 9).map((length) => thoughtful(length)),
  fc
    .tuple(fc.constantFrom(0, 9), id)
    .map(([length, callId]) => thoughtful(length, ...agent('', callId).parts)),
  fc.array(id, { minLength: 1, maxLength: 3 }).map(
    (ids): ToolMessage => ({
      role: 'tool',
      origin: 'environment',
      parts: ids.flatMap((callId) => result(callId).parts),
    }),
  ),
  fc.constant<Message>({ role: 'user', origin: 'user', parts: [] }),
  fc
    .array(
      fc.constantFrom(
        ...['a', 'b'].flatMap((name) => [
          { type: 'server_tool_use', id: name },
          { type: 'web_search_tool_result', tool_use_id: name },
          { type: 'mcp_approval_response', approval_request_id: name },
        ]),
        { type: 'tool_use', name: 'read', input: {} },
        { type: 'tool_result', content: 'found' },
        { type: 'item_reference', id: 'c' },
      ),
      { minLength: 1, maxLength: 3 },
    )
    .map(
      (blocks): AssistantMessage => ({
        role: 'assistant',
        origin: 'agent',
        parts: blocks.map(carry),
      }),
    ),
  fc.constant<Message>({
    role: 'user',
    origin: 'user',
    parts: [
      {
        type: 'text',
        text: 'marked',
        native: { type: 'text', text: 'marked', cache_control: { type: 'ephemeral' } },
      },
    ],
  }),
)
const brokenConversations = fc
  .record({
    messages: fc.array(brokenMessages, { maxLength: 30 }),
    protocol: fc.constantFrom(...PROTOCOLS),
  })
  .map(({ messages, protocol }) => conversationOf(messages, protocol))

describe('repairInvariants', () => {
  test('leaves no violation in any history', { tags: 'property' }, () => {
    fc.assert(
      fc.property(brokenConversations, (conversation) => {
        expect(checkInvariants(repairInvariants(conversation))).toEqual([])
      }),
      { numRuns: runs(1_000) },
    )
  })

  test('gives a repaired history back as the same object', { tags: 'property' }, () => {
    fc.assert(
      fc.property(brokenConversations, (conversation) => {
        const once = repairInvariants(conversation)
        expect(repairInvariants(once)).toBe(once)
      }),
      { numRuns: runs(1_000) },
    )
  })

  test('gives a valid history back as the same object, and only a valid one', {
    tags: 'property',
  }, () => {
    fc.assert(
      fc.property(fc.oneof(brokenConversations, histories), (conversation) => {
        expect(repairInvariants(conversation) === conversation).toBe(
          checkInvariants(conversation).length === 0,
        )
      }),
      { numRuns: runs(1_000) },
    )
  })

  test('loses no word of the person', { tags: 'property' }, () => {
    fc.assert(
      fc.property(brokenConversations, (conversation) => {
        const words = ({ messages }: Conversation) =>
          messages.flatMap(({ role, parts }) =>
            role === 'user'
              ? parts.flatMap((part) =>
                  part.type === 'text' && part.text.trim() ? [part.text] : [],
                )
              : [],
          )
        const kept = words(repairInvariants(conversation))
        for (const word of words(conversation)) expect(kept).toContain(word)
      }),
    )
  })

  test('takes linear time over a history of broken rounds', { tags: 'slow' }, async () => {
    const createRounds = (length: number) => {
      const rounds = Array.from({ length }, (_, index) => [
        agent('', `c${index}`, `c${index}`),
        person('steer'),
        result(`c${index}`),
      ])
      return conversationOf(rounds.flat(), 'anthropic-messages')
    }
    await expectLinearGrowth(createRounds, repairInvariants, 500)
    expect(checkInvariants(repairInvariants(createRounds(20_000)))).toEqual([])
  })
})

describe('checkInvariants', () => {
  test('every rule is found by its name in the list', () => {
    expect(new Set(invariants.map(({ rule }) => rule)).size).toBe(invariants.length)
  })

  test('the agent may wait for its results at the very end', () => {
    for (const protocol of PROTOCOLS) {
      expect(
        rules(conversationOf([person('x'), agent('', 'a', 'b'), result('a')], protocol)),
      ).toEqual([])
    }
  })

  test('a reused id pairs with the nearest open call, which Anthropic refuses', () => {
    const messages = [
      person('x'),
      agent('', 'a'),
      result('a'),
      person('y'),
      agent('', 'a'),
      result('a'),
    ]
    for (const protocol of PROTOCOLS) {
      const isAnthropic = protocol === 'anthropic-messages'
      const conversation = conversationOf(messages, protocol)
      expect(rules(conversation)).toEqual(isAnthropic ? ['duplicate-call-id 4'] : [])
      const ids = repaired(conversation).flatMap(({ parts }) =>
        parts.flatMap((part) => ('callId' in part ? [part.callId] : [])),
      )
      expect(ids).toEqual(['a', 'a', ...(isAnthropic ? ['a_2', 'a_2'] : ['a', 'a'])])
    }
  })
})

test('of two open calls with one id the older one is the unanswered one', () => {
  const messages = [
    person('x'),
    agent('', 'a'),
    person('y'),
    agent('', 'a'),
    result('a'),
    person('z'),
  ]
  for (const protocol of PROTOCOLS) {
    expect(rules(conversationOf(messages, protocol))).toContain('tool-call-without-result 1')
    expect(rules(conversationOf(messages, protocol))).not.toContain('tool-call-without-result 3')
  }
})

describe('tool-result-without-call', () => {
  test('a result that answers nothing is dropped and its neighbours stay', () => {
    const messages = [person('x'), result('gone'), agent('y')]
    expect(rules(conversationOf(messages))).toEqual(['tool-result-without-call 1'])
    expect(repaired(conversationOf(messages))).toEqual([messages[0], messages[2]])
  })

  test('a result that came before its call moves behind it', () => {
    const messages = [person('x'), result('b'), result('a'), agent('', 'a', 'b'), agent('y')]
    for (const protocol of PROTOCOLS) {
      const conversation = conversationOf(messages, protocol)
      expect(rules(conversation)).toContain('tool-result-without-call 1')
      const parts = repaired(conversation).flatMap((message) => [...message.parts])
      expect(parts).toEqual([0, 3, 1, 2, 4].flatMap((index) => [...messages[index]!.parts]))
    }
  })

  test('an orphan is told by its id, not by the name of its tool', () => {
    const messages = [person('x'), agent('', 'a'), result('a'), result('b')]
    expect(rules(conversationOf(messages))).toEqual(['tool-result-without-call 3'])
  })
})

describe('duplicate-tool-result', () => {
  test('the first result stays', () => {
    const messages = [person('x'), agent('', 'a'), result('a', 'first'), result('a', 'second')]
    expect(rules(conversationOf(messages))).toEqual(['duplicate-tool-result 3'])
    expect(repaired(conversationOf(messages))).toEqual(messages.slice(0, 3))
  })
})

describe('duplicate-call-id', () => {
  test('the later call gets a new id, and so does its result', () => {
    const messages = [person('x'), agent('', 'a', 'a'), result('a', 'first'), result('a', 'second')]
    expect(rules(conversationOf(messages))).toEqual(['duplicate-call-id 1'])
    const ids = repaired(conversationOf(messages)).flatMap(({ parts }) =>
      parts.flatMap((part) => ('callId' in part ? [part.callId] : [])),
    )
    expect(ids).toEqual(['a', 'a_2', 'a', 'a_2'])
  })

  test('a new id is not one that is in use', () => {
    const messages = [
      person('x'),
      agent('', 'a', 'a', 'a_2'),
      result('a'),
      result('a'),
      result('a_2'),
    ]
    expect(
      checkInvariants({
        ...conversationOf(messages),
        messages: repaired(conversationOf(messages)),
      }),
    ).toEqual([])
  })
})

describe('tool-results-follow-call', () => {
  const steered = [
    person('x'),
    agent('', 'a', 'b'),
    result('a'),
    person('steer'),
    result('b'),
    agent('z'),
  ]

  test.each(['anthropic-messages', 'openai-chat', 'gemini-contents'] as const)(
    'for %s a steering message goes behind the results',
    (protocol) => {
      expect(rules(conversationOf(steered, protocol))).toEqual(['tool-results-follow-call 4'])
      const parts = repaired(conversationOf(steered, protocol)).flatMap((message) => [
        ...message.parts,
      ])
      expect(parts).toEqual([0, 1, 2, 4, 3, 5].flatMap((index) => [...steered[index]!.parts]))
    },
  )

  test('the Responses API takes results anywhere behind their call', () => {
    expect(rules(conversationOf(steered, 'openai-responses'))).toEqual([])
  })

  test('Anthropic takes the results of neighbouring assistant messages together, OpenAI does not', () => {
    const messages = [person('x'), agent('', 'a'), agent('', 'b'), result('a'), result('b')]
    expect(rules(conversationOf(messages, 'anthropic-messages'))).toEqual([])
    expect(rules(conversationOf(messages, 'openai-chat'))).toEqual(['tool-results-follow-call 3'])
  })
})

describe('tool-call-without-result', () => {
  test('a call that was interrupted gets a result that says so, in its place', () => {
    const messages = [person('x'), agent('', 'a', 'b'), result('a'), person('stop')]
    expect(rules(conversationOf(messages))).toEqual(['tool-call-without-result 1'])
    const whole = repaired(conversationOf(messages))
    expect(whole.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'tool', 'user'])
    expect(whole[3]?.parts[0]).toMatchObject({ type: 'tool-result', callId: 'b', isError: true })
  })
})

describe('empty-text and empty-message', () => {
  const blank = agent(' ')

  test('Anthropic refuses blank text, the others take it', () => {
    expect(rules(conversationOf([person('x'), blank, person('y')], 'anthropic-messages'))).toEqual([
      'empty-text 1',
    ])
    expect(rules(conversationOf([person('x'), blank, person('y')], 'openai-chat'))).toEqual([])
  })

  test('a blank text goes and the calls beside it stay', () => {
    const mixed: AssistantMessage = { ...blank, parts: [...blank.parts, ...agent('', 'a').parts] }
    const whole = repaired(conversationOf([person('x'), mixed, result('a')], 'anthropic-messages'))
    expect(whole[1]?.parts.map(({ type }) => type)).toEqual(['tool-call'])
  })

  test('an empty output is allowed, an empty block in a list of blocks is not', () => {
    const listed = result('a', '')
    const output = {
      ...listed.parts[0]!,
      output: [{ type: 'text' as const, text: '', native: { type: 'text', text: '' } }],
    }
    const history = (last: ToolMessage) =>
      conversationOf([person('x'), agent('', 'a'), last], 'anthropic-messages')
    expect(rules(history(listed))).toEqual([])
    expect(
      rules(
        history({
          ...listed,
          parts: [{ ...output, type: 'tool-result', callId: 'a', isError: false }],
        }),
      ),
    ).toEqual(['empty-text 2'])
  })

  test('a message without parts goes', () => {
    const messages: Message[] = [
      person('x'),
      { role: 'assistant', origin: 'agent', parts: [] },
      person('y'),
    ]
    expect(rules(conversationOf(messages))).toEqual(['empty-message 1'])
    expect(repaired(conversationOf(messages))).toEqual([messages[0], messages[2]])
  })
})

describe('reasoning', () => {
  test('Anthropic takes no reasoning without a signature', () => {
    const messages = [person('x'), thoughtful(0, ...agent('y').parts)]
    expect(rules(conversationOf(messages, 'anthropic-messages'))).toEqual(['unsigned-reasoning 1'])
    expect(repaired(conversationOf(messages, 'anthropic-messages'))).toEqual([
      person('x'),
      agent('y'),
    ])
  })

  test('signed reasoning that leads nowhere goes, with its calls it stays', () => {
    const alone = conversationOf([person('x'), thoughtful(9), person('y')], 'openai-responses')
    expect(rules(alone)).toEqual(['signed-reasoning-intact 1'])
    expect(repaired(alone)).toEqual([person('x'), person('y')])
    const led = conversationOf(
      [person('x'), thoughtful(9, ...agent('', 'a').parts), result('a')],
      'openai-responses',
    )
    expect(rules(led)).toEqual([])
  })
})

describe('order of roles', () => {
  test('Anthropic begins with the user role: a note is put before an assistant message', () => {
    const conversation = conversationOf([system('s'), agent('hello')], 'anthropic-messages')
    expect(rules(conversation)).toEqual(['first-message-role 1'])
    const [, note] = repaired(conversation)
    expect(note).toMatchObject({ role: 'user', origin: 'synthetic' })
  })

  test('a later system message is handed on in the user role where the prompt lies apart', () => {
    const messages = [person('x'), system('s'), agent('y')]
    expect(rules(conversationOf(messages, 'gemini-contents'))).toEqual(['system-first 1'])
    expect(repaired(conversationOf(messages, 'gemini-contents'))[1]).toMatchObject({
      role: 'user',
      origin: 'environment',
    })
    expect(rules(conversationOf(messages, 'openai-chat'))).toEqual([])
  })

  test('Gemini takes a call only behind a user or tool message: neighbours are joined', () => {
    const conversation = conversationOf(
      [person('x'), agent('first'), agent('second', 'a'), result('a')],
      'gemini-contents',
    )
    expect(rules(conversation)).toEqual(['call-follows-user-turn 2'])
    const [, joined] = repaired(conversation)
    expect(joined?.parts.map(({ type }) => type)).toEqual(['text', 'text', 'tool-call'])
  })
})

describe('tool-results-together', () => {
  const messages = [
    person('x'),
    agent('', 'a', 'b'),
    { ...result('a'), records: [2] },
    { ...result('b'), records: [3] },
  ]

  test('Gemini takes all results of a message in one, the others one by one', () => {
    expect(rules(conversationOf(messages, 'gemini-contents'))).toEqual(['tool-results-together 3'])
    expect(rules(conversationOf(messages, 'openai-chat'))).toEqual([])
    const joined = repaired(conversationOf(messages, 'gemini-contents'))
    expect(joined).toHaveLength(3)
    expect(joined[2]).toMatchObject({ records: [2, 3], parts: [{ callId: 'a' }, { callId: 'b' }] })
  })
})

describe('cache-control-limit', () => {
  const marked = (text: string): Message => ({
    role: 'user',
    origin: 'user',
    parts: [
      { type: 'text', text, native: { type: 'text', text, cache_control: { type: 'ephemeral' } } },
    ],
  })

  test('four marks are allowed; of five the oldest goes', () => {
    const five = ['1', '2', '3', '4', '5'].map(marked)
    expect(rules(conversationOf(five.slice(1), 'anthropic-messages'))).toEqual([])
    const conversation = conversationOf(five, 'anthropic-messages')
    expect(rules(conversation)).toEqual(['cache-control-limit 4'])
    expect(repaired(conversation)[0]?.parts[0]?.native).toEqual({ type: 'text', text: '1' })
    expect(repaired(conversation).slice(1)).toEqual(five.slice(1))
  })

  test('marks of tools count', () => {
    const tools = ['{"name":"t","cache_control":{"type":"ephemeral"}}']
    const conversation = {
      ...conversationOf(['1', '2', '3', '4'].map(marked), 'anthropic-messages'),
      tools,
    }
    expect(rules(conversation)).toEqual(['cache-control-limit 3'])
  })
})
