import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../property-runs.ts'
import { damagedCases, findDisagreements } from './judged-checks.ts'

test('a check finds what a provider refuses and nothing else, and a repair mends all of it', {
  tags: 'property',
}, () => {
  fc.assert(
    fc.property(damagedCases, (given) => {
      expect(findDisagreements(given)).toEqual([])
    }),
    { numRuns: runs(2_000) },
  )
})
