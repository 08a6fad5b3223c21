import { describe, expect, test } from 'vitest'
import {
  agent,
  conversationOf,
  exchanges,
  person,
  result,
} from '../conversation/histories.suite.ts'
import { digest } from '../digest/digest.ts'
import { findModel } from '../models/find-model.ts'
import { createTokenCounter } from '../tokens/counter.ts'
import { compressConversation } from './compress-conversation.ts'
import { Known } from './known.ts'
import { auto } from './ladder.ts'
import type { SearchTask } from './open-series.ts'
import type { CompressOptions } from './options.ts'
import { search } from './search.ts'
import { SummaryWork } from './summary-work.ts'

const counter = createTokenCounter(findModel('gpt-5'))
const history = conversationOf([
  person('go'),
  ...Array.from({ length: 100 }, (_, round) => [
    agent(`I look at module ${round}.`, `c${round}`),
    result(`c${round}`, `src/module${round}.ts says ${'nothing that is new '.repeat(40)}`),
  ]).flat(),
  agent('done'),
  person('and?'),
])
const total = counter.countConversation(history).upper

const compress = (share: number, options: Partial<CompressOptions> = {}) =>
  compressConversation(history, { budgetTokens: Math.floor(total * share), counter, ...options })

describe('the limit of attempts', () => {
  const choices = { keepTurns: [1, 2], keepPaths: ['*.ts'], recall: { tool: 'recall' } }
  const given = conversationOf([
    ...Array.from({ length: 6 }, (_, round) => [
      person(`Never touch part ${round} without asking. ${'Look at the parser. '.repeat(round)}`),
      agent('', `c${round}`),
      result(`c${round}`, 'a line of output\n'.repeat(round * 20)),
    ]).flat(),
    agent('done'),
    person(`and? ${'Say it again. '.repeat(20)}`),
  ])
  const tokens = counter.countConversation(given).upper
  const isFound = async (budgetTokens: number, mostAttempts?: number) => {
    const task: SearchTask = {
      given,
      repaired: given,
      ladder: auto,
      limits: { tokens: budgetTokens },
      known: new Known(counter),
      run: {
        ...choices,
        budgetTokens,
        counter,
        summarizer: digest(),
        pins: [],
        work: new SummaryWork(),
        pause: () => undefined,
      },
    }
    return (await search(task, mostAttempts)).result !== undefined
  }

  test('refuses nothing that fits', { tags: 'slow' }, async () => {
    const all: boolean[] = []
    const limited: boolean[] = []
    for (let budget = 5; budget < tokens; budget *= 4) {
      all.push(await isFound(budget))
      limited.push(await isFound(budget, 1))
    }
    expect(limited).toEqual(all)
    expect(new Set(all)).toEqual(new Set([false, true]))
  })
})

describe('the attempts of a report', () => {
  test('are few, and one of them was taken', { tags: 'slow' }, async () => {
    for (const share of [0.1, 0.3, 0.5, 0.7, 0.9]) {
      const { outcome, report } = await compress(share)
      expect(outcome.type).toBe('compressed')
      const taken = report.attempts.filter(({ refusal }) => refusal === undefined)
      expect(taken.map(({ tokens }) => tokens)).toEqual([report.after.tokens])
      const summaries = report.attempts.filter(({ name }) => name === 'middle-out')
      expect(summaries.length).toBeLessThanOrEqual(4)
    }
  })

  test('say why each was refused, where nothing fits too', async () => {
    const { outcome, report } = await compress(0.0001)
    expect(outcome.type).toBe('cannot-fit')
    expect(report.attempts.length).toBeGreaterThan(5)
    expect(report.attempts.every(({ refusal }) => refusal !== undefined)).toBe(true)
    expect(new Set(report.attempts.map(({ refusal }) => refusal))).toContain('over-limit')
  })

  test('are none where nothing has to be done', async () => {
    const small = conversationOf(exchanges(2))
    const { report } = await compressConversation(small, { budgetTokens: 100_000, counter })
    expect(report.attempts).toEqual([])
  })
})

describe('a summary beside a long request and a result that the agent has not seen', () => {
  const request = person(
    `Never edit src/generated.ts. ${'Read each module and say what it does. '.repeat(250)}`,
  )
  const open = [
    agent('The last one.', 'open'),
    result('open', 'export const last = 1\n'.repeat(150)),
  ]
  const long = conversationOf([request, ...history.messages.slice(1, -2), ...open])
  const least = counter.countConversation(conversationOf([request, ...open])).upper

  // The ledger could need more than these, and needs less.
  test.each([500, 600, 800])('has the %i tokens that are left', async (left) => {
    const given = { budgetTokens: least + left, counter }
    const { conversation, report } = await compressConversation(long, given)
    expect(conversation.messages).toContain(request)
    expect(report.attempts.at(-1)).toMatchObject({ name: 'middle-out' })
    expect(report.after.tokens).toBeGreaterThan(least + left * 0.9)
  })
})
