import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { agent, conversationOf, exchanges, histories, person, result } from '../conversation/histories.suite.ts'
import { findKept, testStrategy, viewOf } from './strategy.suite.ts'
import { topDownTruncation } from './top-down-truncation.ts'

testStrategy(topDownTruncation)

describe('top-down-truncation', () => {
  test('stops as soon as the rest fits', () => {
    const view = viewOf(conversationOf(exchanges(100)))
    const total = view.tokensBefore.at(-1)!
    const targetTokens = Math.floor(total / 2)
    const kept = findKept(view, topDownTruncation.plan(view, { targetTokens }))
    const keptTokens = kept.reduce((sum, index) => sum + view.tokensBefore[index + 1]! - view.tokensBefore[index]!, 0)
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

  test('survivors are a contiguous suffix, led by the request of their turn', () => {
    fc.assert(
      fc.property(histories, fc.double({ min: 0.05, max: 0.8, noNaN: true }), (conversation, share) => {
        const view = viewOf(conversation)
        const targetTokens = Math.floor(view.tokensBefore.at(-1)! * share)
        const plan = topDownTruncation.plan(view, { targetTokens })
        if ('noop' in plan) return
        const kept = findKept(view, plan).filter((index) => conversation.messages[index]!.role !== 'system')
        const [first, ...rest] = kept
        const contiguous = rest.every((index, position) => position === 0 || index === rest[position - 1]! + 1)
        expect(contiguous).toBe(true)
        expect(kept.at(-1)).toBe(conversation.messages.length - 1)
        const hasGap = rest.length > 0 && rest[0] !== first! + 1
        if (hasGap) expect(conversation.messages[first!]!.origin).toBe('user')
      }),
    )
  })

  test('keeps at least the last question and answer', () => {
    const view = viewOf(conversationOf(exchanges(50)))
    expect(findKept(view, topDownTruncation.plan(view, { targetTokens: 1 }))).toEqual([98, 99])
  })

  test('a request before a long way of tool rounds leads what is left of them', () => {
    const steps = Array.from({ length: 100 }, (_, i) => [agent('', `c${i}`), result(`c${i}`)]).flat()
    const view = viewOf(conversationOf([...exchanges(3), person('do it'), ...steps]))
    const kept = findKept(view, topDownTruncation.plan(view, { targetTokens: 600 }))
    expect(kept[0]).toBe(6)
    expect(kept[1]).toBeGreaterThan(7)
  })
})
