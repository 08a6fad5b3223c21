/**
 * The options that say how much of an end stays verbatim, over every strategy that has an end to
 * keep.
 */

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../../../../test/property-runs.ts'
import {
  agent,
  conversationOf,
  exchanges,
  histories,
  injected,
  person,
  result,
} from '../conversation/histories.suite.ts'
import type { Message } from '../conversation/message.ts'
import { middleOut } from './middle-out.ts'
import { oneShot } from './one-shot.ts'
import { findKept, viewOf } from './strategy.suite.ts'
import type { Keep } from './strategy.ts'
import { tailSummary } from './tail-summary.ts'

const keeps: fc.Arbitrary<Keep> = fc.oneof(
  fc.record({ fraction: fc.double({ min: 0, max: 1, noNaN: true }) }),
  fc.record({
    fraction: fc.double({ min: 0, max: 1, noNaN: true }),
    of: fc.constant('messages' as const),
  }),
  fc.record({ tokens: fc.nat(5_000) }),
  fc.record({ messages: fc.nat(50) }),
  fc.record({ turns: fc.nat(15) }),
)

/** 20 turns of one request and one answer each, 10 000 tokens or so. */
const history = conversationOf(exchanges(20))

describe.each([middleOut, tailSummary, oneShot])('keep, with $name', (strategy) => {
  const planSpan = (
    messages: readonly Message[],
    keep: { head?: Keep; tail?: Keep },
    share = 0.6,
  ) => {
    const view = viewOf(conversationOf(messages))
    const targetTokens = Math.floor(view.tokensBefore.at(-1)! * share)
    const plan = strategy.plan(view, { targetTokens, keep })
    if ('noop' in plan) throw new Error(plan.noop)
    const [edit] = plan.edits
    const count = messages.length
    return {
      targetTokens,
      headMessages: edit!.start,
      tailMessages: count - edit!.end,
      headTokens: view.tokensBefore[edit!.start]!,
      tailTokens: view.tokensBefore[count]! - view.tokensBefore[edit!.end]!,
    }
  }

  test('a number of messages keeps exactly so many', () => {
    const span = planSpan(history.messages, { head: { messages: 3 }, tail: { messages: 5 } })
    expect(span).toMatchObject({ headMessages: 3, tailMessages: 5 })
  })

  test('a fraction of messages is of the messages of the history: 0.1 and 0.2 of 40', () => {
    const of = 'messages'
    const span = planSpan(history.messages, {
      head: { fraction: 0.1, of },
      tail: { fraction: 0.2, of },
    })
    expect(span).toMatchObject({ headMessages: 4, tailMessages: 8 })
  })

  test('a number of turns keeps whole turns', () => {
    const span = planSpan(history.messages, { head: { turns: 2 }, tail: { turns: 3 } })
    expect(span).toMatchObject({ headMessages: 4, tailMessages: 6 })
  })

  test('a number of tokens is the most that an end takes, and little less', () => {
    const span = planSpan(history.messages, { head: { tokens: 150 }, tail: { tokens: 250 } })
    expect(span.headTokens).toBeLessThanOrEqual(150)
    expect(span.headTokens).toBeGreaterThan(100)
    expect(span.tailTokens).toBeLessThanOrEqual(250)
    expect(span.tailTokens).toBeGreaterThan(200)
  })

  test('a fraction is of the tokens of the target', () => {
    const span = planSpan(exchanges(100), { head: { fraction: 0.1 }, tail: { fraction: 0.4 } })
    expect(span.headTokens / span.targetTokens).toBeGreaterThan(0.08)
    expect(span.headTokens / span.targetTokens).toBeLessThanOrEqual(0.1)
    expect(span.tailTokens / span.targetTokens).toBeGreaterThan(0.38)
    expect(span.tailTokens / span.targetTokens).toBeLessThanOrEqual(0.4)
  })

  test('a turn that begins between a call and its result moves the cut out of them', () => {
    const steered = [
      ...exchanges(10),
      agent('', 'c1'),
      person('steering'),
      result('c1'),
      ...exchanges(10).map((message) =>
        message.role === 'user' ? agent('on it '.repeat(20)) : message,
      ),
    ]
    expect(planSpan(steered, { head: { turns: 0 }, tail: { turns: 1 } }).tailMessages).toBe(
      steered.length - 20,
    )
    const { headMessages } = planSpan([...steered.slice(18), ...exchanges(30)], {
      head: { turns: 1 },
    })
    expect(headMessages).toBe(5)
  })

  test('no keep parts a call from its result, drops the last request or breaks into a call that waits', {
    tags: 'property',
  }, () => {
    fc.assert(
      fc.property(
        histories,
        fc.double({ min: 0.05, max: 0.95, noNaN: true }),
        fc.option(keeps, { nil: undefined }),
        fc.option(keeps, { nil: undefined }),
        (conversation, share, head, tail) => {
          const view = viewOf(conversation)
          const targetTokens = Math.floor(view.tokensBefore.at(-1)! * share)
          const keep = { ...(head && { head }), ...(tail && { tail }) }
          const plan = strategy.plan(view, { targetTokens, keep })
          if ('noop' in plan) return
          const [edit, ...others] = plan.edits
          expect(others).toEqual([])
          expect(view.cutPoints.isLegal(edit!.start)).toBe(true)
          expect(view.cutPoints.isLegal(edit!.end)).toBe(true)
          const kept = findKept(view, plan)
          if (view.lastUserRequest !== undefined) expect(kept).toContain(view.lastUserRequest)
          if (view.cutPoints.pendingStart !== undefined)
            expect(kept).toContain(view.cutPoints.pendingStart)
        },
      ),
      { numRuns: runs(500) },
    )
  })

  test.each<[string, Keep]>([
    ['fraction', { fraction: 1.5 }],
    ['fraction', { fraction: -0.1 }],
    ['fraction', { fraction: Number.NaN, of: 'messages' }],
    ['tokens', { tokens: -1 }],
    ['messages', { messages: 1.5 }],
    ['turns', { turns: -2 }],
  ])('a %s that cannot be is refused: %o', (name, keep) => {
    const view = viewOf(history)
    for (const end of ['head', 'tail'] as const) {
      expect(() => strategy.plan(view, { targetTokens: 100, keep: { [end]: keep } })).toThrow(
        new RegExp(`keep\\.${end}\\.${name}`),
      )
    }
  })
})

describe('what an end is measured in', () => {
  const long = agent('The parser was looked at and is fine. '.repeat(30))
  const notice = injected('<turn_aborted>The user interrupted the turn.</turn_aborted>')
  const plan = (
    messages: readonly Message[],
    share: number,
    keep: { head?: Keep; tail?: Keep } = {},
  ) => {
    const view = viewOf(conversationOf(messages))
    const plan = middleOut.plan(view, {
      targetTokens: Math.floor(view.tokensBefore.at(-1)! * share),
      keep,
    })
    return new Set(findKept(view, plan))
  }

  test('a notice at the end leaves the newest step where it was', () => {
    const messages = [...exchanges(20), long, long, long, notice]
    const kept = plan(messages, 0.3)
    expect([...kept]).toEqual(expect.arrayContaining([messages.length - 2, messages.length - 1]))
    const counted = plan(messages, 0.6, { tail: { messages: 1 } })
    expect([...counted]).toEqual(expect.arrayContaining([messages.length - 2, messages.length - 1]))
  })

  test('a first request larger than its share is kept where it fits, and nowhere else', () => {
    const request = person('Please do all of this to the parser. '.repeat(40))
    const messages = [request, ...exchanges(60), person('go on')]
    expect(plan(messages, 0.2).has(0)).toBe(true)
    expect(plan(messages, 0.06).has(0)).toBe(false)
    expect(plan(messages, 0.2, { head: { tokens: 0 } }).has(0)).toBe(false)
  })
})
