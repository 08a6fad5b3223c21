import fc from 'fast-check'
import { expect, test } from 'vitest'
import { packedCl100k } from './cl100k.packed.ts'
import { countByHeap } from './merge-heap.ts'
import { countByScan, SCAN_BYTES } from './merge-scan.ts'
import { createVocabulary } from './vocabulary.ts'

const vocabulary = createVocabulary(packedCl100k)

test('the heap merges as the scan does', () => {
  const piece = fc.oneof(
    fc.uint8Array({ minLength: 1, maxLength: SCAN_BYTES }),
    fc
      .array(fc.constantFrom(0x61, 0x62, 0x20, 0xe4), { minLength: 1, maxLength: SCAN_BYTES })
      .map((bytes) => Uint8Array.from(bytes)),
  )
  fc.assert(
    fc.property(piece, (bytes) => {
      expect(countByHeap(vocabulary, bytes, 0, bytes.length)).toBe(countByScan(vocabulary, bytes, 0, bytes.length))
    }),
    { numRuns: 500 },
  )
})
