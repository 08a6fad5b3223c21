import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '../../../../../test/property-runs.ts'
import { countByScan, SCAN_BYTES } from './byte-counter.ts'
import { readPacked as readCl100k } from './cl100k.packed.js'
import { countByHeap } from './merge-heap.ts'
import { createVocabulary } from './vocabulary.ts'

const vocabulary = createVocabulary(readCl100k())

test('the heap merges as the scan does', { tags: 'property' }, () => {
  const piece = fc.oneof(
    fc.uint8Array({ minLength: 1, maxLength: SCAN_BYTES }),
    fc
      .array(fc.constantFrom(0x61, 0x62, 0x20, 0xe4), { minLength: 1, maxLength: SCAN_BYTES })
      .map((bytes) => Uint8Array.from(bytes)),
  )
  fc.assert(
    fc.property(piece, (bytes) => {
      expect(countByHeap(vocabulary, bytes, 0, bytes.length)).toBe(
        countByScan(vocabulary, bytes, 0, bytes.length),
      )
    }),
    { numRuns: runs(500) },
  )
})
