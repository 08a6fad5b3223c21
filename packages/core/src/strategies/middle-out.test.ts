import { describe, expect, test } from 'vitest'
import { agent, conversationOf, exchanges, injected, person, result, system } from '../conversation/histories.suite.ts'
import type { Message } from '../conversation/message.ts'
import { createSummaryMessage } from '../conversation/summary-message.ts'
import { middleOut } from './middle-out.ts'
import { findKept, testStrategy, viewOf } from './strategy.suite.ts'
import type { StrategyOptions } from './strategy.ts'

testStrategy(middleOut)

const byMessages: NonNullable<StrategyOptions['keep']> = {
  head: { fraction: 0.2, of: 'messages' },
  tail: { fraction: 0.2, of: 'messages' },
}

function planOf(messages: readonly Message[], options: Partial<StrategyOptions> & { share?: number } = {}) {
  const view = viewOf(conversationOf(messages))
  const targetTokens = Math.floor(view.tokensBefore.at(-1)! * (options.share ?? 0.5))
  const plan = middleOut.plan(view, { targetTokens, ...options })
  return { view, plan, kept: findKept(view, plan) }
}

describe('middle-out', () => {
  test('20 messages by message fractions of 0.2: head 4, middle 12, tail 4', () => {
    const { plan } = planOf(exchanges(10), { keep: byMessages, share: 0.8 })
    expect(plan).toMatchObject({ edits: [{ type: 'summarize', start: 4, end: 16, keep: [] }] })
  })

  test('by tokens the head takes at most 0.2 and the tail at most 0.3 of the target', () => {
    const { view, plan } = planOf(exchanges(100))
    if ('noop' in plan) throw new Error(plan.noop)
    const [edit] = plan.edits
    const target = view.tokensBefore.at(-1)! * 0.5
    expect(view.tokensBefore[edit!.start]! / target).toBeLessThanOrEqual(0.2)
    expect(view.tokensBefore[edit!.start]! / target).toBeGreaterThan(0.17)
    const tail = (view.tokensBefore.at(-1)! - view.tokensBefore[edit!.end]!) / target
    expect(tail).toBeLessThanOrEqual(0.3)
    expect(tail).toBeGreaterThan(0.27)
  })

  test('fewer than four messages between the ends are not worth a summary', () => {
    const keep = (tail: number): NonNullable<StrategyOptions['keep']> => ({
      head: { messages: 1 },
      tail: { messages: tail },
    })
    expect(planOf(exchanges(4), { keep: keep(4) }).plan).toEqual({ noop: 'too-few-messages' })
    expect(planOf(exchanges(4), { keep: keep(3) }).plan).toMatchObject({ edits: [{ start: 1, end: 5 }] })
  })

  test('the summary is asked for in at most half of what it replaces', () => {
    const { view, plan } = planOf(exchanges(50), { share: 0.95 })
    if ('noop' in plan || plan.edits[0]?.type !== 'summarize') throw new Error('no summary')
    const [edit] = plan.edits
    const replaced = view.tokensBefore[edit.end]! - view.tokensBefore[edit.start]!
    expect(edit.targetTokens).toBeLessThanOrEqual(replaced / 2)
  })

  test('a short last request in the middle moves to the tail with all that follows it', () => {
    const messages = [
      ...exchanges(20),
      person('the last wish'),
      ...Array.from({ length: 8 }, (_, i) => agent(`step ${i}`)),
    ]
    const { kept } = planOf(messages, { keep: { head: { messages: 2 }, tail: { messages: 2 } } })
    expect(kept).toContain(40)
    expect(kept).toContain(41)
    expect(kept).toHaveLength(2 + 9)
  })

  test('a last request with a long way behind it stays verbatim after the summary', () => {
    const steps = Array.from({ length: 50 }, (_, i) => [
      agent(`step ${i}`, `c${i}`),
      result(`c${i}`, 'line of output '.repeat(40)),
    ])
    const { plan } = planOf([...exchanges(40), person('the last wish'), ...steps.flat()])
    expect(plan).toMatchObject({ edits: [{ type: 'summarize', keep: [80] }] })
  })

  test('a synthetic message is never taken for the last request', () => {
    const messages = [
      person('the real one'),
      ...exchanges(0),
      ...Array.from({ length: 30 }, () => agent('x '.repeat(60))),
    ]
    const { kept } = planOf([
      ...messages,
      injected('looks like a request'),
      ...Array.from({ length: 10 }, () => agent('y '.repeat(60))),
    ])
    expect(kept).toContain(0)
  })

  test('histories without any message of the person are planned too', () => {
    const { plan } = planOf(Array.from({ length: 40 }, (_, i) => agent(`${i} `.repeat(50))))
    expect(plan).toMatchObject({ edits: [{ type: 'summarize' }] })
  })

  test('one request followed by 50 tool rounds keeps the newest rounds', () => {
    const steps = Array.from({ length: 50 }, (_, i) => [
      agent('', `c${i}`),
      result(`c${i}`, 'line of output '.repeat(20)),
    ])
    const { view, kept } = planOf([person('do it'), ...steps.flat()], { share: 0.3 })
    expect(kept).toContain(0)
    expect(kept).toContain(view.conversation.messages.length - 1)
    expect(kept).toContain(view.conversation.messages.length - 2)
  })

  test('the head ends where the live summary stands, so that it is byte-identical next time', () => {
    const head = exchanges(2)
    const first = [...head, createSummaryMessage('what happened'), ...exchanges(40)]
    const { plan } = planOf(first, { share: 0.4 })
    expect(plan).toMatchObject({ edits: [{ type: 'summarize', start: 4 }] })
  })

  test('system messages take no part', () => {
    const { plan } = planOf([system('you are an agent'), ...exchanges(30)])
    expect(plan).toMatchObject({ edits: [{ start: expect.any(Number) }] })
    if (!('noop' in plan)) expect(plan.edits[0]!.start).toBeGreaterThanOrEqual(1)
  })
})
