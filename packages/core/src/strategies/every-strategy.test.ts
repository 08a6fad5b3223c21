import { describe, expect, test } from 'vitest'
import type { Message } from '../conversation/message.ts'
import { createSummaryMessage } from '../conversation/summary-message.ts'
import { clearImages } from './clear-images.ts'
import { clearReasoning } from './clear-reasoning.ts'
import { agent, answer, call, conversationOf, image, lines, person } from './clearing.suite.ts'
import { clipParts } from './clip-parts.ts'
import { strategies } from './index.ts'
import { findKept, findUntouched, viewOf } from './strategy.suite.ts'
import type { Strategy, StrategyView } from './strategy.ts'

const every: readonly Strategy[] = [
  ...Object.values(strategies),
  clearReasoning,
  clearImages,
  clipParts,
]
const cutting = ['middle-out', 'one-shot', 'tail-summary', 'top-down-truncation'].map(
  (name) => strategies[name]!,
)
const CONTENT = lines(60, 'code')

/**
 * Twelve calls in one answer; their results come in pairs, with words of the person between them.
 */
const parallel = (name: string): Message[] => {
  const ids = Array.from({ length: 12 }, (_, index) => `${name}${index}`)
  const results = ids.map((id) => answer(id, `${id}\n${lines(20)}`))
  return [
    agent(`I look at all of ${name}.`, ...ids),
    ...results.slice(0, 6),
    person(`and ${name}?`),
    ...results.slice(6),
  ]
}
const work = (rounds: number) =>
  Array.from({ length: rounds }, (_, index) => [
    call(`${index}`, 'Read', { file_path: `${index}.ts` }),
    answer(`${index}`, CONTENT),
  ]).flat()

function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const member of Object.values(value)) freeze(member)
  }
  return value
}

const targets = (view: StrategyView) =>
  [0, 0.05, 0.2, 0.5, 0.8].map((share) => Math.floor(view.tokensBefore.at(-1)! * share))

describe.each(every.map((strategy) => [strategy.name, strategy] as const))('%s', (_, strategy) => {
  test('plans over a history that nobody can change', () => {
    const thought = { type: 'reasoning', text: 'thought '.repeat(50), signatureLength: 0 } as const
    const thoughtful: Message = { ...agent(lines(30)), parts: [thought, ...agent(lines(30)).parts] }
    const shown: Message = {
      role: 'user',
      origin: 'user',
      parts: [{ type: 'text', text: 'see' }, image()],
    }
    const messages = [
      person('go'),
      thoughtful,
      shown,
      ...work(8),
      ...parallel('a'),
      agent('done'),
      person('next'),
    ]
    const view = viewOf(freeze(conversationOf(messages)))
    for (const targetTokens of targets(view)) {
      expect(() => strategy.plan(view, { targetTokens, limits: { images: 0 } })).not.toThrow()
    }
  })

  test('plans a history without any word of the person, and parts no call from its result', () => {
    const view = viewOf(conversationOf([...work(30), agent('done')]))
    expect(view.lastUserRequest).toBeUndefined()
    for (const targetTokens of targets(view)) expectWholePairs(view, strategy, targetTokens)
  })

  test('keeps twelve parallel calls and all of their results together, wherever a cut would fall', () => {
    for (const before of [0, 1, 4, 9]) {
      const view = viewOf(
        conversationOf([
          person('go'),
          ...work(before),
          ...parallel('a'),
          ...parallel('b'),
          agent('done'),
        ]),
      )
      for (const targetTokens of targets(view)) expectWholePairs(view, strategy, targetTokens)
    }
  })
})

/** By the ids alone, each of which is used once. */
function expectWholePairs(view: StrategyView, strategy: Strategy, targetTokens: number): void {
  const kept = new Set(findKept(view, strategy.plan(view, { targetTokens })))
  const places = new Map<string, boolean[]>()
  view.conversation.messages.forEach(({ parts }, index) => {
    for (const part of parts) {
      if (part.type !== 'tool-call' && part.type !== 'tool-result') continue
      places.set(part.callId, [...(places.get(part.callId) ?? []), kept.has(index)])
    }
  })
  for (const [id, stays] of places) {
    expect(stays, `${strategy.name} at ${targetTokens}, call ${id} and its result`).toHaveLength(2)
    expect(stays[0], `${strategy.name} at ${targetTokens}, call ${id} and its result`).toBe(
      stays[1],
    )
  }
}

describe.each(cutting.map((strategy) => [strategy.name, strategy] as const))(
  '%s',
  (_, strategy) => {
    test('leaves pictures in what stays as they are', () => {
      const shown = (text: string): Message => ({
        role: 'user',
        origin: 'user',
        parts: [{ type: 'text', text }, image()],
      })
      const middle = Array.from({ length: 20 }, () => [person(lines(20)), agent(lines(20))]).flat()
      const messages = [shown('first'), agent('seen'), ...middle, shown('last'), agent('seen')]
      const view = viewOf(conversationOf(messages))
      const plan = strategy.plan(view, { targetTokens: Math.floor(view.tokensBefore.at(-1)! / 2) })
      expect(plan).toHaveProperty('edits')
      expect(findUntouched(view, plan)).toContain(messages.length - 2)
    })

    test('never takes a summary for the request that it keeps', () => {
      const messages = [
        person('the real request'),
        ...work(10),
        createSummaryMessage('what happened'),
        ...work(10),
        agent('done'),
      ]
      const view = viewOf(conversationOf(messages))
      expect(view.lastUserRequest).toBe(0)
      const plan = strategy.plan(view, {
        targetTokens: Math.floor(view.tokensBefore.at(-1)! * 0.3),
      })
      expect(findUntouched(view, plan)).toContain(0)
    })
  },
)
