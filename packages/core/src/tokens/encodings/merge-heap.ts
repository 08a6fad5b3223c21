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
 * Same result as `countByScan`, for pieces of any length: the pairs of each rank are in a list, and
 * a heap has the ranks of which there are any. A megabyte of one letter has few ranks.
 */
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
  const pairs = new PairsByRank()

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
    if (rank !== NO_TOKEN) pairs.add(rank, part)
  }

  for (let i = 0; i < length; i++) {
    hashes[i + 1] = (Math.imul(hashes[i]!, BASE) + bytes[start + i]!) | 0
    nexts[i] = i + 1
    previous[i] = i - 1
  }
  for (let part = 0; part < length; part++) rankPair(part)
  let parts = length
  for (let list = pairs.lowest(); list; list = pairs.lowest()) {
    const part = list.parts[list.taken++]!
    if (ranks[part] !== list.rank) continue // joined or re-ranked since it was added
    const second = nexts[part]!
    const third = nexts[second]!
    ranks[second] = NO_TOKEN
    nexts[part] = third
    if (third < length) previous[third] = part
    parts--
    // From left to right, as most lists then are in order by themselves.
    if (previous[part]! >= 0) rankPair(previous[part]!)
    rankPair(part)
  }
  return parts
}

/** Pairs of one rank, by their first part. */
interface PairList {
  readonly rank: TokenRank
  readonly parts: number[]
  /** How many of `parts` were taken. */
  taken: number
  isSorted: boolean
}

/**
 * Gives the pairs of the lowest rank, leftmost first. No pair joins a list that is being taken: a
 * merge makes longer tokens, and so does each that is due before the list goes on.
 */
class PairsByRank {
  readonly #lists = new Map<TokenRank, PairList>()
  /** A binary heap. */
  readonly #ranks: TokenRank[] = []

  add(rank: TokenRank, part: number): void {
    const list = this.#lists.get(rank)
    if (!list) {
      this.#lists.set(rank, { rank, parts: [part], taken: 0, isSorted: true })
      this.#open(rank)
      return
    }
    list.isSorted &&= list.parts[list.parts.length - 1]! <= part
    list.parts.push(part)
  }

  /** A list with pairs that were not taken yet. */
  lowest(): PairList | undefined {
    for (;;) {
      const rank = this.#ranks[0]
      if (rank === undefined) return undefined
      const list = this.#lists.get(rank)!
      if (!list.isSorted) {
        list.parts.sort((left, right) => left - right)
        list.isSorted = true
      }
      if (list.taken < list.parts.length) return list
      this.#lists.delete(rank)
      this.#close()
    }
  }

  #open(rank: TokenRank): void {
    const ranks = this.#ranks
    let at = ranks.length
    ranks.push(rank)
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (ranks[parent]! <= rank) break
      ranks[at] = ranks[parent]!
      at = parent
    }
    ranks[at] = rank
  }

  #close(): void {
    const ranks = this.#ranks
    const last = ranks.pop()!
    const size = ranks.length
    if (size === 0) return
    let at = 0
    for (let child = 1; child < size; child = at * 2 + 1) {
      if (child + 1 < size && ranks[child + 1]! < ranks[child]!) child++
      if (ranks[child]! >= last) break
      ranks[at] = ranks[child]!
      at = child
    }
    ranks[at] = last
  }
}
