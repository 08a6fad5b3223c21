import { auto, compress } from '@precis/core'
import { strategies } from '@precis/core/strategies'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../property-runs.ts'
import { checkCompression, judgedCases } from './judged-compression.ts'

test('no compression breaks a rule of a provider, tears a pair or loses words in silence', {
  tags: 'property',
}, async () => {
  const histories = runs(500, 5)
  const outcomes = new Map<string, number>()
  await fc.assert(
    fc.asyncProperty(judgedCases, async (given) => {
      const outcome = await checkCompression({ auto, compress, strategies }, given)
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
    }),
    { numRuns: histories },
  )
  expect(outcomes.get('compressed')).toBeGreaterThan(histories / 3)
})
