import { describe, expect, test } from 'vitest'
import { conversationOf, exchanges, person } from '../conversation/histories.suite.ts'
import { findKept, testStrategy, viewOf } from './strategy.suite.ts'
import { tailSummary } from './tail-summary.ts'

testStrategy(tailSummary)

describe('tail-summary', () => {
  test('the two opening messages stay first and unchanged', () => {
    const view = viewOf(conversationOf(exchanges(30)))
    const plan = tailSummary.plan(view, { targetTokens: Math.floor(view.tokensBefore.at(-1)! / 2) })
    expect(plan).toMatchObject({ edits: [{ type: 'summarize', start: 2, brief: 'tail' }] })
  })

  test('an opening message too large for its room does not stay', () => {
    const view = viewOf(conversationOf([person('word '.repeat(5000)), ...exchanges(30)]))
    const plan = tailSummary.plan(view, { targetTokens: 1_000 })
    expect(findKept(view, plan)).not.toContain(0)
  })

  test('a last message heavier than the whole keep share still leads to a plan', () => {
    const view = viewOf(conversationOf([...exchanges(30), person('again'), ...exchanges(1).slice(1), ...exchanges(1)]))
    const plan = tailSummary.plan(view, { targetTokens: 400 })
    expect(plan).toMatchObject({ edits: [{ type: 'summarize' }] })
  })
})
