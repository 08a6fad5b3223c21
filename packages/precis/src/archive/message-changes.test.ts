import { createTokenCounter, findModel, type Message } from '@precis/core'
import { inspectMessages } from '@precis/core/engine'
import { describe, expect, test } from 'vitest'
import { expectLinearGrowth } from '../../../../test/growth.suite.ts'
import { compareMessages } from './compare-messages.ts'
import { findMessageChanges } from './message-changes.ts'

const counter = createTokenCounter(findModel('gpt-5'))
const opening = 'This session is being continued from a previous conversation'

/**
 * `a` is what an assistant says, `A` the same shortened to its beginning, `!` a summary, `1` a
 * call, `¹` it shortened, `@` a notice.
 */
function say(letter: string): Message {
  if (letter === '!')
    return { role: 'user', origin: 'synthetic', parts: [{ type: 'text', text: opening }] }
  if (letter === '1')
    return {
      role: 'assistant',
      origin: 'agent',
      parts: [{ type: 'tool-call', callId: '1', name: 'Read', input: { path: 'a' } }],
    }
  if (letter === '¹')
    return {
      role: 'assistant',
      origin: 'agent',
      parts: [{ type: 'tool-call', callId: '1', name: 'Read', input: {} }],
    }
  if (letter === '@')
    return {
      role: 'user',
      origin: 'environment',
      parts: [{ type: 'text', text: 'The date is 1 May.' }],
    }
  const isShort = letter !== letter.toLowerCase()
  const text = letter.toLowerCase().repeat(50) + (isShort ? '…' : ' and all the rest of it')
  return { role: 'assistant', origin: 'agent', parts: [{ type: 'text', text }] }
}

function describeChanges(from: string, to: string): string {
  const [old, now] = [Array.from(from, say), Array.from(to, say)]
  const inspect = (messages: readonly Message[]) =>
    inspectMessages({ protocol: 'anthropic-messages', messages, tools: [] }, counter)
  return findMessageChanges(compareMessages(old, now), inspect(old), inspect(now))
    .map((entry) => {
      const sides = [
        ...('before' in entry ? [from[entry.before]] : []),
        ...('after' in entry ? [to[entry.after]] : []),
      ]
      return `${entry.fate} ${sides.join('→')}`
    })
    .join(', ')
}

describe('findMessageChanges', () => {
  test.each([
    ['abc', 'abc', 'kept a→a, kept b→b, kept c→c'],
    ['abc', 'aBc', 'kept a→a, changed b→B, kept c→c'],
    ['abcd', 'a!d', 'kept a→a, summarized b, summarized c, summary !, kept d→d'],
    ['abcd', 'ad', 'kept a→a, removed b, removed c, kept d→d'],
    ['abcd', 'abcdx', 'kept a→a, kept b→b, kept c→c, kept d→d, added x'],
    ['abcde', 'b!e', 'removed a, kept b→b, summarized c, summarized d, summary !, kept e→e'],
    ['abcde', '!bd', 'summarized a, summary !, kept b→b, summarized c, kept d→d, summarized e'],
    ['a1b', 'a¹b', 'kept a→a, changed 1→¹, kept b→b'],
    ['ab1cd', 'a¹Cd', 'kept a→a, removed b, changed 1→¹, changed c→C, kept d→d'],
    ['abc', 'xyc', 'changed a→x, changed b→y, kept c→c'],
    [
      '@abc',
      '!bcx@',
      'summarized @, summarized a, summary !, kept b→b, kept c→c, added x, added @',
    ],
    ['ab', '', 'removed a, removed b'],
    ['', 'a', 'added a'],
  ])('%s to %s is %s', (before, after, expected) => {
    expect(describeChanges(before, after)).toBe(expected)
  })

  test('takes time in proportion to the messages, also when all of them begin alike', {
    tags: 'slow',
  }, async () => {
    const ask = (text: string): Message => ({
      role: 'user',
      origin: 'user',
      parts: [{ type: 'text', text }],
    })
    const inspect = (messages: readonly Message[]) =>
      inspectMessages({ protocol: 'anthropic-messages', messages, tools: [] }, counter)
    const make = (length: number) => {
      const old = Array.from({ length }, (_, index) => ask('x'.repeat(50) + index))
      const now = old.map((message, index) =>
        index % 3 === 0 ? message : ask('x'.repeat(49) + index),
      )
      return { old, now, before: inspect(old), after: inspect(now) }
    }
    await expectLinearGrowth(
      make,
      ({ old, now, before, after }) => findMessageChanges(compareMessages(old, now), before, after),
      500,
    )
  })
})
