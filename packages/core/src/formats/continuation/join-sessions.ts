/**
 * A session as it was, and behind it what an agent added to another state of it:
 *
 *   base     a   b   c   d   e                    before it was compressed
 *   grown    S   d   e   f′  g′                   compressed, then gone on with
 *   joined   a   b   c   d   e   f′  g′           the lines of f and g as they were, ids and links aside
 */
import { parseJson } from '../../conversation/json-text.ts'
import { type Conversation, type Message, renderPart } from '../../conversation/message.ts'
import type { Format, FormatOutput, NewSession } from '../format.ts'
import { concatenateBytes } from '../json/bytes.ts'
import { type JsonlSource, type OutputPiece, readLines, spliceLine, writePieces } from '../json/lines.ts'
import { isJsonObject, readMember } from '../json/object.ts'
import type { Span } from '../json/spans.ts'

export interface Growth {
  /** The messages that were added, as they stand in `grown`. */
  readonly messages: readonly Message[]
  /** Where their lines begin in the document of `grown`; undefined where it has no lines, or nobody knows. */
  readonly start?: number | undefined
}

export interface JoinedSession {
  readonly bytes: Uint8Array
  /** Whether what was added is there record by record; otherwise its messages were written anew. */
  readonly keepsRecords: boolean
}

/** Both conversations were parsed by `format`. The result is always read as all messages of `base`, then those added. */
export function joinSessions(
  format: Format,
  base: Conversation,
  grown: Conversation,
  growth: Growth,
  newSession: NewSession,
): JoinedSession {
  const expected = describeMessages([...base.messages, ...growth.messages])
  const joined = joinRecords(format, base, grown, growth, newSession)
  if (joined && isReadAs(format, joined, expected)) return { bytes: joined, keepsRecords: true }
  const messages = [...base.messages, ...growth.messages.map(withoutRecords)]
  return { bytes: toBytes(format.serialize({ ...base, messages }, newSession)), keepsRecords: false }
}

/** What an agent added to a session: all behind the messages that were there, where those are still there. */
export function findGrowth(before: Conversation, grown: Conversation, start: number | undefined): Growth {
  const known = describeMessages(before.messages)
  const now = grown.messages.map((message) => describeMessages([message]).join('\n'))
  const isUnchanged = known.every((line, index) => line === now[index])
  if (isUnchanged) return { messages: grown.messages.slice(known.length), start }
  // It was compacted or taken back meanwhile: what counts is which lines are new.
  const from = start === undefined ? Number.POSITIVE_INFINITY : countLines(grown, start)
  return { messages: grown.messages.filter(({ records = [] }) => records.some((record) => record >= from)), start }
}

function countLines({ document }: Conversation, start: number): number {
  const source = findSource(document)
  if (!source) return Number.POSITIVE_INFINITY
  let count = 0
  for (const line of readLines(source, 'session')) if (line.start < start) count++
  return count
}

function joinRecords(
  format: Format,
  base: Conversation,
  grown: Conversation,
  { start, messages }: Growth,
  newSession: NewSession,
): Uint8Array | undefined {
  const { continuation } = format
  if (continuation && 'joinDocuments' in continuation) {
    const text = continuation.joinDocuments(base, grown, messages)
    return text === undefined ? undefined : toBytes(format.serialize(format.parse(text), newSession))
  }
  const source = findSource(grown.document)
  if (!source || !continuation) return undefined
  const spans = continuation.findAdded?.(grown, messages) ?? listLines(source, format.name, start)
  if (spans.length === 0) return undefined
  const head = toBytes(format.serialize(base, newSession))
  const adapt = continuation.createAdapter({ base, grown, start: start ?? source.length, newSession })
  const pieces: OutputPiece[] = []
  for (const span of spans) {
    const value = parseJson(source.readText(span.start, span.end))
    const replacements = isJsonObject(value) ? adapt(value) : undefined
    if (replacements) pieces.push(...spliceLine(source, span, replacements), '\n')
  }
  const isEnded = head.at(-1) === LINE_FEED
  const lineBreak = new TextEncoder().encode(isEnded ? '' : '\n')
  return concatenateBytes([head, lineBreak, toBytes(writePieces(source, pieces))])
}

const LINE_FEED = 0x0a

function listLines(source: JsonlSource, formatName: string, start: number | undefined): Span[] {
  if (start === undefined) return []
  const spans: Span[] = []
  for (const line of readLines(source, formatName)) {
    if (line.start >= start) spans.push({ start: line.start, end: line.end })
  }
  return spans
}

function findSource(document: unknown): JsonlSource | undefined {
  const source = readMember(document, 'source')
  return isJsonlSource(source) ? source : undefined
}

function isJsonlSource(value: unknown): value is JsonlSource {
  return isJsonObject(value) && typeof value.readText === 'function'
}

function isReadAs(format: Format, bytes: Uint8Array, expected: readonly string[]): boolean {
  try {
    const found = describeMessages(format.parse(bytes).messages)
    return found.length === expected.length && found.every((line, index) => line === expected[index])
  } catch {
    // Lines behind a document that is one object are none.
    return false
  }
}

/** One line for each message: who says it, and all that is in it. */
export function describeMessages(messages: readonly Message[]): string[] {
  return messages.map(
    ({ role, parts }) => `${role}\n${parts.map((part) => `${part.type} ${renderPart(part)}`).join('\n')}`,
  )
}

/** Records of the other session are none of this one. */
function withoutRecords(message: Message): Message {
  const { records: _records, ...rest } = message
  return rest
}

function toBytes(output: FormatOutput): Uint8Array {
  if (typeof output === 'string') return new TextEncoder().encode(output)
  if (output instanceof Uint8Array) return output
  return Symbol.iterator in output ? concatenateBytes([...output]) : new TextEncoder().encode(JSON.stringify(output))
}
