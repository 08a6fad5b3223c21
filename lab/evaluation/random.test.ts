import { expect, test } from 'vitest'
import { createRandom, shuffle } from './random.ts'

test('numbers are those of random.Random(0) of Python', () => {
  const random = createRandom(0)
  expect(Array.from({ length: 5 }, () => random.below(1000))).toEqual(EXPECTED_NUMBERS)
  const order = [...Array(10).keys()]
  shuffle(order, createRandom(0))
  expect(order).toEqual(EXPECTED_ORDER)
})

// python3 -c 'import random; r = random.Random(0); print([r.randrange(1000) for _ in range(5)])',
// and `shuffle` of range(10).
const EXPECTED_NUMBERS = [864, 394, 776, 911, 430]
const EXPECTED_ORDER = [7, 8, 1, 5, 3, 4, 2, 0, 9, 6]
