import { describe, expect, test } from 'vitest'
import type { AssistantMessage, Conversation, Message } from '../conversation/message.ts'
import { clearReasoning, createClearReasoning } from './clear-reasoning.ts'
import {
  agent,
  answer,
  call,
  clear,
  conversationOf,
  person,
  testClearing,
} from './clearing.suite.ts'
import { testStrategy, viewOf } from './strategy.suite.ts'

testStrategy(clearReasoning)
testClearing(clearReasoning)

const think = (
  message: AssistantMessage,
  signatureLength = 100,
  text = 'thought '.repeat(50),
): AssistantMessage => ({
  ...message,
  parts: [{ type: 'reasoning', text, signatureLength }, ...message.parts],
})
const history = (...answers: readonly AssistantMessage[]): Conversation =>
  conversationOf(
    answers.flatMap((message): Message[] => [person('next'), message]),
    'anthropic-messages',
  )
const thinking = ({ messages }: Conversation) =>
  messages
    .filter(({ role }) => role === 'assistant')
    .map(({ parts }) => parts.some(({ type }) => type === 'reasoning'))

describe('clear-reasoning', () => {
  test('drops the thoughts of old answers and keeps their words', () => {
    const after = clear(
      clearReasoning,
      history(think(agent('one')), think(agent('two')), think(agent('three'))),
    )
    expect(thinking(after)).toEqual([false, false, true])
    expect(after.messages[1]).toEqual(agent('one'))
  })

  test('drops redacted thoughts, of which there is only a payload', () => {
    expect(
      thinking(clear(clearReasoning, history(think(agent('one'), 900, ''), agent('two')))),
    ).toEqual([false, false])
  })

  test('keeps the thoughts that an unfinished turn still needs', () => {
    const base = conversationOf(
      [person('go'), think(call('a', 'Bash', {})), answer('a', 'x')],
      'anthropic-messages',
    )
    expect(clear(clearReasoning, base)).toBe(base)
  })

  test('keeps an answer that is nothing but a thought', () => {
    const base = history(think(agent('')), agent('two'))
    expect(clear(clearReasoning, base)).toBe(base)
  })

  test('goes as far as needed, oldest first', () => {
    const base = history(think(agent('one')), think(agent('two')), agent('three'))
    const target = viewOf(base).tokensBefore.at(-1)! - 20
    expect(thinking(clear(clearReasoning, base, target))).toEqual([false, true, false])
  })

  test('has a zone of its own', () => {
    const base = history(
      think(agent('one')),
      think(agent('two')),
      think(agent('three')),
      think(agent('four')),
    )
    const half = createClearReasoning({ zone: { fraction: 0.5 } })
    expect(thinking(clear(half, base))).toEqual([false, false, true, true])
    const newest = createClearReasoning({ zone: { keepTokens: 0 } })
    expect(thinking(clear(newest, base))).toEqual([false, false, false, true])
  })
})
