/**
 * Which messages of a history are there again in a later one. Pairs never cross, for a compression changes no order.
 *
 *   before   env  date  U1  A1  U2  A2
 *                       │   │   │   │
 *   after    summary    U1  A1  U2  A2  U3  env  date
 *
 * An agent that goes on tells its surroundings anew, in the same words; paired first, they would leave nothing to pair before
 * them. So what is there once on both sides is paired first, of what was said, then what else was said, and what the client
 * put there only in the gaps that are left.
 */

export interface Comparable {
  /** Equal for the same message. */
  readonly key: string
  /** By the person, the agent or a tool, not put there by the client. */
  readonly isSaid: boolean
}

export interface Pair {
  readonly from: number
  readonly to: number
}

type Messages = readonly Comparable[]

interface Sides {
  readonly before: Messages
  readonly after: Messages
}

/** Positions, ascending on both sides. Linear but for one binary search a message. */
export function pairUp(before: Messages, after: Messages): Pair[] {
  const sides = { before, after }
  const said = fillGaps(findAnchors(sides), sides, ({ isSaid }) => isSaid)
  return fillGaps(said, sides, () => true)
}

/** The most of what was said once on either side that stands in the same order. */
function findAnchors({ before, after }: Sides): Pair[] {
  const old = findSingles(before)
  const pairs: Pair[] = []
  for (const [key, to] of findSingles(after)) {
    const from = old.get(key)
    if (from !== undefined) pairs.push({ from, to })
  }
  return findLongestAscent(pairs)
}

/** In their order. */
function findSingles(messages: Messages): Map<string, number> {
  const places = new Map<string, number>()
  const repeated = new Set<string>()
  for (const [place, { key, isSaid }] of messages.entries()) {
    if (!isSaid) continue
    if (places.has(key)) repeated.add(key)
    else places.set(key, place)
  }
  for (const key of repeated) places.delete(key)
  return places
}

interface Ascent extends Pair {
  readonly previous: Ascent | undefined
}

/** `pairs` ascend by `to`; the longest part of them that ascends by `from` as well. */
function findLongestAscent(pairs: readonly Pair[]): Pair[] {
  // Of all ascents of a length the one that ends lowest.
  const lowest: Ascent[] = []
  for (const { from, to } of pairs) {
    let [low, high] = [0, lowest.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((lowest[middle]?.from ?? 0) < from) low = middle + 1
      else high = middle
    }
    lowest[low] = { from, to, previous: lowest[low - 1] }
  }
  const ascent: Pair[] = []
  for (let last = lowest.at(-1); last; last = last.previous) ascent.push({ from: last.from, to: last.to })
  return ascent.reverse()
}

type IsWanted = (message: Comparable) => boolean

function fillGaps(pairs: readonly Pair[], sides: Sides, isWanted: IsWanted): Pair[] {
  const filled: Pair[] = []
  let start: Pair = { from: 0, to: 0 }
  for (const pair of pairs) {
    for (const found of fillGap(start, pair, sides, isWanted)) filled.push(found)
    filled.push(pair)
    start = { from: pair.from + 1, to: pair.to + 1 }
  }
  const end = { from: sides.before.length, to: sides.after.length }
  for (const found of fillGap(start, end, sides, isWanted)) filled.push(found)
  return filled
}

/** From the end, so that of equal messages the newest stays: the end is what compressions keep. */
function fillGap(start: Pair, end: Pair, { before, after }: Sides, isWanted: IsWanted): Pair[] {
  const places = new Map<string, number[]>()
  for (let from = start.from; from < end.from; from++) {
    const message = before[from]
    if (!message || !isWanted(message)) continue
    const known = places.get(message.key)
    if (known) known.push(from)
    else places.set(message.key, [from])
  }
  const found: Pair[] = []
  let limit = end.from
  for (let to = end.to - 1; to >= start.to && places.size > 0; to--) {
    const message = after[to]
    if (!message || !isWanted(message)) continue
    const candidates = places.get(message.key) ?? []
    while (candidates.length > 0 && (candidates.at(-1) ?? 0) >= limit) candidates.pop()
    const from = candidates.pop()
    if (from === undefined) continue
    found.push({ from, to })
    limit = from
  }
  return found.reverse()
}
