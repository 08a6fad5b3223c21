import { describe, expect, test } from 'vitest'
import { computeMean, median } from './mean.ts'

const scores = (values: readonly [session: string, kept: number, total: number][]) =>
  values.map(([session, kept, total]) => ({ session, score: { kept, total } }))

describe('a mean', () => {
  test('weighs every point the same and leaves out what says nothing', () => {
    const mean = computeMean(
      scores([
        ['a', 1, 2],
        ['a', 4, 4],
        ['b', 0, 0],
      ]),
    )
    expect(mean).toMatchObject({ mean: 0.75, points: 2, sessions: 1 })
    expect(computeMean(scores([['a', 0, 0]]))).toBeUndefined()
  })

  test('has an interval from three sessions on, the same at every run', () => {
    const few = scores([
      ['a', 1, 2],
      ['b', 1, 1],
    ])
    expect(computeMean(few)?.interval).toBeUndefined()
    const many = scores([
      ['a', 1, 2],
      ['b', 1, 1],
      ['c', 0, 1],
      ['d', 1, 4],
    ])
    const [low, high] = computeMean(many)?.interval ?? [0, 0]
    expect(low).toBeLessThan(0.4375)
    expect(high).toBeGreaterThan(0.4375)
    expect(computeMean(many)).toEqual(computeMean(many))
  })

  test('has a wider interval when the points of a session agree', () => {
    const grouped = scores([
      ['a', 1, 1],
      ['a', 1, 1],
      ['b', 0, 1],
      ['b', 0, 1],
      ['c', 1, 1],
      ['c', 1, 1],
    ])
    const apart = scores([
      ['a', 1, 1],
      ['b', 1, 1],
      ['c', 0, 1],
      ['d', 0, 1],
      ['e', 1, 1],
      ['f', 1, 1],
    ])
    const width = (of: typeof grouped) => {
      const [low, high] = computeMean(of)?.interval ?? [0, 0]
      return high - low
    }
    expect(width(grouped)).toBeGreaterThan(width(apart))
  })
})

test('the median of an even number of values lies between the two in the middle', () => {
  expect([median([3, 1, 2]), median([4, 1, 3, 2]), median([])]).toEqual([2, 2.5, 0])
})
