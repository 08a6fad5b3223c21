import fc from 'fast-check'
import { test } from 'vitest'
import { runs } from '../property-runs.ts'
import { judgedCases } from './judged-compression.ts'
import { checkUses } from './judged-uses.ts'

test('no context, switch of a model, follower, clone or compaction of a host breaks a rule of a provider, tears a pair or loses words in silence', {
  tags: ['property', 'slow'],
}, async () => {
  await fc.assert(fc.asyncProperty(judgedCases, checkUses), { numRuns: runs(100) })
})
