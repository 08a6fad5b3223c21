import { expect, test } from 'vitest'
import { foldSmall } from './session-item.ts'

const fold = (sizes: readonly number[], most: number) =>
  foldSmall(sizes, most, (size) => size).map((folded) =>
    folded.type === 'item' ? folded.item : folded.items,
  )

test.each([
  [[1, 2, 3], 3, [1, 2, 3]],
  [[5, 1, 1, 9, 2], 2, [5, [1, 1], 9, [2]]],
  [[1, 1, 1], 1, [[1, 1, 1]]],
  [[], 5, []],
  [[3], 0, [[3]]],
])('%j with at most %i alone is %j', (sizes, most, expected) => {
  expect(fold(sizes, most)).toEqual(expected)
})

test('nothing is lost, and no more than asked for stand alone', () => {
  const sizes = Array.from({ length: 5000 }, (_, index) => (index * 7919) % 1000)
  const folded = fold(sizes, 100)
  expect(folded.flat()).toEqual(sizes)
  expect(folded.filter((entry) => typeof entry === 'number').length).toBeLessThanOrEqual(100)
})
