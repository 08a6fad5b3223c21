/** The history of a session over all of its compactions. */
import { type ByteSource, formats } from '@precis/core/formats'
import { asText, type JsonObject } from '../../files/lines.ts'
import type { TimedMessage, Timeline } from '../shared/agent.ts'
import {
  parseTimelineRows,
  readTime,
  readTimelineRows,
  type TimelineRow,
} from '../shared/session-lines.ts'

/** A compaction begins a new root, so each part between two compactions is read separately. */
export function readTimeline(source: ByteSource): Timeline {
  const rows = readTimelineRows(source)
  const starts = findCompactions(rows)
  const seen = new Set<string>()
  const timed: TimedMessage[] = []
  for (const [index, start] of [0, ...starts].entries()) {
    const part = rows.slice(start, starts[index] ?? rows.length)
    if (!part.some(({ value }) => value.type === 'user' || value.type === 'assistant')) continue
    const isOfMod = index > 0 && part.some(({ value }) => isWrittenByMod(value))
    const boundaryTime = readTime(part[0]?.value.timestamp) ?? 0
    for (const timedMessage of parseTimelineRows(formats['claude-code'], part)) {
      const { message } = timedMessage
      const own = (message.records ?? []).map((record) => part[record]?.value)
      // Messages before a compaction were read above, so its summary is skipped. In the first part,
      // a summary is the only record of the time before.
      if (index > 0 && own.some((value) => value?.isCompactSummary === true)) continue
      // A mod writes what it kept again under other ids, with a time from before the boundary.
      if (isOfMod && own.some((value) => (readTime(value?.timestamp) ?? Infinity) < boundaryTime))
        continue
      // What is carried over a compaction is in the file twice.
      const uuid = asText(own[0]?.uuid)
      const key = `${uuid} ${message.role}`
      if (uuid !== undefined && seen.has(key)) continue
      seen.add(key)
      timed.push(timedMessage)
    }
  }
  return { timed, compactions: starts.length }
}

/**
 * Where the history begins again. A session that precis wrote has its summary at the beginning, or
 * in the chain.
 */
function findCompactions(rows: readonly TimelineRow[]): number[] {
  const starts: number[] = []
  let isBegun = false
  for (const [index, { value }] of rows.entries()) {
    if (isBegun && isCompaction(value, rows[index - 1]?.value)) starts.push(index)
    isBegun ||= value.type === 'user' || value.type === 'assistant'
  }
  return starts
}

/** Whether a mod wrote it when it answered a compaction (2.1.332). */
export const isWrittenByMod = ({ rowSource }: JsonObject): boolean => rowSource === 'hook'

/** Whether the history begins again here. `before`: the entry of the line before. */
export function isCompaction(entry: JsonObject, before: JsonObject | undefined): boolean {
  const isBoundary = (value: JsonObject | undefined) =>
    value?.type === 'system' && value.subtype === 'compact_boundary'
  if (isBoundary(entry)) return true
  // A session that precis wrote has its summary in the chain.
  return (
    entry.isCompactSummary === true && !isBoundary(before) && typeof entry.parentUuid !== 'string'
  )
}
