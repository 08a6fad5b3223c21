/**
 * Sessions of lines, for agents that write one record per line. Reads only as much as is needed.
 */
import { isInjectedText } from '@precis/core/conversation'
import type { ByteSource, Format } from '@precis/core/formats'
import { asObject, asText, type JsonObject, parseObject, readLines } from '../../files/lines.ts'
import type { SessionHead, SessionTimes, TimedMessage } from './agent.ts'

// Prompts come after instructions of about ten kilobytes. A session without a prompt is not
// searched to its end.
const HEAD_BYTES = 1 << 20

export const NO_HEAD: SessionHead = {
  sessionId: undefined,
  workingDirectory: undefined,
  firstPrompt: undefined,
}

/** Joins what `read` finds in one record after the other, until it is complete. */
export function readLineHead(
  source: ByteSource,
  read: (record: JsonObject) => Partial<SessionHead>,
): SessionHead {
  let head = NO_HEAD
  for (const line of readLines(source, 0, Math.min(source.byteLength, HEAD_BYTES))) {
    const record = parseObject(line)
    if (!record) continue
    const found = read(record)
    head = {
      sessionId: head.sessionId ?? found.sessionId,
      workingDirectory: head.workingDirectory ?? found.workingDirectory,
      firstPrompt: head.firstPrompt ?? found.firstPrompt,
    }
    if (head.sessionId && head.workingDirectory && head.firstPrompt) break
  }
  return head
}

/**
 * Undefined for what hosts write instead of the user: commands, tagged context, command output,
 * notices.
 */
export function readPrompt(content: unknown): string | undefined {
  const texts = Array.isArray(content)
    ? content.map((block) => asText(asObject(block)?.text))
    : [asText(content)]
  for (const text of texts) {
    const trimmed = text?.trim()
    if (!trimmed) continue
    if (/^(?:<[a-z]|# AGENTS\.md)/i.test(trimmed) || isInjectedText(trimmed)) continue
    return trimmed
  }
  return undefined
}

// Agents write a title at the beginning of a session, when the title changes, and again at the end
// for lists.
const EDGE_BYTES = 1 << 16
// Longer lines are messages and results, which are most of a session. They are skipped.
const MOST_TITLE_BYTES = 1 << 12

export interface TitleReader {
  /** Every line with a title contains one of them. */
  readonly fields: readonly string[]
  /** The title, or a pair with a rank, if a title by the user counts more than one by the model. */
  readonly read: (record: JsonObject) => unknown
  readonly rank?: (record: JsonObject) => number
}

/** The latest title with the highest rank in the first and the last 64 KB. */
export function readLineTitle(
  source: ByteSource,
  { fields, read, rank = () => 1 }: TitleReader,
): string | undefined {
  const { byteLength } = source
  const headEnd = Math.min(byteLength, EDGE_BYTES)
  let best: string | undefined
  let bestRank = 0
  for (const [start, end] of [
    [0, headEnd],
    [Math.max(headEnd, byteLength - EDGE_BYTES), byteLength],
  ] as const) {
    for (const line of readLines(source, start, end)) {
      if (line.length > MOST_TITLE_BYTES || !fields.some((field) => line.includes(field))) continue
      const record = parseObject(line)
      const title = record && asText(read(record))?.trim()
      if (!record || !title || rank(record) < bestRank) continue
      best = title
      bestRank = rank(record)
    }
  }
  return best
}

const TAIL_BYTES = [1 << 16, 1 << 20]

/**
 * The result of `count` for the latest record with a count above zero, searched in the last 64 KB,
 * then in the last megabyte. Undefined ends the search, because nothing earlier shows the size of
 * the context. Every line that counts contains one of `fields`.
 */
export function readLineTokens(
  source: ByteSource,
  fields: readonly string[],
  count: (record: JsonObject) => number | undefined,
): number | undefined {
  for (const bytes of TAIL_BYTES) {
    const lines = [...readLines(source, Math.max(source.byteLength - bytes, 0))]
    for (const line of lines.reverse()) {
      const record = fields.some((field) => line.includes(field)) ? parseObject(line) : undefined
      const tokens = record ? count(record) : 0
      if (tokens !== 0) return tokens
    }
    if (bytes >= source.byteLength) return undefined
  }
  return undefined
}

// Lines with a time are near both ends.
const END_BYTES = 1 << 20

/** By the `timestamp` of the first and the last record that has one. */
export function readLineTimes(source: ByteSource): SessionTimes | undefined {
  const { byteLength } = source
  const first = findTime(readLines(source, 0, Math.min(END_BYTES, byteLength)), 'first')
  if (first === undefined) return undefined
  return createTimes(
    first,
    findTime(readLines(source, Math.max(byteLength - END_BYTES, 0)), 'last'),
  )
}

function findTime(lines: Iterable<Buffer>, which: 'first' | 'last'): number | undefined {
  let found: number | undefined
  for (const line of lines) {
    // A line that does not contain the word need not be parsed.
    if (!line.includes('"timestamp"')) continue
    found = readTime(parseObject(line)?.timestamp) ?? found
    if (found !== undefined && which === 'first') return found
  }
  return found
}

const MOST_DOCUMENT_BYTES = 256 << 20

/**
 * For sessions that are one document. `read` returns both times from its members, in ISO 8601 or in
 * milliseconds.
 */
export function readDocumentTimes(
  source: ByteSource,
  read: (document: JsonObject) => readonly [start: unknown, end: unknown],
): SessionTimes | undefined {
  if (source.byteLength > MOST_DOCUMENT_BYTES) return undefined
  const document = parseObject(Buffer.from(source.read(0, source.byteLength)))
  const [start, end] = document ? read(document).map(readTime) : []
  return start === undefined ? undefined : createTimes(start, end)
}

/** Milliseconds of a time in ISO 8601 or in milliseconds. */
export function readTime(value: unknown): number | undefined {
  const time =
    typeof value === 'string' ? Date.parse(value) : typeof value === 'number' ? value : Number.NaN
  return Number.isNaN(new Date(time).getTime()) ? undefined : time
}

export function readDate(value: unknown): Date | undefined {
  const timeMs = readTime(value)
  return timeMs === undefined ? undefined : new Date(timeMs)
}

function createTimes(start: number, end = start): SessionTimes {
  return { start: new Date(Math.min(start, end)), end: new Date(Math.max(start, end)) }
}

/** Records with a mark in their line, and their numbers. Other lines are not parsed. */
export function* readMarkedRecords(
  source: ByteSource,
  mark: string,
): Generator<readonly [value: JsonObject, record: number]> {
  let record = 0
  for (const line of readLines(source)) {
    const value = line.includes(mark) ? parseObject(line) : undefined
    if (value) yield [value, record]
    record++
  }
}

export interface TimelineRow {
  /** Number of the line, from 0. */
  readonly record: number
  readonly line: string
  readonly value: JsonObject
}

export function readTimelineRows(source: ByteSource): TimelineRow[] {
  const rows: TimelineRow[] = []
  let record = 0
  for (const bytes of readLines(source)) {
    const value = parseObject(bytes)
    if (value) rows.push({ record, line: bytes.toString('utf8'), value })
    record++
  }
  return rows
}

/** The messages of some rows as a separate session. Each has the time of its first record. */
export function parseTimelineRows(format: Format, rows: readonly TimelineRow[]): TimedMessage[] {
  const { messages } = format.parse(`${rows.map(({ line }) => line).join('\n')}\n`)
  return messages.map((message) => {
    const timeMs = readTime(rows[message.records?.[0] ?? -1]?.value.timestamp)
    const records = (message.records ?? []).flatMap((record) => rows[record]?.record ?? [])
    return { message, timeMs, records }
  })
}

/** The objects of an output with one object per line. Other lines are left out. */
export function readObjectLines(output: string): JsonObject[] {
  return output.split('\n').flatMap((line): readonly JsonObject[] => {
    const object = parseObject(Buffer.from(line))
    return object ? [object] : []
  })
}
