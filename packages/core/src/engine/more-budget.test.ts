import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../../../../test/property-runs.ts'
import {
  agent,
  conversationOf,
  exchanges,
  histories,
  person,
  result,
} from '../conversation/histories.suite.ts'
import type { Conversation } from '../conversation/message.ts'
import { findModel } from '../models/find-model.ts'
import { middleOut, strategies, topDownTruncation } from '../strategies/index.ts'
import type { Keep, Strategy } from '../strategies/strategy.ts'
import { createTokenCounter } from '../tokens/counter.ts'
import { compressConversation } from './compress-conversation.ts'
import { auto, type Ladder } from './ladder.ts'

const counter = createTokenCounter(findModel('gpt-5'))
const count = (conversation: Conversation) => counter.countConversation(conversation).upper

interface Way {
  readonly strategy: Strategy | Ladder
  readonly keep?: { readonly head?: Keep; readonly tail?: Keep }
}

const ways: readonly Way[] = [auto, ...Object.values(strategies)].map((strategy) => ({ strategy }))

const ends: fc.Arbitrary<Keep> = fc.oneof(
  fc.record({ fraction: fc.constantFrom(0.1, 0.3, 0.5) }),
  fc.record({ fraction: fc.constantFrom(0.1, 0.3), of: fc.constant('messages' as const) }),
  fc.record({ tokens: fc.constantFrom(100, 500) }),
  fc.record({ turns: fc.constantFrom(1, 3) }),
)

/** The budget that a refusal names; undefined where the history was made to fit. */
async function findRefused(
  given: Conversation,
  budgetTokens: number,
  way: Way,
): Promise<number | undefined> {
  const { outcome } = await compressConversation(given, { ...way, budgetTokens, counter })
  if (outcome.type === 'cannot-fit') return outcome.refusal.smallestTokens
  expect(['compressed', 'unchanged']).toContain(outcome.type)
  return undefined
}

describe('more budget', () => {
  test('never refuses what less would do, and what a refusal names is enough', {
    tags: 'property',
  }, async () => {
    const cases = fc.record({
      given: histories,
      way: fc.oneof(
        fc.constantFrom(...ways),
        fc.record({
          strategy: fc.constant(middleOut),
          keep: fc.record({ head: ends, tail: ends }),
        }),
      ),
    })
    const checkCase = async ({
      given,
      way,
    }: typeof cases extends fc.Arbitrary<infer Case> ? Case : never) => {
      let least: number | undefined
      for (let share = 0.1; share <= 1; share += 0.15) {
        const budgetTokens = Math.floor(count(given) * share)
        const named = await findRefused(given, budgetTokens, way)
        if (named === undefined) least ??= budgetTokens
        else {
          expect(
            least,
            `${budgetTokens} tokens are refused, and ${least} are enough`,
          ).toBeUndefined()
          expect(await findRefused(given, named, way)).toBeUndefined()
        }
      }
    }
    await fc.assert(fc.asyncProperty(cases, checkCase), { numRuns: runs(200, 6) })
  })

  for (const [name, strategy, keep, tags] of [
    [
      'shares of the room',
      middleOut,
      { head: { fraction: 0.3 }, tail: { fraction: 0.4 } },
      ['slow'],
    ],
    [
      'shares of the messages',
      middleOut,
      { head: { fraction: 0.2, of: 'messages' }, tail: { fraction: 0.3, of: 'messages' } },
      ['slow'],
    ],
    ['the newest messages', topDownTruncation, undefined, []],
  ] as const) {
    test(`of ${name} never refuses what less would do`, { tags: [...tags] }, async () => {
      const rounds = Array.from({ length: 12 }, (_, index) => [
        person(`Request ${index}: ${'please look at the parser '.repeat(index * 7)}`),
        agent('', `c${index}`),
        result(`c${index}`, 'a line of output\n'.repeat((index * 37) % 300)),
      ])
      const given = conversationOf([...exchanges(10), ...rounds.flat()])
      const fits: boolean[] = []
      for (let share = 4; share <= 100; share += 4) {
        const budgetTokens = Math.floor((count(given) * share) / 100)
        fits.push(
          (await findRefused(given, budgetTokens, { strategy, ...(keep && { keep }) })) ===
            undefined,
        )
      }
      expect(fits.slice(fits.indexOf(true))).not.toContain(false)
      expect(fits).toContain(true)
    })
  }

  test('is not what a target is met with: the ledger and the note on recall count too', {
    tags: 'slow',
  }, async () => {
    // The more of the user's words go, the more the ledger quotes.
    const given = conversationOf(
      Array.from({ length: 60 }, (_, index) => [
        person(`Request ${index}: ${'look at the parser '.repeat(1 + ((index * 37) % 40))}`),
        agent('', `c${index}`),
        result(`c${index}`, 'a line of output\n'.repeat((index * 53) % 90)),
        agent(`Answer ${index}.`),
      ]).flat(),
    )
    const missed: number[] = []
    for (let share = 0.3; share < 0.9; share += 0.02) {
      const targetTokens = Math.floor(count(given) * share)
      const { conversation } = await compressConversation(given, {
        budgetTokens: count(given) - 100,
        targetTokens,
        strategy: topDownTruncation,
        recall: { tool: 'recall' },
        counter,
      })
      if (count(conversation) > targetTokens) missed.push(share)
    }
    expect(missed).toEqual([])
  })
})
