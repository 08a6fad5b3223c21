import fc from 'fast-check'
import { expect, test } from 'vitest'
import { checkPromises, promiseCases } from './promises.suite.ts'

for (const { histories, tags } of [
  { histories: 200, tags: [] },
  { histories: 3_000, tags: ['slow'] },
]) {
  test(`every promise holds for ${histories} histories, every strategy and budget`, { tags }, async () => {
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
}
