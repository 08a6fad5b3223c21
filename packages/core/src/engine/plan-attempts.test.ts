import { describe, expect, test } from 'vitest'
import { middleOut, topDownTruncation } from '../strategies/index.ts'
import { auto, createLadder } from './ladder.ts'
import { type Attempt, type PlanOptions, planAttempts } from './plan-attempts.ts'

const plan = (options: Partial<PlanOptions> = {}) =>
  planAttempts({
    ladderOf: () => auto,
    isModel: false,
    hasCompaction: false,
    hasChoices: false,
    hasRecall: false,
    ...options,
  })

const render = (attempt: Attempt): string => {
  if (attempt.type === 'clear') return `clear ${attempt.strategy.name}`
  if (attempt.type === 'summarize')
    return `summarize ${attempt.from} by ${attempt.by}, tail ${attempt.tail}`
  if (attempt.type === 'drop') return `drop from ${attempt.from}, ${attempt.mostShare}`
  return attempt.type === 'keep' ? `keep ${attempt.from}` : attempt.type
}

const firstSeries = (attempts: readonly Attempt[]) =>
  attempts.filter(({ series }) => series === attempts[0]?.series).map(render)

describe('the plan', () => {
  test('goes from gentle to strong', () => {
    expect(firstSeries(plan())).toEqual([
      'keep start',
      'clear high-density',
      'clear clear-tools',
      'clear clear-reasoning',
      'keep whole',
      'summarize whole by digest, tail own',
      'summarize whole by digest, tail next',
      'summarize whole by digest, tail next',
      'summarize whole by digest, tail next',
      'settle',
      'drop from cleared, 1',
      'summarize clipped by summarizer, tail own',
      'drop from clipped, 1',
      'drop from truncated, 1',
      'leave-bare',
      'keep-least',
      'drop from whole, 0.8',
      'drop from whole, 0.5',
      'drop from whole, 0.2',
      'drop from whole, 0',
      'settle',
    ])
  })

  test('asks a model once, for the best of the tails that extraction tried', () => {
    const steps = firstSeries(plan({ isModel: true }))
    expect(steps.filter((step) => step.startsWith('summarize whole')).slice(4)).toEqual([
      'summarize whole by summarizer, tail best',
      'summarize whole by digest, tail best',
    ])
  })

  test('of a single strategy has no last resort', () => {
    const steps = planAttempts({
      ladderOf: () => createLadder(topDownTruncation),
      isModel: false,
      hasCompaction: false,
      hasChoices: false,
      hasRecall: false,
    })
    expect(firstSeries(steps)).toEqual(['keep start', 'drop from cleared, 1', 'settle'])
    expect(plan({ ladderOf: () => createLadder(middleOut) }).some((one) => one.isLastResort)).toBe(
      false,
    )
  })

  test('gives way in this order: recall, ledger, chosen parts, the compaction of the provider', () => {
    const attempts = plan({ hasCompaction: true, hasChoices: true, hasRecall: true })
    const series = [...new Set(attempts.map((attempt) => attempt.series))]
    expect(series).toHaveLength(2 * 3 * 4 * 2)
    const changes = [0, 1, 2, 8, 24].map((index) => Object.values(series[index]!).join(' '))
    expect(changes).toEqual([
      'true 0.7 all-that-stays false',
      'true 0.7 all-that-stays true',
      'true 0.7 last-request false',
      'true 0.35 all-that-stays false',
      'false 0.7 all-that-stays false',
    ])
  })
})
