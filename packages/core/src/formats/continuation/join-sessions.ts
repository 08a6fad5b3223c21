/**
 * A session as it was, and behind it what an agent added to another state of it:
 *
 *   base     a   b   c   d   e                    before it was compressed
 *   grown    S   d   e   f′  g′                   compressed, then gone on with
 *   joined   a   b   c   d   e   f′  g′           the lines of f and g as they were, ids and links aside
 */
import { parseJson } from '../../conversation/json-text.ts'
import { type Conversation, type Message, renderPart } from '../../conversation/message.ts'
import type { Format, FormatInput, FormatOutput, NewSession } from '../format.ts'
import { concatenateBytes } from '../json/bytes.ts'
import {
  type JsonlLine,
  type JsonlSource,
  type OutputPiece,
  readLines,
  spliceLine,
  writePieces,
} from '../json/lines.ts'
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

/**
 * What an agent added to a session. Compactions of its own took nothing of that away: a session of lines is read as it was
 * before each of them, and what only such a compaction says, its summary, is one more message.
 *
 *   lines    S   d   e  │  f   g   compaction   h        S, d, e: there before
 *   read     S   d   e     s   h                         s: the summary
 *   added                  f   g   s            h
 */
export function findGrowth(
  format: Format,
  before: Conversation,
  grown: Conversation,
  start: number | undefined,
): Growth {
  const source = findSource(grown.document)
  if (format.isCompaction && source && start !== undefined) {
    return { messages: listAdded(format, before, grown, source, start), start }
  }
  const known = describeMessages(readWhole(format, before))
  const messages = readWhole(format, grown)
  // Where something was taken back, what follows is new.
  const now = describeMessages(messages)
  const end = now.findIndex((line, index) => line !== known[index])
  return { messages: end < 0 ? [] : messages.slice(end), start }
}

/** All messages of a session, also those that a compaction of its agent took away. */
export function readWhole(format: Format, conversation: Conversation): readonly Message[] {
  if (format.readWhole) return format.readWhole(conversation).messages
  const source = findSource(conversation.document)
  if (!format.isCompaction || !source) return conversation.messages
  return listAdded(format, { ...conversation, messages: [] }, conversation, source, 0)
}

/** Whether all that `beginning` says is still there, as it was. */
export function beginsWith({ messages }: Conversation, beginning: Conversation): boolean {
  const now = describeMessages(messages)
  return describeMessages(beginning.messages).every((line, index) => line === now[index])
}

function listAdded(
  format: Format,
  before: Conversation,
  grown: Conversation,
  source: JsonlSource,
  start: number,
): readonly Message[] {
  const marks: JsonlLine[] = []
  for (const line of readLines(source, format.name)) {
    if (line.start >= start && isJsonObject(line.value) && format.isCompaction?.(line.value)) marks.push(line)
  }
  if (marks.length === 0 && beginsWith(grown, before)) return grown.messages.slice(before.messages.length)
  const added: Message[] = []
  const seen = new Set(listRecords(before))
  const add = (state: Conversation, isAdded: (message: Message) => boolean = () => true) => {
    const isNew = ({ records = [] }: Message) => records.some((record) => !seen.has(record))
    added.push(...state.messages.filter((message) => isNew(message) && isAdded(message)))
    for (const record of listRecords(state)) seen.add(record)
  }
  for (const mark of marks) {
    const then = format.parse(cutAt(source, mark.start))
    add(then)
    const copied = new Set(then.messages.flatMap(describeParts))
    // What stays may be told again in the same line, parts of it alone, outputs of tools maybe shorter.
    add(format.parse(cutAt(source, mark.next)), (message) => {
      const hasTools = message.parts.some(({ type }) => type === 'tool-call' || type === 'tool-result')
      return !hasTools && !describeParts(message).every((part) => copied.has(part))
    })
  }
  add(grown)
  return added
}

function listRecords({ messages }: Conversation): number[] {
  return messages.flatMap(({ records = [] }) => records)
}

function cutAt({ input }: JsonlSource, end: number): FormatInput {
  if (typeof input === 'string') return input.slice(0, end)
  if (input instanceof Uint8Array) return input.subarray(0, end)
  return { byteLength: end, read: (from, to) => input.read(from, Math.min(to, end)) }
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

/** The same of each part of a message. */
export function describeParts({ role, parts }: Message): string[] {
  return parts.map((part) => `${role}\n${part.type} ${renderPart(part)}`)
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
