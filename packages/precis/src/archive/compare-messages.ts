/** Finds the differences between two histories of the same work. */
import type { Message } from '@precis/core'
import { renderPart } from '@precis/core/conversation'
import { addToList, bisect } from '../files/lists.ts'

export interface Difference {
  readonly type: 'kept' | 'removed' | 'added'
  readonly role: Message['role']
  /** All that a reader would see of it. */
  readonly text: string
  /** Position in the old history, from 0. Undefined for added messages. */
  readonly before?: number
  /** Position in the new history, from 0. Undefined for removed messages. */
  readonly after?: number
}

/** In the order of reading, what was removed before what came in its place. */
export function compareMessages(
  before: readonly Message[],
  after: readonly Message[],
): Difference[] {
  const [old, written] = [before.map(render), after.map(render)]
  const differences: Difference[] = []
  let [from, to] = [0, 0]
  for (const pair of [...pairUp(old, written), { from: old.length, to: written.length }]) {
    for (; from < pair.from; from++) push(differences, old[from], { type: 'removed', before: from })
    for (; to < pair.to; to++) push(differences, written[to], { type: 'added', after: to })
    push(differences, old[from], { type: 'kept', before: from, after: to })
    from++
    to++
  }
  return differences
}

interface Rendered extends Comparable {
  readonly role: Message['role']
  readonly text: string
}

function render({ role, origin, parts }: Message): Rendered {
  const text = parts.map(renderPart).join('\n')
  const isSaid = origin === 'user' || origin === 'agent' || role === 'tool'
  return { role, text, key: `${role} ${text}`, isSaid }
}

type DifferencePlace = Pick<Difference, 'type' | 'before' | 'after'>

function push(
  differences: Difference[],
  rendered: Rendered | undefined,
  place: DifferencePlace,
): void {
  if (rendered) differences.push({ ...place, role: rendered.role, text: rendered.text })
}

interface Comparable {
  /** Equal for the same message. */
  readonly key: string
  /** By the user, the agent or a tool, not put there by the client. */
  readonly isSaid: boolean
}

interface ComparedPair {
  readonly from: number
  readonly to: number
}

type ComparedMessages = readonly Comparable[]

interface Sides {
  readonly before: ComparedMessages
  readonly after: ComparedMessages
}

/**
 * Positions of a history's messages that are also in a later one, ascending on both sides, because
 * a compression changes no order. It is linear, except one binary search per message.
 *
 *   before   env  date  U1  A1  U2  A2
 *                       │   │   │   │
 *   after    summary    U1  A1  U2  A2  U3  env  date
 *
 * An agent that continues describes its environment again, in the same words. If these were paired
 * first, nothing could be paired before them. So texts that occur once on both sides come first,
 * then other texts of user and agent. Texts of the client are paired only in the remaining gaps.
 */
function pairUp(before: ComparedMessages, after: ComparedMessages): ComparedPair[] {
  const sides = { before, after }
  const said = fillGaps(findAnchors(sides), sides, ({ isSaid }) => isSaid)
  return fillGaps(said, sides, () => true)
}

/** The longest common order of texts that occur once on either side. */
function findAnchors({ before, after }: Sides): ComparedPair[] {
  const old = findSingles(before)
  const pairs: ComparedPair[] = []
  for (const [key, to] of findSingles(after)) {
    const from = old.get(key)
    if (from !== undefined) pairs.push({ from, to })
  }
  return findLongestAscent(pairs)
}

/** In their order. */
function findSingles(messages: ComparedMessages): Map<string, number> {
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

interface Ascent extends ComparedPair {
  readonly previous: Ascent | undefined
}

/** `pairs` ascend by `to`. Returns the longest part of them that also ascends by `from`. */
function findLongestAscent(pairs: readonly ComparedPair[]): ComparedPair[] {
  // For each length, the ascent that ends lowest.
  const lowest: Ascent[] = []
  for (const { from, to } of pairs) {
    const length = bisect(lowest.length, (index) => lowest[index]!.from >= from)
    lowest[length] = { from, to, previous: lowest[length - 1] }
  }
  const ascent: ComparedPair[] = []
  for (let last = lowest.at(-1); last; last = last.previous)
    ascent.push({ from: last.from, to: last.to })
  return ascent.reverse()
}

type IsWanted = (message: Comparable) => boolean

function fillGaps(
  pairs: readonly ComparedPair[],
  sides: Sides,
  isWanted: IsWanted,
): ComparedPair[] {
  const filled: ComparedPair[] = []
  let start: ComparedPair = { from: 0, to: 0 }
  for (const pair of pairs) {
    for (const found of fillGap(start, pair, sides, isWanted)) filled.push(found)
    filled.push(pair)
    start = { from: pair.from + 1, to: pair.to + 1 }
  }
  const end = { from: sides.before.length, to: sides.after.length }
  for (const found of fillGap(start, end, sides, isWanted)) filled.push(found)
  return filled
}

/** From the end, so that the latest of equal messages stays, because compressions keep the end. */
function fillGap(
  start: ComparedPair,
  end: ComparedPair,
  { before, after }: Sides,
  isWanted: IsWanted,
): ComparedPair[] {
  const places = new Map<string, number[]>()
  for (let from = start.from; from < end.from; from++) {
    const message = before[from]
    if (!message || !isWanted(message)) continue
    addToList(places, message.key, from)
  }
  const found: ComparedPair[] = []
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
