import { describe, expect, test } from 'vitest'
import { agent, conversationOf, exchanges, person } from '../conversation/histories.suite.ts'
import { createSummaryMessage } from '../conversation/summary-message.ts'
import { oneShot } from './one-shot.ts'
import { findKept, testStrategy, viewOf } from './strategy.suite.ts'

testStrategy(oneShot)

describe('one-shot', () => {
  test('keeps no head', () => {
    const view = viewOf(conversationOf(exchanges(30)))
    const plan = oneShot.plan(view, { targetTokens: Math.floor(view.tokensBefore.at(-1)! / 2) })
    expect(plan).toMatchObject({ edits: [{ type: 'summarize', start: 0, brief: 'tail' }] })
  })

  test('keeps the newest 0.3 of the target and summarizes all before it', () => {
    const view = viewOf(conversationOf(exchanges(100)))
    const targetTokens = Math.floor(view.tokensBefore.at(-1)! / 2)
    const plan = oneShot.plan(view, { targetTokens })
    if ('noop' in plan) throw new Error(plan.noop)
    const tail = (view.tokensBefore.at(-1)! - view.tokensBefore[plan.edits[0]!.end]!) / targetTokens
    expect(tail).toBeLessThanOrEqual(0.3)
    expect(tail).toBeGreaterThan(0.28)
  })

  test('merges a summary that its tail would hold', () => {
    const messages = [...exchanges(40), createSummaryMessage('old'), ...exchanges(2)]
    const plan = oneShot.plan(viewOf(conversationOf(messages)), { targetTokens: 1_500 })
    expect(plan).toMatchObject({ edits: [{ start: 0, end: 81 }] })
  })

  test('fewer than four messages before the tail are not worth a summary', () => {
    const view = viewOf(conversationOf(exchanges(5)))
    const plan = (tail: number) =>
      oneShot.plan(view, { targetTokens: 200, keep: { tail: { messages: tail } } })
    expect(plan(7)).toEqual({ noop: 'too-few-messages' })
    expect(plan(6)).toMatchObject({ edits: [{ start: 0, end: 4 }] })
    expect(plan(10)).toEqual({ noop: 'tail-covers-all' })
  })

  test('merges an older summary wherever it stands', () => {
    const view = viewOf(
      conversationOf([...exchanges(1), createSummaryMessage('old'), ...exchanges(30)]),
    )
    const plan = oneShot.plan(view, { targetTokens: Math.floor(view.tokensBefore.at(-1)! / 2) })
    expect(findKept(view, plan)).not.toContain(2)
  })

  test('the last request stays verbatim inside the summarized part', () => {
    const work = Array.from({ length: 60 }, (_, i) => agent(`step ${i} `.repeat(30)))
    const view = viewOf(conversationOf([...exchanges(3), person('the wish'), ...work]))
    const plan = oneShot.plan(view, { targetTokens: Math.floor(view.tokensBefore.at(-1)! / 3) })
    expect(plan).toMatchObject({ edits: [{ keep: [6] }] })
  })
})
