/** @module-tag slow */
import { describe, expect, test } from 'vitest'
import { expectLessThan, expectLinearGrowth } from './growth.suite.ts'

/** A loop that no compiler leaves out. */
function work(steps: number): number {
  let state = 1
  for (let step = 0; step < steps; step++) state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0
  return state
}

const itself = (size: number) => size

describe('growth', () => {
  test.each([
    ['linear', (size: number) => size * 100],
    ['nearly linear', (size: number) => size * 10 * Math.log2(size)],
    ['none at all', () => 100],
  ])('that is %s passes', async (_, steps) => {
    await expectLinearGrowth(itself, (size) => work(steps(size)), 1000)
  })

  test('that is half linear and half quadratic fails', async () => {
    const growing = expectLinearGrowth(itself, (size) => work(size * 1000 + size * size), 1000)
    await expect(growing).rejects.toThrow(/to be less than 32/)
  })
})

describe('a comparison', () => {
  test('passes for what takes as long, and fails for what takes ten times as long', async () => {
    await expectLessThan(
      3,
      () => work(1_000_000),
      () => work(1_000_000),
    )
    const longer = expectLessThan(
      3,
      () => work(1_000_000),
      () => work(10_000_000),
    )
    await expect(longer).rejects.toThrow(/to be less than 3/)
  })
})
