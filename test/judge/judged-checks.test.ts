import { checkInvariants, repairInvariants } from '@precis/core/conversation/invariants'
import { formats } from '@precis/core/formats'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../property-runs.ts'
import { judgedCases } from './judged-compression.ts'

test('a check finds nothing in a request that its provider takes, and a repair leaves it as it is', {
  tags: 'property',
}, () => {
  fc.assert(
    fc.property(judgedCases, ({ rules, body }) => {
      if (rules.judge(body).length > 0) return
      const conversation = formats[rules.name].parse(body)
      expect(checkInvariants(conversation)).toEqual([])
      expect(repairInvariants(conversation)).toBe(conversation)
    }),
    { numRuns: runs(1_000) },
  )
})
