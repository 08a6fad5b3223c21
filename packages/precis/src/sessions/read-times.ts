/** When a session began, and when it was last gone on with. */
import type { ByteSource } from '@precis/core/formats'
import { asObject, type JsonObject, parseObject, readLines } from './lines.ts'

export interface SessionTimes {
  readonly start: Date
  readonly end: Date
}

// A line that has a time is near both ends.
const END_BYTES = 1 << 20
const MOST_DOCUMENT_BYTES = 256 << 20

/** Undefined where the agent writes no times. */
export function readTimes(source: ByteSource): SessionTimes | undefined {
  const { byteLength } = source
  const first = findTime(readLines(source, 0, Math.min(END_BYTES, byteLength)), 'first')
  if (first === undefined) return byteLength > MOST_DOCUMENT_BYTES ? undefined : readDocumentTimes(source)
  const last = findTime(readLines(source, Math.max(byteLength - END_BYTES, 0)), 'last') ?? first
  return createTimes(first, last)
}

/** Sessions that are one document say both in fields of it. */
function readDocumentTimes(source: ByteSource): SessionTimes | undefined {
  const document = parseObject(Buffer.from(source.read(0, source.byteLength)))
  const time = asObject(asObject(document?.info)?.time)
  const start = readTime(document?.startTime ?? document?.creationDate ?? time?.created)
  const end = readTime(document?.lastUpdated ?? document?.lastMessageDate ?? time?.updated)
  return start === undefined ? undefined : createTimes(start, end ?? start)
}

function findTime(lines: Iterable<Buffer>, which: 'first' | 'last'): number | undefined {
  let found: number | undefined
  for (const line of lines) {
    // Without the word the line need not be read at all.
    if (!line.includes('"timestamp"')) continue
    found = readEntryTime(parseObject(line)) ?? found
    if (found !== undefined && which === 'first') return found
  }
  return found
}

function readEntryTime(entry: JsonObject | undefined): number | undefined {
  return readTime(entry?.timestamp)
}

/** ISO 8601, or milliseconds. */
function readTime(value: unknown): number | undefined {
  const time = typeof value === 'string' ? Date.parse(value) : typeof value === 'number' ? value : Number.NaN
  return Number.isNaN(new Date(time).getTime()) ? undefined : time
}

function createTimes(start: number, end: number): SessionTimes {
  return { start: new Date(Math.min(start, end)), end: new Date(Math.max(start, end)) }
}
