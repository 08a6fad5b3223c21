import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  agent,
  conversationOf,
  exchanges,
  histories,
  injected,
  person,
  result,
} from '../conversation/histories.suite.ts'
import type { Conversation, Message } from '../conversation/message.ts'
import { createSummaryMessage } from '../conversation/summary-message.ts'
import { createView } from '../engine/view.ts'
import { findModel } from '../models/find-model.ts'
import { createTokenCounter, type TokenCounter } from '../tokens/counter.ts'
import { findKept, testStrategy, viewOf } from './strategy.suite.ts'
import { topDownTruncation } from './top-down-truncation.ts'

testStrategy(topDownTruncation)

describe('top-down-truncation', () => {
  test('stops as soon as the rest fits', () => {
    const view = viewOf(conversationOf(exchanges(100)))
    const total = view.tokensBefore.at(-1)!
    const targetTokens = Math.floor(total / 2)
    const kept = findKept(view, topDownTruncation.plan(view, { targetTokens }))
    const keptTokens = kept.reduce(
      (sum, index) => sum + view.tokensBefore[index + 1]! - view.tokensBefore[index]!,
      0,
    )
    const oneMore = view.tokensBefore[kept[0]!]! - view.tokensBefore[kept[0]! - 1]!
    expect(keptTokens).toBeLessThanOrEqual(targetTokens)
    expect(keptTokens + 2 * oneMore).toBeGreaterThan(targetTokens)
  })

  test('asks for no summary', () => {
    const view = viewOf(conversationOf(exchanges(100)))
    const plan = topDownTruncation.plan(view, { targetTokens: 500 })
    if ('noop' in plan) throw new Error(plan.noop)
    expect(plan.edits.every((edit) => edit.type === 'drop')).toBe(true)
  })

  test('a long request takes no room from the turns after it', () => {
    const long = person('word '.repeat(1000))
    const view = viewOf(conversationOf([long, agent('Done.'), ...exchanges(40)]))
    const total = view.tokensBefore.at(-1)!
    const rest = total - view.tokensBefore[2]!
    const kept = findKept(view, topDownTruncation.plan(view, { targetTokens: rest + 100 }))
    expect(kept[0]).toBe(2)
  })

  test('survivors are a contiguous suffix, led by the request of their turn', {
    tags: 'property',
  }, () => {
    fc.assert(
      fc.property(
        histories,
        fc.double({ min: 0.05, max: 0.8, noNaN: true }),
        (conversation, share) => {
          const view = viewOf(conversation)
          const targetTokens = Math.floor(view.tokensBefore.at(-1)! * share)
          const plan = topDownTruncation.plan(view, { targetTokens })
          if ('noop' in plan) return
          const kept = findKept(view, plan).filter(
            (index) => conversation.messages[index]!.role !== 'system',
          )
          const [first, ...rest] = kept
          const contiguous = rest.every(
            (index, position) => position === 0 || index === rest[position - 1]! + 1,
          )
          expect(contiguous).toBe(true)
          expect(kept.at(-1)).toBe(conversation.messages.length - 1)
          const hasGap = rest.length > 0 && rest[0] !== first! + 1
          if (hasGap) expect(conversation.messages[first!]!.origin).toBe('user')
        },
      ),
    )
  })

  test('keeps at least the last question and answer', () => {
    const view = viewOf(conversationOf(exchanges(50)))
    expect(findKept(view, topDownTruncation.plan(view, { targetTokens: 1 }))).toEqual([98, 99])
  })

  test('of one message nothing goes, of two neither', () => {
    for (const messages of [
      [person('word '.repeat(500))],
      [person('word '.repeat(500)), agent('word '.repeat(500))],
    ]) {
      const view = viewOf(conversationOf(messages))
      expect(topDownTruncation.plan(view, { targetTokens: 1 })).toEqual({ noop: 'no-legal-cut' })
    }
  })

  test('ends with words of both, however many messages the agent sent last', () => {
    const messages = [
      ...exchanges(10),
      person('go'),
      ...Array.from({ length: 9 }, (_, i) => agent(`${i} `.repeat(50))),
    ]
    const kept = findKept(
      viewOf(conversationOf(messages)),
      topDownTruncation.plan(viewOf(conversationOf(messages)), { targetTokens: 1 }),
    )
    expect(kept).toEqual([20, 28, 29])
  })

  test('pictures make it drop more, and how much depends on the provider', () => {
    const picture: Message = {
      role: 'user',
      origin: 'user',
      parts: [
        { type: 'image', mediaType: 'image/png', bytes: 90_000, width: 1_000, height: 1_000 },
      ],
    }
    const pictures = conversationOf([
      ...exchanges(50),
      ...Array.from({ length: 5 }, () => [picture, agent('nice')]).flat(),
    ])
    const keptBy = (model: string, conversation: Conversation) => {
      const view = createView(conversation, createTokenCounter(findModel(model)))
      return findKept(view, topDownTruncation.plan(view, { targetTokens: 8_000 - 5_000 })).length
    }
    const words = conversationOf(exchanges(55))
    expect(keptBy('gpt-5', pictures)).toBeLessThan(keptBy('gpt-5', words))
    expect(keptBy('gpt-5', pictures)).not.toBe(keptBy('gemini-2.5-pro', pictures))
  })

  test('each message of 1 001 is counted once', () => {
    const messages = [...exchanges(500), person('the last wish')]
    const counter = createTokenCounter(findModel('gpt-5'))
    let counts = 0
    const counting: TokenCounter = {
      ...counter,
      countMessage: (message) => {
        counts++
        return counter.countMessage(message)
      },
    }
    const plan = topDownTruncation.plan(createView(conversationOf(messages), counting), {
      targetTokens: 5_000,
    })
    expect(plan).toHaveProperty('edits')
    expect(counts).toBe(1_001)
  })

  test('a call that waits from the start on leaves nothing to drop', () => {
    const view = viewOf(
      conversationOf([
        agent('', 'c1'),
        ...Array.from({ length: 20 }, () => agent('word '.repeat(50))),
      ]),
    )
    expect(topDownTruncation.plan(view, { targetTokens: 100 })).toEqual({ noop: 'no-legal-cut' })
  })

  test('a request before a long way of tool rounds leads what is left of them', () => {
    const steps = Array.from({ length: 100 }, (_, i) => [
      agent('', `c${i}`),
      result(`c${i}`),
    ]).flat()
    const view = viewOf(conversationOf([...exchanges(3), person('do it'), ...steps]))
    const kept = findKept(view, topDownTruncation.plan(view, { targetTokens: 600 }))
    expect(kept[0]).toBe(6)
    expect(kept[1]).toBeGreaterThan(7)
  })

  test('a notice of the host is no opening: the summary before it is, or the next request', () => {
    const notice: Message = { ...injected('<system-reminder>'), origin: 'environment' }
    const rest = [
      notice,
      ...Array.from({ length: 9 }, () => agent('word '.repeat(20))),
      person('go on'),
      agent('done'),
    ]
    const history = (summary: string) =>
      viewOf(conversationOf([createSummaryMessage(summary), ...rest]))
    const keptOf = (summary: string, targetTokens: number) => {
      const view = history(summary)
      return findKept(view, topDownTruncation.plan(view, { targetTokens }))
    }
    const short = history('short').tokensBefore.at(-1)!
    expect(keptOf('short', short - 30)).toEqual([0, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])
    expect(keptOf('long '.repeat(500), short)).toEqual([11, 12])
  })

  test('a request too large for the target goes with its turn, and the turns behind it stay', () => {
    const messages = [...exchanges(2), person('paste '.repeat(2_000)), ...exchanges(3).slice(1)]
    const view = viewOf(conversationOf(messages))
    expect(findKept(view, topDownTruncation.plan(view, { targetTokens: 500 }))).toEqual([
      6, 7, 8, 9,
    ])
  })
})
