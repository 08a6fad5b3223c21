import { describe, expect, test } from 'vitest'
import {
  agent,
  conversationOf,
  exchanges,
  injected,
  person,
  result,
  system,
} from '../conversation/histories.suite.ts'
import type { Message, OpaquePart } from '../conversation/message.ts'
import { createSummaryMessage } from '../conversation/summary-message.ts'
import { middleOut } from './middle-out.ts'
import { findKept, testStrategy, unknownPart, viewOf } from './strategy.suite.ts'
import type { StrategyOptions } from './strategy.ts'

testStrategy(middleOut)

const byMessages: NonNullable<StrategyOptions['keep']> = {
  head: { fraction: 0.2, of: 'messages' },
  tail: { fraction: 0.2, of: 'messages' },
}

function planOf(
  messages: readonly Message[],
  options: Partial<StrategyOptions> & { share?: number } = {},
) {
  const view = viewOf(conversationOf(messages))
  const targetTokens = Math.floor(view.tokensBefore.at(-1)! * (options.share ?? 0.5))
  const plan = middleOut.plan(view, { targetTokens, ...options })
  return { view, plan, kept: findKept(view, plan) }
}

describe('middle-out', () => {
  test('a request that is tied to what came before it stays with that', () => {
    const tie = (key: string): OpaquePart => ({
      type: 'opaque',
      kind: 'hologram',
      text: 'x '.repeat(600),
      bonds: [{ key, id: 'h1' }],
    })
    const messages = exchanges(10).map((message, index): Message => {
      if (index === 17 && message.role === 'assistant') return { ...message, parts: [tie('id')] }
      if (index === 18 && message.role === 'user')
        return { ...message, parts: [...message.parts, tie('hologram_id')] }
      return message
    })
    const { plan } = planOf(messages, { share: 0.1 })
    expect(plan).toMatchObject({ edits: [{ type: 'summarize', keep: [17, 18] }] })
  })

  test('20 messages by message fractions of 0.2: head 4, middle 12, tail 4', () => {
    const { plan } = planOf(exchanges(10), { keep: byMessages, share: 0.8 })
    expect(plan).toMatchObject({ edits: [{ type: 'summarize', start: 4, end: 16, keep: [] }] })
  })

  test('by message fractions of 0.2 and 0.3 it cuts where the original does: at ceil(0.2 N) and floor(0.7 N)', () => {
    const keep: StrategyOptions['keep'] = {
      head: { fraction: 0.2, of: 'messages' },
      tail: { fraction: 0.3, of: 'messages' },
    }
    for (let count = 8; count <= 100; count += 2) {
      const start = Math.ceil(count / 5)
      const end = Math.floor((count * 7) / 10)
      const { plan } = planOf(exchanges(count / 2), { keep, share: 0.9 })
      expect(plan).toMatchObject(
        end - start < 4 ? { noop: 'too-few-messages' } : { edits: [{ start, end }] },
      )
    }
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
    expect(planOf(exchanges(4), { keep: keep(3) }).plan).toMatchObject({
      edits: [{ start: 1, end: 5 }],
    })
  })

  test('the summary is asked for in at most the size of what it replaces', () => {
    const { view, plan } = planOf(exchanges(50), { share: 0.95 })
    if ('noop' in plan || plan.edits[0]?.type !== 'summarize') throw new Error('no summary')
    const [edit] = plan.edits
    const replaced = view.tokensBefore[edit.end]! - view.tokensBefore[edit.start]!
    expect(edit.targetTokens).toBeLessThanOrEqual(replaced)
  })

  test('a longer tail is taken as far as it leaves messages to summarize and room for it', () => {
    const sizeOfTail = (tailTokens: number, keep?: StrategyOptions['keep']) => {
      const { view, plan } = planOf(exchanges(50), { share: 0.8, tailTokens, keep })
      if ('noop' in plan || plan.edits[0]?.type !== 'summarize') throw new Error('no summary')
      const [{ end, targetTokens }] = plan.edits
      expect(targetTokens).toBeGreaterThan(100)
      return view.tokensBefore.at(-1)! - view.tokensBefore[end]!
    }
    const own = sizeOfTail(0)
    expect(sizeOfTail(own * 1.5)).toBeGreaterThan(own * 1.4)
    expect(sizeOfTail(own / 2)).toBe(own)
    expect(sizeOfTail(Infinity)).toBeGreaterThan(own * 2)
    const keep = { tail: { fraction: 0.3 } }
    expect(sizeOfTail(Infinity, keep)).toBe(sizeOfTail(0, keep))
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

  test('a last request in the tail leaves the ends as they are', () => {
    const keep: StrategyOptions['keep'] = { head: { messages: 4 }, tail: { messages: 6 } }
    expect(planOf(exchanges(20), { keep }).plan).toMatchObject({
      edits: [{ start: 4, end: 34, keep: [] }],
    })
  })

  test('more than 500 tokens do not move: the request alone stays', () => {
    const keep: StrategyOptions['keep'] = { head: { messages: 2 }, tail: { messages: 2 } }
    const steps = (words: number) =>
      Array.from({ length: 8 }, (_, i) => agent(`step ${i} ${'word '.repeat(words)}`))
    const messages = (words: number) => [...exchanges(40), person('the last wish'), ...steps(words)]
    expect(planOf(messages(60), { keep }).plan).toMatchObject({ edits: [{ end: 80, keep: [] }] })
    expect(planOf(messages(90), { keep }).plan).toMatchObject({ edits: [{ end: 87, keep: [80] }] })
  })

  test('a request that came between a call and its result moves with the call', () => {
    const steered = [
      agent('', 'c1'),
      person('the last wish'),
      result('c1'),
      ...Array.from({ length: 4 }, () => agent('on it')),
    ]
    const keep: StrategyOptions['keep'] = { head: { messages: 2 }, tail: { messages: 2 } }
    expect(planOf([...exchanges(20), ...steered], { keep }).plan).toMatchObject({
      edits: [{ end: 40, keep: [] }],
    })
  })

  test('a request with a picture stays with its picture: moved when it is small, alone when it is large', () => {
    const request = (side: number): Message => ({
      role: 'user',
      origin: 'user',
      parts: [
        { type: 'text', text: 'make it look like this' },
        { type: 'image', mediaType: 'image/png', bytes: 9_000, width: side, height: side },
      ],
    })
    const keep: StrategyOptions['keep'] = { head: { messages: 2 }, tail: { messages: 2 } }
    const messages = (side: number) => [
      ...exchanges(80),
      request(side),
      ...Array.from({ length: 4 }, () => agent('on it')),
    ]
    expect(planOf(messages(64), { keep }).plan).toMatchObject({ edits: [{ end: 160, keep: [] }] })
    expect(planOf(messages(1_500), { keep }).plan).toMatchObject({
      edits: [{ end: 163, keep: [160] }],
    })
  })

  test('one unit that reaches across both cuts leaves no middle', () => {
    const calls = Array.from({ length: 20 }, (_, i) => `c${i}`)
    const { plan } = planOf([agent('', ...calls), ...calls.map((id) => result(id))], {
      keep: byMessages,
    })
    expect(plan).toEqual({ noop: 'tail-covers-all' })
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

  test('the head ends before a pair of an unknown type that has the live summary between its halves', () => {
    const later = exchanges(40)
    const messages = [
      ...exchanges(1),
      person('Show it.'),
      { ...agent(''), parts: [unknownPart('id', 'h1')] },
      createSummaryMessage('what happened'),
      ...later.slice(0, 40),
      { ...agent(''), parts: [unknownPart('hologram_id', 'h1')] },
      ...later.slice(40),
    ]
    const { plan } = planOf(messages, { share: 0.4 })
    expect(plan).toMatchObject({ edits: [{ type: 'summarize', start: 3 }] })
  })

  test('system messages take no part', () => {
    const { plan } = planOf([system('you are an agent'), ...exchanges(30)])
    expect(plan).toMatchObject({ edits: [{ start: expect.any(Number) }] })
    if (!('noop' in plan)) expect(plan.edits[0]!.start).toBeGreaterThanOrEqual(1)
  })

  test('an older summary alone is worth a shorter one', () => {
    const messages = [createSummaryMessage('what was done '.repeat(500)), ...exchanges(2)]
    expect(planOf(messages).plan).toMatchObject({ edits: [{ type: 'summarize', start: 0 }] })
  })
})
