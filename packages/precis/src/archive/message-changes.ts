import { readText, renderPart } from '@precis/core/conversation'
import type { InspectedMessage } from '@precis/core/engine'
import { addToList } from '../files/lists.ts'
import type { Difference } from './compare-messages.ts'

/**
 * `changed`: a shorter message replaces it. `summarized`: removed, with a summary at its place or
 * before it. `summary`: that summary. `added`: new since, or inserted.
 */
export type MessageChange =
  | { readonly fate: 'kept' | 'changed'; readonly before: number; readonly after: number }
  | { readonly fate: 'summarized' | 'removed'; readonly before: number }
  | { readonly fate: 'summary' | 'added'; readonly after: number }

/** In the order of `differences`. Linear: each message is looked up once. */
export function findMessageChanges(
  differences: readonly Difference[],
  before: readonly InspectedMessage[],
  after: readonly InspectedMessage[],
): MessageChange[] {
  const found: MessageChange[] = []
  let hasSummary = false
  let gap: Gap = { removed: [], added: [] }
  const close = () => {
    hasSummary ||= gap.added.some((position) => after[position]?.isSummary === true)
    found.push(...describeGap(gap, before, after, hasSummary ? 'summarized' : 'removed'))
    gap = { removed: [], added: [] }
  }
  for (const { before: from, after: to } of differences) {
    if (from !== undefined && to !== undefined) {
      close()
      found.push({ fate: 'kept', before: from, after: to })
    } else if (from !== undefined) gap.removed.push(from)
    else if (to !== undefined) gap.added.push(to)
  }
  close()
  return found
}

/** The messages between two that stayed. */
interface Gap {
  readonly removed: number[]
  readonly added: number[]
}

type Messages = readonly InspectedMessage[]

function describeGap(
  { removed, added }: Gap,
  before: Messages,
  after: Messages,
  gone: 'summarized' | 'removed',
): MessageChange[] {
  const pairs = pairUp({ removed, added }, before, after)
  const changed = new Map(pairs.map(({ from, to }) => [from, to]))
  const placed = new Set(pairs.map(({ to }) => to))
  const found: MessageChange[] = []
  let next = 0
  const pushAdded = (until: number) => {
    for (
      let position = added[next];
      position !== undefined && position < until;
      position = added[++next]
    ) {
      if (!placed.has(position))
        found.push({ fate: after[position]?.isSummary ? 'summary' : 'added', after: position })
    }
  }
  for (const from of removed) {
    const to = changed.get(from)
    if (to === undefined) found.push({ fate: gone, before: from })
    else {
      pushAdded(to)
      found.push({ fate: 'changed', before: from, after: to })
    }
  }
  pushAdded(Number.POSITIVE_INFINITY)
  return found
}

interface Pair {
  readonly from: number
  readonly to: number
}

/**
 * The same call, or the same beginning. For messages without either: the message in the same place,
 * if no message was removed.
 */
function pairUp({ removed, added }: Gap, before: Messages, after: Messages): Pair[] {
  const old = new Map<string, number[]>()
  for (const from of [...removed].reverse()) {
    for (const key of describeKeys(before[from])) addToList(old, key, from)
  }
  const pairs: Pair[] = []
  let next = Number.NEGATIVE_INFINITY
  for (const to of added) {
    if (after[to]?.isSummary) continue
    const from = findNext(old, describeKeys(after[to]), next)
    if (from === undefined) continue
    pairs.push({ from, to })
    next = from + 1
  }
  return fillBetween(
    pairs,
    { removed, added: added.filter((to) => after[to]?.isSummary !== true) },
    before,
    after,
  )
}

function findNext(
  old: ReadonlyMap<string, number[]>,
  keys: readonly string[],
  least: number,
): number | undefined {
  for (const key of keys) {
    const candidates = old.get(key) ?? []
    while ((candidates.at(-1) ?? least) < least) candidates.pop()
    const from = candidates.pop()
    if (from !== undefined) return from
  }
  return undefined
}

/**
 * A model may have rewritten a message. If as many messages of a role were removed as added, they
 * are the same messages.
 */
function fillBetween(pairs: readonly Pair[], gap: Gap, before: Messages, after: Messages): Pair[] {
  const filled: Pair[] = []
  let [from, to] = [0, 0]
  for (const pair of [...pairs, undefined]) {
    const removed: number[] = []
    const added: number[] = []
    for (; from < gap.removed.length && gap.removed[from] !== pair?.from; from++)
      removed.push(gap.removed[from] ?? 0)
    for (; to < gap.added.length && gap.added[to] !== pair?.to; to++) added.push(gap.added[to] ?? 0)
    const isSame =
      removed.length === added.length &&
      removed.every(
        (position, index) =>
          before[position]?.message.role === after[added[index] ?? -1]?.message.role,
      )
    if (isSame)
      for (const [index, position] of removed.entries())
        filled.push({ from: position, to: added[index] ?? 0 })
    if (pair) filled.push(pair)
    from++
    to++
  }
  return filled
}

const BEGINNING = 40

/** Calls and results by their id, everything else by how it begins. */
function describeKeys(inspected: InspectedMessage | undefined): string[] {
  if (!inspected) return []
  const { message } = inspected
  const calls = message.parts.flatMap((part) =>
    part.type === 'tool-call' || part.type === 'tool-result' ? [`${part.type} ${part.callId}`] : [],
  )
  if (calls.length > 0) return calls
  const [first] = message.parts
  const text = readText(message) || (first ? renderPart(first) : '')
  return [`${message.role} ${text.trim().slice(0, BEGINNING)}`]
}
