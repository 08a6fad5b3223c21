import { auto, digest } from '@precis/core'
import { strategies } from '@precis/core/strategies'
import { describe, expect, test } from 'vitest'
import { type AdviceOptions, adviseSession } from './advice.ts'
import { measureSession } from './recorded-session.ts'
import { createRecordedSession, type MadeStep } from './session.suite.ts'

const { 'top-down-truncation': truncation } = strategies

/** A long session whose later calls use names from its beginning. */
const working = Array.from({ length: 40 }, (_, index): MadeStep => {
  if (index < 10) {
    const name = `orders_legacy_${index}`
    return {
      words: 0,
      text: `The table ${name} belongs to the billing service of shop number ${index}.\n${'nothing to see here '.repeat(400)}`,
    }
  }
  return {
    words: 1200,
    answer: index > 25 ? `psql -c "select * from orders_legacy_${index % 10}"` : 'go on',
  }
})

async function advise(made: readonly MadeStep[], options: Partial<AdviceOptions> = {}) {
  const session = measureSession(createRecordedSession(made))
  return await adviseSession(session, {
    strategies: truncation ? [auto, truncation] : [auto],
    summarizer: digest(),
    ...options,
  })
}

describe('adviseSession', () => {
  test('tries every strategy at every threshold that the session passes, what saves most first', async () => {
    const advice = await advise(working)
    const thresholds = [...new Set(advice.trials.map(({ thresholdTokens }) => thresholdTokens))]
    expect(thresholds.length).toBeGreaterThan(1)
    expect(thresholds.every((threshold) => threshold < advice.peakTokens)).toBe(true)
    expect(advice.trials).toHaveLength(thresholds.length * 2)
    const saved = advice.trials.map(({ savedShare }) => savedShare)
    expect(saved).toEqual(saved.toSorted((a, b) => b - a))
    expect(advice.tooShort).toBeUndefined()
  })

  test('recommends what saves most among what keeps nine of ten needed names', {
    tags: 'slow',
  }, async () => {
    const { best, trials } = await advise(working, { thresholdsTokens: [20_000, 64_000, 70_000] })
    expect(best?.recall).toBeGreaterThanOrEqual(0.9)
    const rivals = trials.filter(
      ({ recall, compressions }) => compressions > 0 && (recall ?? 1) >= 0.9,
    )
    expect(Math.max(...rivals.map(({ savedShare }) => savedShare))).toBe(best?.savedShare)
  })

  test('tries the highest threshold to its end if something has to be done, however often that compresses', {
    tags: 'slow',
  }, async () => {
    const { trials } = await advise(working, {
      strategies: undefined,
      thresholdsTokens: [9_000],
      windowTokens: 40_000,
    })
    expect(trials).toHaveLength(1)
    expect(trials[0]?.compressions).toBeGreaterThan(working.length / 8)
  })

  test('counts reading again against the saving', { tags: 'slow' }, async () => {
    const { trials, moneyWithout } = await advise(working)
    for (const { savedShare, money, readAgainMoney } of trials) {
      expect(savedShare).toBeCloseTo(1 - (money + readAgainMoney) / moneyWithout, 9)
    }
  })

  test.each([
    ['few requests', working.slice(0, 8), 'it has 8 requests, fewer than 10'],
    ['small requests', working.map(() => ({ words: 20 })), 'tokens, fewer than 15000'],
    [
      'nothing needed later',
      Array.from({ length: 40 }, () => ({ words: 1200 })),
      'later calls needed 0 names',
    ],
  ])('recommends nothing to a session with %s', async (_, made, reason) => {
    const advice = await advise(made)
    expect(advice.tooShort).toContain(reason)
    expect(advice.best).toBeUndefined()
  })

  test('recommends nothing for a window in which nothing fits', { tags: 'slow' }, async () => {
    const advice = await advise(working.slice(0, 12), { strategies: undefined, windowTokens: 1 })
    expect(advice).toMatchObject({ isPossibleWithout: false, best: undefined })
  })

  test('says whether doing nothing was possible', { tags: 'slow' }, async () => {
    const options = { strategies: [auto], thresholdsTokens: [30_000] }
    expect((await advise(working, options)).isPossibleWithout).toBe(true)
    expect((await advise(working, { ...options, windowTokens: 40_000 })).isPossibleWithout).toBe(
      false,
    )
  })

  test('without strategies goes down with auto, to the first threshold that keeps too little', async () => {
    const { trials } = await advise(working, {
      strategies: undefined,
      thresholdsTokens: [20_000, 30_000, 40_000],
    })
    const down = trials.toSorted((a, b) => b.thresholdTokens - a.thresholdTokens)
    expect(new Set(down.map(({ strategy }) => strategy))).toEqual(new Set(['auto']))
    expect(down[0]?.thresholdTokens).toBe(40_000)
    for (const { recall } of down.slice(0, -1)) expect(recall ?? 1).toBeGreaterThanOrEqual(0.9)
  })

  test('without strategies gives up a threshold at which nearly every request is compressed', {
    tags: 'slow',
  }, async () => {
    const options = { strategies: undefined, thresholdsTokens: [3000] }
    const { trials, moneyWithout } = await advise(working, options)
    expect(trials).toEqual([])
    expect(moneyWithout).toBeCloseTo((await advise(working)).moneyWithout, 9)
  })

  test('takes thresholds as given', { tags: 'slow' }, async () => {
    const { trials } = await advise(working, { strategies: [auto], thresholdsTokens: [30_000] })
    expect(trials.map(({ strategy, thresholdTokens }) => [strategy, thresholdTokens])).toEqual([
      ['auto', 30_000],
    ])
  })
})
