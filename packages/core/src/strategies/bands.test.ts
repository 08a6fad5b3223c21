import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  agent,
  conversationOf,
  histories,
  injected,
  person,
  result,
  system,
} from '../conversation/histories.suite.ts'
import { type Message, readText } from '../conversation/message.ts'
import { createSummaryMessage } from '../conversation/summary-message.ts'
import { bands, createBands } from './bands.ts'
import { testStrategy, viewOf } from './strategy.suite.ts'
import type { Plan } from './strategy.ts'

const long = 'The parser reads the whole file before it looks at the first line of it. '.repeat(10)
const turn = (number: number): Message[] => [
  person(`Request ${number}: ${long}`),
  agent(`Plan ${number}: ${long}`, `call_${number}`),
  result(`call_${number}`, long),
  agent(`Answer ${number}: ${long}`),
]
const turns = (count: number) => Array.from({ length: count }, (_, number) => turn(number)).flat()

const all = { bands: [{ start: 0, end: 100, level: 'compress' }] } as const
const editsOf = (plan: Plan) => {
  if ('noop' in plan) return []
  return plan.edits.flatMap((edit) => (edit.type === 'rewrite' ? [edit] : []))
}
const rewritten = (messages: readonly Message[], strategy = createBands(all)) =>
  editsOf(strategy.plan(viewOf(conversationOf(messages)), { targetTokens: 0 })).map(
    ({ start }) => start,
  )

describe('bands', () => {
  test('a band at the newest end covers the newest turn', () => {
    expect(
      rewritten(turns(10), createBands({ bands: [{ start: 95, end: 100, level: 0.2 }] })),
    ).toEqual([37, 39])
  })

  test('a call that still waits for its result is left alone, with all that follows', () => {
    const messages = [...turns(2), person(long), agent(long, 'call_pending')]
    expect(rewritten(messages)).toEqual([1, 3, 5, 7])
  })

  test('slash-command output, interruptions and continuations are no turns and are never rewritten', () => {
    const plain = turns(4)
    const noisy = [
      createSummaryMessage(long),
      ...plain.flatMap((message) => [injected(long), message]),
    ]
    const includingUser = createBands({
      bands: [{ start: 0, end: 50, level: 0.2 }],
      includeUser: true,
    })
    const texts = rewritten(plain, includingUser).map((index) => readText(plain[index]!))
    expect(rewritten(noisy, includingUser).map((index) => readText(noisy[index]!))).toEqual(texts)
  })

  test('rewrites the answers of the agent only, unless the words of the person are asked for', () => {
    const messages = [system(long), ...turns(3)]
    expect(rewritten(messages)).toEqual([2, 4, 6, 8, 10, 12])
    expect(rewritten(messages, createBands({ ...all, includeUser: true }))).toEqual([
      1, 2, 4, 5, 6, 8, 10, 12,
    ])
  })

  test('never rewrites the last request of the person', () => {
    const messages = turns(3)
    expect(rewritten(messages, createBands({ ...all, includeUser: true }))).not.toContain(8)
  })

  test('never rewrites what precis or a host put into the mouth of the agent', () => {
    const synthetic: Message = {
      role: 'assistant',
      origin: 'synthetic',
      parts: [{ type: 'text', text: long }],
    }
    expect(rewritten([person('go'), synthetic, agent(long)])).toEqual([2])
  })

  test('never rewrites what a compaction of the provider replaces', () => {
    const compaction: Message = {
      role: 'assistant',
      origin: 'synthetic',
      parts: [{ type: 'opaque', kind: 'compaction', text: '{}', compaction: {} }],
    }
    const given = [...turn(0), compaction, ...turn(1)]
    expect(rewritten(given)).not.toHaveLength(0)
    expect(rewritten(given).filter((index) => index < 4)).toEqual([])
  })

  test('rewrites a text of exactly the tokens that are asked for, and none of fewer', () => {
    const tokens = viewOf(conversationOf([])).countTokens(long)
    expect(
      rewritten([person('go'), agent(long)], createBands({ ...all, minTokens: tokens })),
    ).toEqual([1])
    expect(
      rewritten([person('go'), agent(long)], createBands({ ...all, minTokens: tokens + 1 })),
    ).toEqual([])
  })

  test('leaves turns outside of the bands alone, and messages before the first turn', () => {
    const messages = [agent(long), ...turns(10)]
    const chosen = rewritten(messages, bands)
    expect(chosen[0]).toBe(2)
    expect(Math.max(...chosen)).toBeLessThan(1 + 8 * 4)
    expect(chosen).toHaveLength(16)
  })

  test('asks for 10 % of the text in the older half and for 35 % of it after that', () => {
    const { countTokens } = viewOf(conversationOf([]))
    const answer = long.repeat(3)
    const messages = Array.from({ length: 10 }, () => [person('go'), agent(answer)]).flat()
    const edits = editsOf(bands.plan(viewOf(conversationOf(messages)), { targetTokens: 0 }))
    expect(edits.map(({ targetTokens }) => targetTokens)).toEqual([
      ...Array.from({ length: 5 }, () => Math.ceil(countTokens(answer) * 0.1)),
      ...Array.from({ length: 3 }, () => Math.ceil(countTokens(answer) * 0.35)),
    ])
  })

  test('leaves room for a sentence, but never for more than half of a text', () => {
    const targetOf = (words: number, minTokens: number) => {
      const strategy = createBands({
        bands: [{ start: 0, end: 100, level: 'heavy-compress' }],
        minTokens,
      })
      const messages = [person('go'), agent('word '.repeat(words).trim())]
      return editsOf(strategy.plan(viewOf(conversationOf(messages)), { targetTokens: 0 }))[0]
        ?.targetTokens
    }
    expect([targetOf(400, 50), targetOf(100, 50), targetOf(60, 50), targetOf(30, 10)]).toEqual([
      40, 20, 20, 15,
    ])
  })

  test('counts the text alone: calls, results and reasoning do not make a short text long', () => {
    const short = 'word '.repeat(48).trim()
    const reasoning = { type: 'reasoning', text: long, signatureLength: 0 } as const
    const call = {
      type: 'tool-call',
      callId: 'a',
      name: 'write',
      input: { content: long },
    } as const
    const messageOf = (text: string): Message => ({
      role: 'assistant',
      origin: 'agent',
      parts: [reasoning, { type: 'text', text }, call],
    })
    const { countTokens } = viewOf(conversationOf([]))
    expect(countTokens(short)).toBeLessThan(50)
    const history = (text: string) => [person('go'), messageOf(text), result('a'), agent('Done.')]
    expect(rewritten(history(short))).toEqual([])
    expect(rewritten(history(`${short} ${short}`))).toEqual([1])
    expect(rewritten(history(short), createBands({ ...all, minTokens: 10 }))).toEqual([1])
  })

  test('words beside a call whose result the agent has not seen stay', () => {
    expect(rewritten([person('go'), agent(long, 'a'), result('a')])).toEqual([])
    expect(rewritten([person('go'), agent(long, 'a'), result('a'), agent('Done.')])).toEqual([1])
  })

  test('a history within its target is left alone, one above it is rewritten wherever a band lies', () => {
    const view = viewOf(conversationOf(turns(10)))
    const tokens = view.tokensBefore.at(-1)!
    expect(bands.plan(view, { targetTokens: tokens })).toEqual({ noop: 'already-under-target' })
    expect(bands.plan(view, { targetTokens: Infinity })).toEqual({ noop: 'already-under-target' })
    expect(bands.plan(view, { targetTokens: tokens - 1 })).toEqual(
      bands.plan(view, { targetTokens: 0 }),
    )
  })

  test('without bands, without turns and without messages there is nothing to do', () => {
    const planOf = (messages: readonly Message[], strategy = bands) =>
      strategy.plan(viewOf(conversationOf(messages)), { targetTokens: 0 })
    expect(planOf(turns(3), createBands({ bands: [] }))).toEqual({ noop: 'nothing-eligible' })
    expect(planOf([agent(long), injected(long)])).toEqual({ noop: 'nothing-eligible' })
    expect(planOf([])).toEqual({ noop: 'empty-history' })
  })

  test('asks for each message once, in order, for less than its text and more than nothing', {
    tags: 'property',
  }, () => {
    const settings = fc.record({
      level: fc.double({ min: 0.01, max: 0.99, noNaN: true }),
      includeUser: fc.boolean(),
    })
    fc.assert(
      fc.property(histories, settings, (conversation, { level, includeUser }) => {
        const view = viewOf(conversation)
        const strategy = createBands({
          bands: [{ start: 0, end: 100, level }],
          includeUser,
          minTokens: 5,
        })
        let position = 0
        for (const edit of editsOf(strategy.plan(view, { targetTokens: 0 }))) {
          expect(edit.start).toBeGreaterThanOrEqual(position)
          expect(edit.end).toBe(edit.start + 1)
          position = edit.end
          const message = conversation.messages[edit.start]!
          expect(['agent', 'user']).toContain(message.origin)
          expect(edit.start).not.toBe(view.lastUserRequest)
          expect(edit.targetTokens).toBeGreaterThan(0)
          expect(edit.targetTokens).toBeLessThanOrEqual(view.countTokens(readText(message)))
        }
      }),
    )
  })
})

testStrategy(createBands({ ...all, includeUser: true, minTokens: 1 }))
