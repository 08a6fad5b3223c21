import { describe, expect, test } from 'vitest'
import { findCutPoints } from '../conversation/cut-points.ts'
import { agent, conversationOf, person, result, system } from '../conversation/histories.suite.ts'
import { checkInvariants } from '../conversation/invariants/index.ts'
import type { Message, SystemMessage } from '../conversation/message.ts'
import { createSummaryMessage } from '../conversation/summary-message.ts'
import { withoutForgotten, withoutWordsBefore } from './forgotten.ts'

const block: Message = {
  role: 'assistant',
  origin: 'synthetic',
  parts: [{ type: 'opaque', kind: 'compaction', text: '{}', compaction: { text: 'port 8443' } }],
}

const later = [person('d'), agent('e')]
const history = [
  system('s'),
  person('a'),
  agent('b', 'x'),
  result('x'),
  agent('c'),
  block,
  ...later,
]

describe('a compaction of the provider', () => {
  test('stays with the system prompt before everything that may go', () => {
    expect(findCutPoints(history).fixedEnd).toBe(6)
    expect(findCutPoints(later).fixedEnd).toBe(0)
  })

  test('leaves of what stands before it what was said to the agent', () => {
    const summary = createSummaryMessage('earlier')
    const order = system('frozen')
    const given = conversationOf([
      system('s'),
      summary,
      person('a'),
      order,
      agent('b'),
      block,
      ...later,
    ])
    expect(withoutForgotten(given).messages).toEqual([
      system('s'),
      summary,
      person('a'),
      order,
      block,
      ...later,
    ])
    expect(withoutForgotten(conversationOf(later)).messages).toEqual(later)
  })

  test('leaves what an operator said where the provider takes it', () => {
    const order: SystemMessage = {
      role: 'system',
      origin: 'environment',
      parts: [{ type: 'text', text: 'frozen' }],
      isListed: true,
    }
    const given = conversationOf(
      [agent('', 'x'), result('x'), order, agent('b'), person('a'), block, ...later],
      'anthropic-messages',
    )
    expect(checkInvariants(withoutForgotten(given))).toEqual([])
    expect(withoutForgotten(given).messages).toContain(order)
  })

  test('is not torn from a call that is answered behind it', () => {
    const given = conversationOf([person('a'), agent('b', 'x'), block, result('x'), agent('c')])
    expect(withoutForgotten(given)).toBe(given)
  })

  test('comes first for OpenAI, and behind one request for all others', () => {
    const first = (protocol: 'openai-responses' | 'anthropic-messages') =>
      withoutWordsBefore(conversationOf([person('a'), person('b'), block, ...later], protocol))
        .messages[0]
    expect(first('openai-responses')).toBe(block)
    expect(first('anthropic-messages')).toEqual(person('b'))
  })
})
