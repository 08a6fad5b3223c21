import {
  BASE,
  findToken,
  LONGEST_TOKEN,
  NO_TOKEN,
  POWERS,
  type TokenRank,
  type Vocabulary,
} from './vocabulary.ts'

/**
 * A heap key is rank · POSITIONS + position, below 2^53: lowest rank first, and leftmost first for
 * equal ranks.
 */
const POSITIONS = 2 ** 31

/** Same result as `countByScan` in O(n log n), for pieces of any length. */
export function countByHeap(
  vocabulary: Vocabulary,
  bytes: Uint8Array,
  start: number,
  length: number,
): number {
  const hashes = new Int32Array(length + 1)
  const nexts = new Int32Array(length)
  const previous = new Int32Array(length)
  const ranks = new Int32Array(length).fill(NO_TOKEN)
  const heap = new PairHeap(length)

  const rankOf = (from: number, to: number): TokenRank => {
    const size = to - from
    if (size > LONGEST_TOKEN) return NO_TOKEN
    const hash = (hashes[to]! - Math.imul(hashes[from]!, POWERS[size]!)) | 0
    return findToken(vocabulary, bytes, start + from, size, hash)
  }
  const rankPair = (part: number): void => {
    const second = nexts[part]!
    const rank = second < length ? rankOf(part, nexts[second]!) : NO_TOKEN
    ranks[part] = rank
    if (rank !== NO_TOKEN) heap.push(rank * POSITIONS + part)
  }

  for (let i = 0; i < length; i++) {
    hashes[i + 1] = (Math.imul(hashes[i]!, BASE) + bytes[start + i]!) | 0
    nexts[i] = i + 1
    previous[i] = i - 1
  }
  for (let part = 0; part < length; part++) rankPair(part)
  let parts = length
  while (heap.size > 0) {
    const key = heap.pop()
    const rank = Math.floor(key / POSITIONS)
    const part = (key - rank * POSITIONS) | 0 // as an integer, or all it is passed to is compiled for fractions
    if (ranks[part] !== rank) continue // joined or re-ranked since it was pushed
    const second = nexts[part]!
    const third = nexts[second]!
    ranks[second] = NO_TOKEN
    nexts[part] = third
    if (third < length) previous[third] = part
    parts--
    rankPair(part)
    if (previous[part]! >= 0) rankPair(previous[part]!)
  }
  return parts
}

/**
 * A min-heap of numbers with four children to a node: half the levels of a binary one, and siblings
 * share a cache line.
 */
class PairHeap {
  size = 0
  #keys: Float64Array

  constructor(capacity: number) {
    this.#keys = new Float64Array(capacity + 1)
  }

  push(key: number): void {
    if (this.size === this.#keys.length) {
      const grown = new Float64Array(this.size * 2)
      grown.set(this.#keys)
      this.#keys = grown
    }
    const keys = this.#keys
    let at = this.size++
    while (at > 0) {
      const parent = (at - 1) >> 2
      if (keys[parent]! <= key) break
      keys[at] = keys[parent]!
      at = parent
    }
    keys[at] = key
  }

  pop(): number {
    const keys = this.#keys
    const top = keys[0]!
    const last = keys[--this.size]!
    let at = 0
    for (let first = 1; first < this.size; first = at * 4 + 1) {
      const end = Math.min(first + 4, this.size)
      let child = first
      for (let other = first + 1; other < end; other++)
        if (keys[other]! < keys[child]!) child = other
      if (keys[child]! >= last) break
      keys[at] = keys[child]!
      at = child
    }
    keys[at] = last
    return top
  }
}
