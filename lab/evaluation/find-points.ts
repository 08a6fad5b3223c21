import type { KnownItem } from '../../packages/precis/src/replay/items.ts'
import { sum } from '../../packages/precis/src/replay/recorded-session.ts'
import { countSize } from './items/size.ts'
import { createPoint, type Point } from './point.ts'
import type { Recording } from './recording.ts'

/**
 * `cuts` are made by us; `native` ones where the agent itself compacted and left a readable
 * summary.
 */
export type PointKind = 'cuts' | 'native'

export interface FoundPoint extends Point {
  readonly kind: PointKind
  /** `40 %`, or the position of the summary among the items. */
  readonly place: string
  /** Position of the record that follows the point. */
  readonly row: number
  /** Size of the past. */
  readonly size: number
  /** The agent's own summary at a native point. */
  readonly summary?: string
}

/** A place that was looked at and left out, and why. */
export interface SkippedPlace {
  readonly kind: PointKind
  readonly place: string
  readonly reason: string
}

export interface FoundPoints {
  readonly points: readonly FoundPoint[]
  readonly skipped: readonly SkippedPlace[]
}

export function findPoints(recording: Recording): FoundPoints {
  const found = [...findCuts(recording), ...findNativePoints(recording)]
  const isPoint = (place: FoundPoint | SkippedPlace): place is FoundPoint => 'past' in place
  return {
    points: found.filter(isPoint),
    skipped: found.filter((place): place is SkippedPlace => !isPoint(place)),
  }
}

const CUT_FRACTIONS = [0.4, 0.6, 0.8]
const LEAST_SESSION_SIZE = 15_000
const LEAST_NATIVE_SIZE = 10_000
const LEAST_SUMMARY_CHARACTERS = 1500

/**
 * Items before the first compaction of the agent's own: in that part it had everything in its
 * window.
 */
export function beforeFirstCompaction(items: readonly KnownItem[]): readonly KnownItem[] {
  const end = items.findIndex(({ kind }) => kind === 'summary' || kind === 'boundary')
  return end < 0 ? items : items.slice(0, end)
}

function findCuts({ items, workingDirectory }: Recording): (FoundPoint | SkippedPlace)[] {
  const whole = beforeFirstCompaction(items)
  const sizes = whole.map(({ text }) => countSize(text))
  const total = sum(sizes)
  if (total < LEAST_SESSION_SIZE) {
    const reason = `${total} tokens before the first compaction, fewer than ${LEAST_SESSION_SIZE}`
    return [{ kind: 'cuts', place: 'all', reason }]
  }
  return CUT_FRACTIONS.map((fraction) => {
    const place = { kind: 'cuts', place: `${fraction * 100} %` } as const
    const end = findCutEnd(whole, sizes, fraction * total)
    if (end === undefined) return { ...place, reason: 'no place where every call has its result' }
    const point = createPoint(whole.slice(0, end), whole.slice(end), workingDirectory)
    if (typeof point === 'string') return { ...place, reason: point }
    return { ...place, ...point, row: whole[end]?.row ?? 0, size: sum(sizes.slice(0, end)) }
  })
}

/** Behind the first result at which `size` has passed, at the next place where no call is open. */
function findCutEnd(
  items: readonly KnownItem[],
  sizes: readonly number[],
  size: number,
): number | undefined {
  let passed = 0
  const reached = items.findIndex(({ kind }, index) => {
    passed += sizes[index] ?? 0
    return passed >= size && kind === 'result'
  })
  return reached < 0 ? undefined : findClosed(items, reached + 1)
}

function findClosed(items: readonly KnownItem[], least: number): number | undefined {
  const open = new Set<string>()
  for (const [index, { kind, callId, row }] of items.entries()) {
    if (index >= least && open.size === 0 && row !== items[index - 1]?.row) return index
    if (!callId) continue
    if (kind === 'call') open.add(callId)
    if (kind === 'result') open.delete(callId)
  }
  return undefined
}

function findNativePoints({ items, workingDirectory }: Recording): (FoundPoint | SkippedPlace)[] {
  const found: (FoundPoint | SkippedPlace)[] = []
  const summaries = items.flatMap(({ kind, text }, index) =>
    kind === 'summary' && text.length > LEAST_SUMMARY_CHARACTERS ? [index] : [],
  )
  summaries.forEach((index, position) => {
    const past = items.slice(summaries[position - 1] ?? 0, index)
    const next = items.findIndex(({ kind }, later) => later > index && kind === 'summary')
    const future = items.slice(index + 1, next < 0 ? undefined : next)
    const size = sum(past.map(({ text }) => countSize(text)))
    const { text: summary = '', row = 0 } = items[index] ?? {}
    const place = { kind: 'native', place: `summary ${position + 1}` } as const
    const point =
      size < LEAST_NATIVE_SIZE
        ? `${size} tokens before it, fewer than ${LEAST_NATIVE_SIZE}`
        : createPoint(past, future, workingDirectory)
    found.push(
      typeof point === 'string'
        ? { ...place, reason: point }
        : { ...place, ...point, row, size, summary },
    )
  })
  return found
}
