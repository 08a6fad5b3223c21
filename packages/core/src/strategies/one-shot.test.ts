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

  test('merges an older summary wherever it stands', () => {
    const view = viewOf(conversationOf([...exchanges(1), createSummaryMessage('old'), ...exchanges(30)]))
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
