/**
 * Which records OpenCode sends when it resumes, and in which order. A compaction is a user record with a part of that
 * type and the summary that answers it; with a tail, newer records than the summary stands for stay word for word:
 *
 *   stored   old   old   tail   tail   compaction   summary   next
 *   sent                        compaction   summary   tail   tail   next
 *
 * What the person took back stays stored until the next request, and an answer that failed for ever.
 */
import { isJsonObject, readMember } from '../json/object.ts'
import { findPart, isSummaryRecord, isUserRecord, readString, type SessionRecord } from './records.ts'

/** Positions of the records, in the order they are sent. */
export function findLiveRecords(records: readonly SessionRecord[], session: unknown): number[] {
  const taken = takeFromNewest(records, findRevertedAt(records, session))
  return moveTail(records, taken).filter((index) => !hasFailed(records[index]))
}

/** Positions of all records that were neither taken back nor failed, also of those that a compaction stands for. */
export function findStandingRecords(records: readonly SessionRecord[], session: unknown): number[] {
  const end = findRevertedAt(records, session)
  return records.flatMap((record, index) => (index < end && !hasFailed(record) ? [index] : []))
}

/** Where what the person took back begins; the end when nothing was. */
function findRevertedAt(records: readonly SessionRecord[], session: unknown): number {
  const revert = readMember(session, 'revert')
  const messageId = readString(revert, 'messageID')
  if (messageId === undefined) return records.length
  const index = records.findIndex(({ info }) => info.id === messageId)
  if (index < 0) return records.length
  return readMember(revert, 'partID') === undefined ? index : index + 1
}

/** The records without the parts that the person took back of one of them. */
export function withoutRevertedParts(records: readonly SessionRecord[], session: unknown): readonly SessionRecord[] {
  const revert = readMember(session, 'revert')
  const partId = readMember(revert, 'partID')
  if (partId === undefined) return records
  const index = records.findIndex(({ info }) => info.id === readMember(revert, 'messageID'))
  const record = records[index]
  const end = record?.parts.findIndex((part) => readMember(part, 'id') === partId) ?? -1
  return record && end >= 0 ? records.with(index, { ...record, parts: record.parts.slice(0, end) }) : records
}

function takeFromNewest(records: readonly SessionRecord[], end: number): number[] {
  const taken: number[] = []
  const summarized = new Set<unknown>()
  let tailStart: unknown
  for (let index = end - 1; index >= 0; index--) {
    const record = records[index]
    if (!record) continue
    taken.push(index)
    if (tailStart !== undefined) {
      if (record.info.id === tailStart) break
      continue
    }
    if (isSummaryRecord(record)) summarized.add(record.info.parentID)
    const compaction =
      isUserRecord(record) && summarized.has(record.info.id) ? findPart(record, 'compaction') : undefined
    if (compaction === undefined) continue
    tailStart = readString(compaction, 'tail_start_id')
    if (tailStart === undefined || tailStart === record.info.id) break
  }
  return taken.reverse()
}

function moveTail(records: readonly SessionRecord[], taken: readonly number[]): readonly number[] {
  const boundary = taken.findLastIndex((index) => readTailStart(records[index]) !== undefined)
  const record = records[taken[boundary] ?? -1]
  if (!record) return taken
  const summary = taken.findIndex((index, at) => {
    const info = records[index]?.info
    return at > boundary && info?.role === 'assistant' && Boolean(info.summary) && info.parentID === record.info.id
  })
  const tailStart = readTailStart(record)
  const tail = taken.findIndex((index) => records[index]?.info.id === tailStart)
  if (tail < 0 || tail >= boundary || summary < 0) return taken
  return [...taken.slice(boundary, summary + 1), ...taken.slice(tail, boundary), ...taken.slice(summary + 1)]
}

function readTailStart(record: SessionRecord | undefined): string | undefined {
  return record && isUserRecord(record) ? readString(findPart(record, 'compaction'), 'tail_start_id') : undefined
}

/** An answer with an error is not sent; one that the person interrupted is, as far as it came. */
function hasFailed(record: SessionRecord | undefined): boolean {
  if (!record || isUserRecord(record) || !isJsonObject(record.info.error)) return false
  if (record.info.error.name !== 'MessageAbortedError') return true
  return !record.parts.some((part) => !['step-start', 'reasoning'].includes(readString(part, 'type') ?? ''))
}
