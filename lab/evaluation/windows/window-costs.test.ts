import { describe, expect, test } from 'vitest'
import { measureSession } from '../../../packages/precis/src/replay/recorded-session.ts'
import { createRecordedSession } from '../../../packages/precis/src/replay/session.suite.ts'
import { renderWindowCosts } from './render-window-costs.ts'
import { LANGCHAIN, measureWindow, PLANS } from './window-costs.ts'

const session = measureSession(
  createRecordedSession(Array.from({ length: 80 }, () => ({ words: 600 }))),
)

describe('the cost of a window', { tags: 'slow' }, () => {
  test('is measured for every plan, and less where less of the window is used', async () => {
    const found = await measureWindow(session, 32_000)
    expect(found.map(({ plan }) => plan)).toEqual([...Object.keys(PLANS), LANGCHAIN])
    const costs = new Map(found.map(({ plan, cost }) => [plan, cost]))
    expect(costs.get('`least`')).toBeLessThan(costs.get('`most-context`') ?? 0)
    for (const { compressions, cost } of found) {
      expect(compressions).toBeGreaterThan(0)
      // No request is longer than the window, and written tokens cost most.
      expect(cost).toBeLessThan(1.25 * 32_000 + 4000)
    }
  })

  test('is none where everything fits, or where little space is left', async () => {
    expect(await measureWindow(session, 1_000_000)).toEqual([])
    expect(await measureWindow({ ...session, fixedTokens: 12_000 }, 32_000)).toEqual([])
  })
})

describe('the table', () => {
  const cost = (plan: string, session: string, cost: number, missing = 0) => ({
    session,
    windowTokens: 64_000,
    plan,
    requests: 10,
    cost,
    compressions: 1,
    needed: 10,
    missing,
    tooLong: 0,
  })

  test('has the mean cost, the lost names, and where a plan is the dearest', () => {
    const table = renderWindowCosts([
      cost('one', 'a', 1000, 1),
      cost('one', 'b', 3000, 2),
      cost('two', 'a', 2000),
      cost('two', 'b', 3000),
    ])
    expect(table.split('\n').slice(2)).toEqual([
      '| 64,000 | 2 | one | 2,000 | 3 of 20 (15%) | 1 |  |',
      '|  |  | two | 2,500 | 0 of 20 (0%) | 2 |  |',
    ])
  })
})
