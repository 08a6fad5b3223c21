import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../../../../test/property-runs.ts'
import { checkPromises, promiseCases } from './promises.suite.ts'

test('every promise holds for every history, strategy and budget', {
  tags: 'property',
  timeout: 480_000,
}, async () => {
  const histories = runs(3_000, 10)
  const outcomes = new Map<string, number>()
  await fc.assert(
    fc.asyncProperty(promiseCases, async (given) => {
      const { outcome } = await checkPromises(given)
      outcomes.set(outcome.type, (outcomes.get(outcome.type) ?? 0) + 1)
    }),
    { numRuns: histories },
  )
  // A run in which everything is refused would show nothing.
  expect(outcomes.get('compressed')).toBeGreaterThan(histories / 5)
})
