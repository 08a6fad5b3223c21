/** The promises of every strategy, whatever its plan looks like. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { conversationOf, exchanges, histories, person } from '../conversation/histories.suite.ts'
import type { Conversation, Message, OpaquePart } from '../conversation/message.ts'
import { createSummaryMessage } from '../conversation/summary-message.ts'
import { createView } from '../engine/view.ts'
import { findModel } from '../models/find-model.ts'
import { createTokenCounter } from '../tokens/counter.ts'
import type { NoopReason, Plan, Strategy, StrategyView } from './strategy.ts'

const counter = createTokenCounter(findModel('gpt-5'))

export function viewOf(conversation: Conversation): StrategyView {
  return createView(conversation, counter)
}

/** The positions that stay verbatim under a plan. */
export function findUntouched(view: StrategyView, plan: Plan): number[] {
  if ('noop' in plan) return view.conversation.messages.map((_, index) => index)
  const touched = new Set<number>()
  for (const edit of plan.edits) {
    const keep = new Set(edit.type === 'summarize' ? edit.keep : [])
    for (let index = edit.start; index < edit.end; index++) if (!keep.has(index)) touched.add(index)
  }
  return view.conversation.messages.map((_, index) => index).filter((index) => !touched.has(index))
}

/**
 * The positions that stay under a plan, verbatim or with the same calls and results in other words.
 */
export function findKept(view: StrategyView, plan: Plan): number[] {
  const kept = new Set(findUntouched(view, plan))
  for (const edit of 'noop' in plan ? [] : plan.edits) {
    if (edit.type === 'rewrite') kept.add(edit.start)
    if (edit.type !== 'replace' || edit.end - edit.start !== edit.messages.length) continue
    edit.messages.forEach((message, offset) => {
      const before = view.conversation.messages[edit.start + offset]!
      const isSame = before.role === message.role && listPairs(before) === listPairs(message)
      if (isSame) kept.add(edit.start + offset)
    })
  }
  return [...kept].sort((a, b) => a - b)
}

/** Ids of calls and results, in order. */
function listPairs({ parts }: Message): string {
  const ids: string[] = []
  for (const part of parts) {
    if (part.type === 'tool-call' || part.type === 'tool-result')
      ids.push(`${part.type} ${part.callId}`)
  }
  return ids.join('\n')
}

/** A part of a type that does not exist yet. Under any other key than `id` it answers another. */
export const unknownPart = (key: string, id: string): OpaquePart => ({
  type: 'opaque',
  kind: key === 'id' ? 'hologram' : 'hologram_end',
  text: `{"${key}":"${id}"}`,
  bonds: [{ key, id }],
})

/**
 * Some histories that were compressed before, and whose halves of a pair of an unknown type are
 * anywhere.
 */
const plannedHistories = fc
  .record({
    given: histories,
    summary: fc.option(fc.nat(), { nil: undefined }),
    places: fc.option(fc.tuple(fc.nat(), fc.nat()), { nil: undefined }),
  })
  .map(({ given, summary, places }): Conversation => {
    const messages = [...given.messages]
    const said = messages.flatMap(({ role, origin }, index) =>
      role === 'user' && origin === 'synthetic' ? [index] : [],
    )
    const [compressed] = summary === undefined ? [] : [said[summary % said.length]]
    if (compressed !== undefined) messages[compressed] = createSummaryMessage('what happened')
    const answers = messages.flatMap(({ role }, index) => (role === 'assistant' ? [index] : []))
    const halves = places?.flatMap((place) => answers[place % answers.length] ?? []) ?? []
    for (const [half, index] of halves.sort((a, b) => a - b).entries()) {
      const message = messages[index]!
      if (message.role !== 'assistant') continue
      const part = unknownPart(half === 0 ? 'id' : 'hologram_id', 'h1')
      messages[index] = { ...message, parts: [...message.parts, part] }
    }
    return { ...given, messages }
  })

interface Exceptions {
  /** It is the last resort: the last request stays in its place, but may lose its middle. */
  readonly clipsRequest?: boolean
}

export function testStrategy(strategy: Strategy, { clipsRequest = false }: Exceptions = {}): void {
  describe(`${strategy.name} keeps what every strategy promises`, { tags: 'property' }, () => {
    const planned = (check: (view: StrategyView, plan: Plan, targetTokens: number) => void) =>
      fc.assert(
        fc.property(
          plannedHistories,
          fc.double({ min: 0.05, max: 0.8, noNaN: true }),
          (conversation, share) => {
            const view = viewOf(conversation)
            const targetTokens = Math.floor(view.tokensBefore.at(-1)! * share)
            check(view, strategy.plan(view, { targetTokens }), targetTokens)
          },
        ),
      )

    test('edits ascend, do not overlap and stay inside the history', () => {
      planned((view, plan) => {
        if ('noop' in plan) return
        let position = 0
        for (const edit of plan.edits) {
          expect(edit.start).toBeGreaterThanOrEqual(position)
          expect(edit.end).toBeGreaterThan(edit.start)
          position = edit.end
        }
        expect(position).toBeLessThanOrEqual(view.conversation.messages.length)
      })
    })

    test('what stays holds every call of a kept result and every result of a kept call', () => {
      planned((view, plan) => {
        const kept = new Set(findKept(view, plan))
        for (const unit of view.cutPoints.units) {
          const parts = view.conversation.messages.slice(unit.start, unit.end)
          const bound = parts.flatMap((message, offset) =>
            message.origin === 'user' ? [] : [unit.start + offset],
          )
          expect(new Set(bound.map((index) => kept.has(index))).size).toBe(1)
        }
      })
    })

    test('the last request of the person with what was shown, system messages and a call that still waits stay', () => {
      planned((view, plan) => {
        const kept = new Set(clipsRequest ? findKept(view, plan) : findUntouched(view, plan))
        for (const index of view.asked) expect(kept).toContain(index)
        view.conversation.messages.forEach((message, index) => {
          if (message.role === 'system') expect(findUntouched(view, plan)).toContain(index)
        })
        const pending = view.cutPoints.pendingStart
        if (pending !== undefined) expect(kept).toContain(pending)
      })
    })

    test('a plan asks for a change, or gives one of six reasons why not', () => {
      const reasons: readonly NoopReason[] = [
        'empty-history',
        'too-few-messages',
        'already-under-target',
        'tail-covers-all',
        'no-legal-cut',
        'nothing-eligible',
      ]
      planned((_, plan) => {
        if ('noop' in plan) expect(reasons).toContain(plan.noop)
        else expect(plan.edits.length).toBeGreaterThan(0)
      })
    })

    test('the same view gives the same plan', () => {
      planned((view, plan, targetTokens) =>
        expect(strategy.plan(view, { targetTokens })).toEqual(plan),
      )
    })

    test('an empty history is left alone', () => {
      expect(strategy.plan(viewOf(conversationOf([])), { targetTokens: 0 })).toEqual({
        noop: 'empty-history',
      })
    })

    test('a history that fits is left alone', () => {
      const view = viewOf(conversationOf(exchanges(20)))
      expect(strategy.plan(view, { targetTokens: 1_000_000 })).toEqual({
        noop: 'already-under-target',
      })
    })

    test('histories of one and two messages are never emptied', () => {
      for (const messages of [[person('a'.repeat(4000))], exchanges(1)]) {
        const view = viewOf(conversationOf(messages))
        const kept = findKept(view, strategy.plan(view, { targetTokens: 10 }))
        expect(kept).toContain(0)
      }
    })
  })
}
