import { describe, expect, test } from 'vitest'
import { conversationOf, exchanges, person, system } from '../conversation/histories.suite.ts'
import { createSummaryMessage } from '../conversation/summary-message.ts'
import { findKept, testStrategy, viewOf } from './strategy.suite.ts'
import { tailSummary } from './tail-summary.ts'

testStrategy(tailSummary)

describe('tail-summary', () => {
  test('the two opening messages stay first and unchanged', () => {
    const view = viewOf(conversationOf(exchanges(30)))
    const plan = tailSummary.plan(view, { targetTokens: Math.floor(view.tokensBefore.at(-1)! / 2) })
    expect(plan).toMatchObject({ edits: [{ type: 'summarize', start: 2, brief: 'tail' }] })
  })

  test('the newest 0.3 of the target stay', () => {
    const view = viewOf(conversationOf(exchanges(100)))
    const targetTokens = Math.floor(view.tokensBefore.at(-1)! / 2)
    const plan = tailSummary.plan(view, { targetTokens })
    if ('noop' in plan) throw new Error(plan.noop)
    const tail = (view.tokensBefore.at(-1)! - view.tokensBefore[plan.edits[0]!.end]!) / targetTokens
    expect(tail).toBeLessThanOrEqual(0.3)
    expect(tail).toBeGreaterThan(0.28)
  })

  test('an earlier summary behind the opening messages is merged into the next', () => {
    const view = viewOf(
      conversationOf([...exchanges(1), createSummaryMessage('old'), ...exchanges(40)]),
    )
    const plan = tailSummary.plan(view, { targetTokens: Math.floor(view.tokensBefore.at(-1)! / 2) })
    expect(plan).toMatchObject({ edits: [{ start: 2 }] })
  })

  test('a system prompt is not one of the two', () => {
    const view = viewOf(conversationOf([system('you are an agent'), ...exchanges(30)]))
    const plan = tailSummary.plan(view, { targetTokens: Math.floor(view.tokensBefore.at(-1)! / 2) })
    expect(plan).toMatchObject({ edits: [{ start: 3 }] })
  })

  test('an opening message too large for its room does not stay', () => {
    const view = viewOf(conversationOf([person('word '.repeat(5000)), ...exchanges(30)]))
    const plan = tailSummary.plan(view, { targetTokens: 1_000 })
    expect(findKept(view, plan)).not.toContain(0)
  })

  test('a last message heavier than the whole keep share still leads to a plan', () => {
    const view = viewOf(
      conversationOf([
        ...exchanges(30),
        person('again'),
        ...exchanges(1).slice(1),
        ...exchanges(1),
      ]),
    )
    const plan = tailSummary.plan(view, { targetTokens: 400 })
    expect(plan).toMatchObject({ edits: [{ type: 'summarize' }] })
  })
})
