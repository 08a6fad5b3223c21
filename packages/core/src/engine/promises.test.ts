import fc from 'fast-check'
import { expect, test } from 'vitest'
import { checkPromises, promiseCases } from './promises.suite.ts'

test('every promise holds for a thousand histories, every strategy and budget', { timeout: 120_000 }, async () => {
  const outcomes = new Map<string, number>()
  await fc.assert(
    fc.asyncProperty(promiseCases, async (given) => {
      const { outcome } = await checkPromises(given)
      outcomes.set(outcome.type, (outcomes.get(outcome.type) ?? 0) + 1)
    }),
    { numRuns: 1_000 },
  )
  // A run in which everything is refused would show nothing.
  expect(outcomes.get('compressed')).toBeGreaterThan(250)
})
