/**
 * A session in its earlier state, followed by what an agent added to another state of it:
 *
 *   base     a   b   c   d   e                    before it was compressed
 *   grown    S   d   e   f′  g′                   compressed, then continued by the agent
 *   joined   a   b   c   d   e   f′  g′           the lines of f and g with other ids and links
 */

import {
  aConversation,
  aFormat,
  aListOfMessages,
  aMessage,
  anObject,
  checkArguments,
  checkValue,
  type Kinds,
  objectOf,
} from '../conversation/check-options.ts'
import { parseJson } from '../conversation/json-text.ts'
import { isSameList } from '../conversation/lists.ts'
import { type Conversation, type Message, renderPart } from '../conversation/message.ts'
import type { Format, FormatInput, FormatOutput, LineAppend, NewSession } from './shared/format.ts'
import { isJsonObject, readMember } from './shared/json.ts'
import {
  concatenateBytes,
  isJsonlSource,
  type JsonlLine,
  type JsonlSource,
  type OutputPiece,
  readLines,
  spliceLine,
  writePieces,
} from './shared/lines.ts'
import { withoutRecords } from './shared/records.ts'
import type { Span } from './shared/spans.ts'

export interface Growth {
  /** The messages that were added, as they are in `grown`. */
  readonly messages: readonly Message[]
  /**
   * The start of their lines in the document of `grown`. Undefined if they have no lines, or the
   * place is unknown.
   */
  readonly start?: number | undefined
}

export interface JoinedSession {
  readonly bytes: Uint8Array
  /**
   * Whether the added content is kept record by record. If not, its messages were written as new
   * messages.
   */
  readonly keepsRecords: boolean
}

const JOINING: Kinds = {
  format: aFormat,
  base: aConversation,
  grown: aConversation,
  growth: objectOf({ messages: aListOfMessages }, ['messages']),
  newSession: anObject,
}

/** Two states of a session, parsed by one format. */
export interface Joining {
  readonly format: Format
  readonly base: Conversation
  readonly grown: Conversation
  readonly growth: Growth
  readonly newSession: NewSession
}

/**
 * The result is always read as all messages of `base`, including those hidden since, then the added
 * messages.
 */
export function joinSessions(joining: Joining): JoinedSession {
  checkArguments(
    'Joining sessions',
    { joining },
    { joining: objectOf(JOINING, Object.keys(JOINING)) },
  )
  const { format, growth, newSession } = joining
  const base = applyLaterChanges(joining)
  const expected = describeMessages([...base.messages, ...growth.messages])
  const joined = joinRecords(joining)
  if (joined && isReadAs(format, joined, expected)) return { bytes: joined, keepsRecords: true }
  const messages = [...base.messages, ...growth.messages.map(withoutRecords)]
  return {
    bytes: toBytes(format.serialize({ ...base, messages }, newSession)),
    keepsRecords: false,
  }
}

/** The base, followed only by added lines that change lines before them. */
function applyLaterChanges(joining: Joining): Conversation {
  const { format, base, grown, growth } = joining
  const source = findSource(grown.document)
  const { append } = format
  if (!source || !append || 'joinDocuments' in append || !append.changesEarlier) return base
  const changes = listLines(source, format.name, growth.start).filter((span) => {
    const value = parseJson(source.readText(span.start, span.end))
    return isJsonObject(value) && append.changesEarlier?.(value)
  })
  return changes.length === 0 ? base : format.parse(appendLines(joining, append, source, changes))
}

/**
 * Finds what an agent added to a session, including messages that its own compactions left out. A
 * session of lines is read as it was before each compaction. The summary of the compaction is one
 * more message.
 *
 *   lines    S   d   e  │  f   g   compaction   h        S, d, e: there before
 *   read     S   d   e     s   h                         s: the summary
 *   added                  f   g   s            h
 */
export function findGrowth(
  format: Format,
  before: Conversation,
  grown: Conversation,
  start?: number,
): Growth {
  checkArguments(
    'Finding what was added',
    { format, before, grown },
    { format: aFormat, before: aConversation, grown: aConversation },
  )
  const source = findSource(grown.document)
  if (format.isCompaction && source && start !== undefined) {
    return { messages: listAdded(format, before, grown, source, start), start }
  }
  const known = describeMessages(readWhole(format, before))
  const messages = readWhole(format, grown)
  // If something was undone, everything after it is new.
  const now = describeMessages(messages)
  const end = now.findIndex((line, index) => line !== known[index])
  return { messages: end < 0 ? [] : messages.slice(end), start }
}

/** All messages of a session, including those that a compaction of its agent removed. */
export function readWhole(format: Format, conversation: Conversation): readonly Message[] {
  checkArguments(
    'Reading all messages',
    { format, conversation },
    { format: aFormat, conversation: aConversation },
  )
  if (format.readWhole) return format.readWhole(conversation).messages
  const source = findSource(conversation.document)
  if (!format.isCompaction || !source) return conversation.messages
  return listAdded(format, { ...conversation, messages: [] }, conversation, source, 0)
}

/** Whether the conversation still begins with all messages of `beginning`, unchanged. */
export function beginsWith(conversation: Conversation, beginning: Conversation): boolean {
  checkArguments(
    'Comparing',
    { conversation, beginning },
    { conversation: aConversation, beginning: aConversation },
  )
  const now = describeMessages(conversation.messages)
  return describeMessages(beginning.messages).every((line, index) => line === now[index])
}

function listAdded(
  format: Format,
  before: Conversation,
  grown: Conversation,
  source: JsonlSource,
  start: number,
): readonly Message[] {
  const marks: { readonly line: JsonlLine; readonly place: number }[] = []
  let count = 0
  for (const line of readLines(source, format.name)) {
    if (!isJsonObject(line.value) || !format.isCompaction?.(line.value)) continue
    if (line.start >= start) marks.push({ line, place: count })
    count++
  }
  if (marks.length === 0 && beginsWith(grown, before))
    return grown.messages.slice(before.messages.length)
  const added: Message[] = []
  const seen = new Set(listRecords(before.messages))
  const known = new Set(before.messages.flatMap(describeParts))
  const add = (
    messages: readonly Message[],
    isAdded: (message: Message) => boolean = () => true,
  ) => {
    const isNew = ({ records = [] }: Message) => records.some((record) => !seen.has(record))
    for (const message of messages) if (isNew(message) && isAdded(message)) added.push(message)
    for (const record of listRecords(messages)) seen.add(record)
  }
  const states = marks.length > 0 ? format.readCompactions?.(grown) : undefined
  const readUntil = (end: number) => format.parse(cutAt(source, end)).messages
  for (const { line, place } of marks) {
    const state = states?.[place]
    const then = state?.before ?? readUntil(line.start)
    add(then)
    for (const part of then.flatMap(describeParts)) known.add(part)
    // The line may repeat messages that stay, with some of their parts and shortened tool outputs.
    // A resumed Gemini CLI may first write a line without them, then one with all of them.
    add(state?.after ?? readUntil(line.next), (message) => {
      const hasTools = message.parts.some(
        ({ type }) => type === 'tool-call' || type === 'tool-result',
      )
      return !hasTools && !describeParts(message).every((part) => known.has(part))
    })
    seen.add(line.index)
  }
  add(grown.messages)
  return added
}

function listRecords(messages: readonly Message[]): number[] {
  return messages.flatMap(({ records = [] }) => records)
}

function cutAt({ input }: JsonlSource, end: number): FormatInput {
  if (typeof input === 'string') return input.slice(0, end)
  if (input instanceof Uint8Array) return input.subarray(0, end)
  return { byteLength: end, read: (from, to) => input.read(from, Math.min(to, end)) }
}

function joinRecords(joining: Joining): Uint8Array | undefined {
  const { format, base, grown, growth, newSession } = joining
  const { start, messages } = growth
  const { append } = format
  if (append && 'joinDocuments' in append) {
    const text = append.joinDocuments(base, grown, messages)
    return text === undefined
      ? undefined
      : toBytes(format.serialize(format.parse(text), newSession))
  }
  const source = findSource(grown.document)
  if (!source || !append) return undefined
  const spans = append.findAdded?.(grown, messages) ?? listLines(source, format.name, start)
  return spans.length === 0 ? undefined : appendLines(joining, append, source, spans)
}

function appendLines(
  { format, base, grown, growth: { start }, newSession }: Joining,
  append: LineAppend,
  source: JsonlSource,
  spans: readonly Span[],
): Uint8Array {
  const head = toBytes(format.serialize(base, newSession))
  const adapt = append.createAdapter({ base, grown, start: start ?? source.length, newSession })
  const pieces: OutputPiece[] = []
  for (const span of spans) {
    const value = parseJson(source.readText(span.start, span.end))
    const replacements = isJsonObject(value) ? adapt(value) : undefined
    if (replacements) pieces.push(...spliceLine(source, span, replacements), '\n')
  }
  const lineBreak = new TextEncoder().encode(head.at(-1) === 0x0a ? '' : '\n')
  return concatenateBytes([head, lineBreak, toBytes(writePieces(source, pieces))])
}

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

function isReadAs(format: Format, bytes: Uint8Array, expected: readonly string[]): boolean {
  try {
    return isSameList(describeMessages(format.parse(bytes).messages), expected)
  } catch {
    // Lines were appended to a document that is one object.
    return false
  }
}

/** One text for each message: its role and everything in it. */
export function describeMessages(messages: readonly Message[]): string[] {
  checkValue('Describing messages', 'messages', messages, aListOfMessages)
  return messages.map(({ role, parts }) =>
    [role, ...parts.map((part) => `${part.type} ${renderPart(part)}`)].join('\n'),
  )
}

/** One such text for each part of a message. */
export function describeParts(message: Message): string[] {
  checkValue('Describing parts', 'message', message, aMessage)
  const { role, parts } = message
  return parts.map((part) => `${role}\n${part.type} ${renderPart(part)}`)
}

function toBytes(output: FormatOutput): Uint8Array {
  if (typeof output === 'string') return new TextEncoder().encode(output)
  if (output instanceof Uint8Array) return output
  return Symbol.iterator in output
    ? concatenateBytes([...output])
    : new TextEncoder().encode(JSON.stringify(output))
}
