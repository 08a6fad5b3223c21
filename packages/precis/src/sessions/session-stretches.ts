/**
 * A session at an earlier time: its records up to that time, without the records before a
 * compaction.
 */
import { type ByteSource, FormatError } from '@precis/core/formats'
import type { Agent } from '../agents/shared/agent.ts'
import { parseObject } from '../files/lines.ts'
import { bisect } from '../files/lists.ts'

export interface SessionStretches {
  /**
   * The head of the session and its records from `start` up to `end`, as a document of its own.
   * Throws `FormatError` if the head was read too often.
   */
  read(start: number, end: number): Uint8Array
  /** The number in the whole session of a record of such a document. */
  findRecord(start: number, record: number): number
}

/** In a log, of whole lines. */
interface LineSpan {
  readonly start: number
  readonly end: number
  readonly record: number
}

const COMMA = Buffer.from(',')
// The head of a log, and what stands around a list of messages, is read again for every compaction.
// It is a few kilobytes. Codex begins with its system prompt and tools, in 15 kB and more.
const MOST_REPEATED_BYTES = 1 << 26
const LINE_FEED = 0x0a

/**
 * One pass over the document, in bounded memory.
 *
 *   log    head↵ · · r3↵ r4↵ r5↵ · ·
 *   JSON   {"messages":[ · · r3 , r4 , r5 · · ]}
 */
export function openStretches(source: ByteSource, agent: Agent): SessionStretches {
  const isLog = agent.isLog(source)
  const spans = findSpans(source, agent, isLog)
  const copy = (start: number, end: number) => Buffer.from(source.read(start, end))
  const find = (record: number) => bisect(spans.length, (index) => spans[index]!.record >= record)
  const [first] = spans
  const head = isLog && first ? readHead(copy(first.start, first.end), agent) : undefined
  let repeatedBytes = 0
  const repeat = (bytes: number) => {
    repeatedBytes += bytes
    if (repeatedBytes > MOST_REPEATED_BYTES) throw tooLong()
  }
  const readLines = (start: number, end: number) => {
    const from = spans[find(start)]?.start ?? source.byteLength
    const to = spans[find(end)]?.start ?? source.byteLength
    const lines = copy(from, Math.max(from, to))
    if (start === 0 || !head) return lines
    repeat(head.length)
    return Buffer.concat([head, lines])
  }
  const listStart = first?.start ?? source.byteLength
  const listEnd = spans.at(-1)?.end ?? source.byteLength
  const readElements = (start: number, end: number) => {
    repeat(listStart + source.byteLength - listEnd)
    const chosen = spans.slice(find(start), find(end))
    const elements = chosen.flatMap((span, index) => [
      ...(index > 0 ? [COMMA] : []),
      copy(span.start, span.end),
    ])
    return Buffer.concat([copy(0, listStart), ...elements, copy(listEnd, source.byteLength)])
  }
  return {
    read: isLog ? readLines : readElements,
    findRecord: (start, record) => start + record - (head && start > 0 && record > 0 ? 1 : 0),
  }
}

/** The first line, unless it holds a message: no later stretch needs that. */
function readHead(line: Buffer, agent: Agent): Buffer | undefined {
  const record = parseObject(line)
  return record && agent.holdsContent?.(record) ? undefined : line
}

function tooLong(): FormatError {
  return new FormatError(
    'text-too-long',
    'Reading the history before a compaction: the session has too many compactions for all that stands around its messages. Nothing can be said of the later ones.',
  )
}

function findSpans(source: ByteSource, agent: Agent, isLog: boolean): LineSpan[] {
  const spans: LineSpan[] = []
  let position = 0
  let line = 0
  for (const { bytes, records } of agent.splitRecords(source)) {
    const start = isLog ? line : position
    position += bytes.length
    const [record] = records
    if (record !== undefined) spans.push({ start, end: position, record })
    if (bytes.at(-1) === LINE_FEED) line = position
  }
  return spans
}
