import { unpackClasses } from './characters.ts'
import { packedClasses } from './classes.packed.ts'
import { findJunctions, isUncrossed, type Junctions } from './junctions.ts'
import { countByHeap } from './merge-heap.ts'
import { countByScan, SCAN_BYTES } from './merge-scan.ts'
import { LONGEST_CACHED_PIECE, PieceCache } from './piece-cache.ts'
import type { FindPieceEnd } from './pieces.ts'
import { BASE, findToken, NO_TOKEN, type Vocabulary } from './vocabulary.ts'

/** Counts the tokens of the first `end` bytes, UTF-8 followed by the sentinel. */
export type CountBytes = (bytes: Uint8Array, end: number) => number

/** Shorter pieces are looked up whole. */
const CUT_BYTES = 9

let classes: Uint8Array | undefined

/** Cuts text into pieces; a piece is one token, or remembered, or merged and then remembered. */
export function createByteCounter(vocabulary: Vocabulary, findPieceEnd: FindPieceEnd): CountBytes {
  const cache = new PieceCache()
  let junctions: Junctions | undefined
  classes ??= unpackClasses(packedClasses)
  const characterClasses = classes

  const countPart = (bytes: Uint8Array, start: number, end: number): number => {
    const length = end - start
    if (length > LONGEST_CACHED_PIECE) return countByHeap(vocabulary, bytes, start, length)
    let hash = bytes[start]!
    for (let at = start + 1; at < end; at++) hash = (Math.imul(hash, BASE) + bytes[at]!) | 0
    if (findToken(vocabulary, bytes, start, length, hash) !== NO_TOKEN) return 1
    const known = cache.get(bytes, start, length, hash)
    if (known !== 0) return known
    const count =
      length <= SCAN_BYTES
        ? countByScan(vocabulary, bytes, start, length)
        : countByHeap(vocabulary, bytes, start, length)
    cache.set(bytes, start, length, hash, count)
    return count
  }

  const countInParts = (bytes: Uint8Array, start: number, end: number): number => {
    junctions ??= findJunctions(vocabulary)
    let tokens = 0
    let from = start
    for (let at = start + 3; at < end; at++) {
      if (!isUncrossed(junctions, bytes, at)) continue
      tokens += countPart(bytes, from, at)
      from = at
    }
    return tokens + countPart(bytes, from, end)
  }

  return (bytes, end) => {
    let tokens = 0
    for (let at = 0; at < end; ) {
      const next = findPieceEnd(bytes, at, characterClasses)
      const length = next - at
      if (length === 1) tokens++
      else if (length < CUT_BYTES || (bytes[next - 3]! & 0xf0) !== 0xe0) tokens += countPart(bytes, at, next)
      else tokens += countInParts(bytes, at, next)
      at = next
    }
    return tokens
  }
}
