/** Writes a session that Gemini CLI resumes with exactly the given messages: every result once, with its call. */
import { toJsonText } from '../../conversation/json-text.ts'
import type { AssistantMessage, Conversation, Message, Part, ToolResultPart } from '../../conversation/message.ts'
import { deriveUuid } from '../content/derive-uuid.ts'
import { FormatError, type NewSession } from '../format.ts'
import { type JsonlSource, type OutputPiece, readLines, spliceLine } from '../json/lines.ts'
import { isJsonObject, type JsonObject, withMembers } from '../json/object.ts'
import { rewriteJson } from '../json/rewrite.ts'
import { isNativeBlock, isResponse, listBlocks } from './blocks.ts'
import { FORMAT_NAME, type Storage, type StoredRecord } from './records.ts'
import { changeAnswerRecord, changeUserRecord, createAnswerRecord, createUserRecord } from './write-record.ts'

/** What `parse` leaves for `serialize`. */
export interface GeminiCliDocument {
  readonly format: typeof FORMAT_NAME
  readonly source: JsonlSource
  readonly storage: Storage
  /** The messages as they were parsed. */
  readonly messages: readonly Message[]
}

/** What is written: over the text of `before`, or new. */
interface Item {
  readonly value: JsonObject
  readonly before?: StoredRecord
}

export function isGeminiCliDocument(document: unknown): document is GeminiCliDocument {
  return typeof document === 'object' && document !== null && 'format' in document && document.format === FORMAT_NAME
}

/** Everything again under another id, with the title. For a conversation that nobody edited. */
export function* cloneSession({ source, storage }: GeminiCliDocument, newSession: NewSession): Generator<OutputPiece> {
  const { body, lineBreak } = storage
  if (body) {
    yield rewriteJson(source.readText(0, source.length), body, { ...body, ...renderNames(newSession) })
    return
  }
  const id = JSON.stringify(newSession.sessionId)
  for (const { start, end, value } of readLines(source, FORMAT_NAME)) {
    if (!isJsonObject(value)) continue
    const paths = value.id === undefined ? [['sessionId'], ['$set', 'sessionId']] : []
    yield* spliceLine(
      source,
      { start, end },
      paths.map((path) => ({ path, json: id })),
    )
    yield lineBreak
  }
  yield toJsonText({ $set: renderNames(newSession) }) + lineBreak
}

export function* writeSession(
  document: GeminiCliDocument,
  conversation: Pick<Conversation, 'messages' | 'model'>,
  newSession: NewSession | undefined,
): Generator<OutputPiece> {
  const { source, storage } = document
  const { body, facts, lineBreak } = storage
  const written = writeRecords(document, conversation, newSession)
  if (body) {
    const items = newSession ? written : [...mergeItems(written, listUnsent(document))]
    const names = newSession ? renderNames(newSession) : {}
    const after = { ...body, ...names, messages: items.map(({ value }) => value) }
    yield rewriteJson(source.readText(0, source.length), body, after)
    return
  }
  if (newSession) {
    const known = withMembers(facts, { memoryScratchpad: undefined })
    yield toJsonText({ ...known, ...renderNames(newSession) }) + lineBreak
  }
  for (const item of newSession ? written : mergeItems(written, listCarried(document))) {
    yield renderItem(source, item)
    yield lineBreak
  }
}

/** The list of sessions is sorted by the time of their start: a new one belongs on top. */
function renderNames({ sessionId, timestamp, title }: NewSession): JsonObject {
  return { sessionId, startTime: timestamp, lastUpdated: timestamp, summary: title }
}

/** Lines that tell of the session, without the messages in them, and what is never sent. */
function listCarried(document: GeminiCliDocument): Item[] {
  const lines = document.storage.carried.map((before) => ({ before, value: withoutMessages(before.value) }))
  return [...lines, ...listUnsent(document)].sort((a, b) => a.before.record - b.before.record)
}

function withoutMessages(value: JsonObject): JsonObject {
  const { messages, $set: set } = value
  if (isJsonObject(set) && Array.isArray(set.messages))
    return { ...value, $set: withMembers(set, { messages: undefined }) }
  return Array.isArray(messages) ? withMembers(value, { messages: undefined }) : value
}

/** Notices, and words that are never sent; not the second copies of results, which would be sent again. */
function listUnsent({ storage, messages }: GeminiCliDocument): (Item & { readonly before: StoredRecord })[] {
  const sent = new Set(messages.flatMap(({ records = [] }) => records))
  return storage.records
    .filter(({ record, value }) => !sent.has(record) && !isCopy(value))
    .map((before) => ({ before, value: before.value }))
}

function isCopy({ type, content }: JsonObject): boolean {
  return type === 'user' && listBlocks(content).some(isResponse)
}

/** What stands before a record stays before it. */
function* mergeItems(written: readonly Item[], carried: readonly Item[]): Generator<Item> {
  let next = 0
  for (const item of written) {
    for (; item.before && next < carried.length; next++) {
      const line = carried[next]
      if (!line?.before || line.before.record > item.before.record) break
      yield line
    }
    yield item
  }
  yield* carried.slice(next)
}

function renderItem(source: JsonlSource, { value, before }: Item): OutputPiece {
  if (!before) return toJsonText(value)
  if (value === before.value) return before.span
  return rewriteJson(source.readText(before.span.start, before.span.end), before.value, value)
}

/** A message to write, with the results that go into its record. */
interface Draft {
  readonly message: Message
  readonly results: Map<string, ToolResultPart>
}

function writeRecords(
  { source, storage, messages: originals }: GeminiCliDocument,
  { messages, model: newestModel = '' }: Pick<Conversation, 'messages' | 'model'>,
  newSession: NewSession | undefined,
): Item[] {
  const stored = new Map(storage.records.map((record) => [record.record, record]))
  const untouched = new Set(originals.flatMap(({ parts }): readonly Part[] => parts))
  const newest = storage.records.at(-1)?.value.timestamp
  const timestamp = newSession?.timestamp ?? (typeof newest === 'string' ? newest : '1970-01-01T00:00:00.000Z')
  let count = 0
  const createId = newSession?.createId ?? (() => deriveUuid(`${source.length} ${count++}`))
  return draftRecords(messages).map(({ message, results }): Item => {
    const before = stored.get(message.records?.[0] ?? -1)
    if (!before) {
      const base = { id: createId(), timestamp }
      const { model = newestModel } = storage.records.findLast(({ value }) => value.type === 'gemini')?.value ?? {}
      return {
        value:
          message.role === 'assistant'
            ? createAnswerRecord(base, model, message, results)
            : createUserRecord(base, message),
      }
    }
    const value =
      message.role === 'assistant'
        ? changeAnswerRecord(before.value, message, results, untouched)
        : changeUserRecord(before.value, message)
    // Counts of a request that is larger than any of the new session.
    return { before, value: newSession && value.tokens ? withMembers(value, { tokens: undefined }) : value }
  })
}

/** One draft for each record: an answer takes the results of its calls along, wherever they stand. */
function draftRecords(messages: readonly Message[]): Draft[] {
  const drafts: Draft[] = []
  const askedBy = new Map<string, Draft>()
  for (const message of messages) {
    if (message.role === 'system') {
      throw new FormatError(
        'cannot-serialize',
        'Writing a gemini-cli session: found a system message. Gemini CLI makes its system prompt anew; leave it out.',
      )
    }
    if (message.role === 'tool') {
      for (const part of message.parts) {
        // A result without its call has no place in these files, and no API would take it.
        if (part.type === 'tool-result') askedBy.get(part.callId)?.results.set(part.callId, part)
      }
      continue
    }
    for (const stored of splitByRecord(message)) {
      const draft: Draft = { message: stored, results: new Map() }
      drafts.push(draft)
      for (const part of stored.parts) if (part.type === 'tool-call') askedBy.set(part.callId, draft)
    }
  }
  return drafts
}

/** An answer may stand in several records. A part that comes from none goes with the part before it. */
function splitByRecord(message: Message): Message[] {
  const { records = [] } = message
  if (message.role !== 'assistant' || records.length < 2) return [message]
  const allowed = new Set(records)
  const groups = new Map<number, AssistantMessage['parts'][number][]>()
  let record = records[0] ?? 0
  for (const part of message.parts) {
    if (isNativeBlock(part.native) && allowed.has(part.native.record)) record = part.native.record
    const group = groups.get(record)
    if (group) group.push(part)
    else groups.set(record, [part])
  }
  return [...groups].map(([key, parts]) => ({ ...message, parts, records: [key] }))
}
