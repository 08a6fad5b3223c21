import { describe, expect, test } from 'vitest'
import {
  agent,
  conversationOf,
  exchanges,
  person,
  result,
} from '../conversation/histories.suite.ts'
import { findModel } from '../models/find-model.ts'
import { createTokenCounter } from '../tokens/counter.ts'
import { compressConversation } from './compress-conversation.ts'
import type { CompressOptions } from './options.ts'

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

describe('the attempts of a report', () => {
  test('are few, and one of them was taken', async () => {
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
