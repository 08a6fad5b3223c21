/**
 * A session at an earlier time: its records up to that time, without the records before a
 * compaction.
 */
import { type ByteSource, FormatError } from '@precis/core/formats'
import type { Agent } from '../agents/shared/agent.ts'

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
// Codex begins with its system prompt, in 15 kB. A first record of many more is a message, and
// would be read again for every compaction.
const MOST_HEAD_BYTES = 1 << 16
// What stands around a list of messages is read again as often, and is a few kilobytes.
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
  const find = (record: number) => findFirst(spans, record)
  const [first] = spans
  const head =
    isLog && first && first.end - first.start <= MOST_HEAD_BYTES
      ? copy(first.start, first.end)
      : undefined
  const readLines = (start: number, end: number) => {
    const from = spans[find(start)]?.start ?? source.byteLength
    const to = spans[find(end)]?.start ?? source.byteLength
    const lines = copy(from, Math.max(from, to))
    return start > 0 && head ? Buffer.concat([head, lines]) : lines
  }
  const listStart = first?.start ?? source.byteLength
  const listEnd = spans.at(-1)?.end ?? source.byteLength
  let repeatedBytes = 0
  const readElements = (start: number, end: number) => {
    repeatedBytes += listStart + source.byteLength - listEnd
    if (repeatedBytes > MOST_REPEATED_BYTES) throw tooLong()
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

function tooLong(): FormatError {
  return new FormatError(
    'text-too-long',
    'Reading the history before a compaction: the session has too many compactions for all that stands around its messages. Nothing can be said of the later ones.',
  )
}

/** The index of the first span of this record or a later one. */
function findFirst(spans: readonly LineSpan[], record: number): number {
  let [low, high] = [0, spans.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((spans[middle]?.record ?? 0) < record) low = middle + 1
    else high = middle
  }
  return low
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
