import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../property-runs.ts'
import { judgedCases } from './judged-compression.ts'
import { judgeConversions } from './judged-conversion.ts'

test('no conversion breaks a rule of the provider of its agent, or loses words in silence', {
  tags: ['property', 'slow'],
}, () => {
  fc.assert(
    fc.property(judgedCases, (given) => {
      expect(judgeConversions(given)).toEqual([])
    }),
    { numRuns: runs(500) },
  )
})
