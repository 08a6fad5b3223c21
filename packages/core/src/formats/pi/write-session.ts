/**
 * Writes a session that pi resumes with exactly the given messages: the header, then one unbranched chain. A
 * compaction of pi comes first in what is sent, so it goes first in the chain and keeps nothing from before it.
 */
import { toJsonText } from '../../conversation/json-text.ts'
import type { Message, Part } from '../../conversation/message.ts'
import { deriveUuid } from '../content/derive-uuid.ts'
import type { NewSession } from '../format.ts'
import { type JsonlSource, type OutputPiece, spliceLine } from '../json/lines.ts'
import type { JsonObject } from '../json/object.ts'
import { rewriteJson } from '../json/rewrite.ts'
import { isSameList } from '../json/same-list.ts'
import { isNativeBlock } from './blocks.ts'
import { type Entry, type EntryList, FORMAT_NAME, readEntry } from './entries.ts'
import {
  changeEntry,
  createCustomEntry,
  createEntryDefaults,
  createMessageEntries,
  createTitleEntry,
  dateEntry,
  type EntryDefaults,
  emptyUsage,
  findNewest,
} from './write-entry.ts'

/** What `parse` leaves for `serialize`. */
export interface PiDocument {
  readonly format: typeof FORMAT_NAME
  readonly source: JsonlSource
  readonly list: EntryList
  readonly path: readonly Entry[]
  /** Values of the entries that are sent, by line. */
  readonly values: ReadonlyMap<number, JsonObject>
  /** The messages as they were parsed. */
  readonly messages: readonly Message[]
}

export function isPiDocument(document: unknown): document is PiDocument {
  return typeof document === 'object' && document !== null && 'format' in document && document.format === FORMAT_NAME
}

/** Every line again under another id, dead branches too, and the title. For a conversation that nobody edited. */
export function* cloneSession(document: PiDocument, newSession: NewSession): Generator<OutputPiece> {
  const { source, list } = document
  yield* renderHeader(document, newSession)
  const newest = findNewest(list.entries.map((entry) => document.values.get(entry.line)))
  for (const [index, entry] of list.entries.entries()) {
    const value = document.values.get(entry.line)
    if (index !== newest || !value) yield { start: entry.start, end: entry.end }
    else yield rewriteJson(source.readText(entry.start, entry.end), value, dateEntry(value, newSession))
    yield list.lineBreak
  }
  const parentId = list.entries.findLast(({ id }) => id !== undefined)?.id
  const taken = new Set(list.entries.flatMap(({ id }) => id ?? []))
  const id = createIds(source, newSession, taken)()
  yield toJsonText(createTitleEntry(newSession, list.hasIds ? { id, parentId: parentId ?? null } : {})) + list.lineBreak
}

export function* writeSession(
  document: PiDocument,
  messages: readonly Message[],
  newSession: NewSession | undefined,
): Generator<OutputPiece> {
  const { source, list, path, values } = document
  const drafts = draftEntries(messages, document.messages)
  const taken = new Set(list.entries.flatMap(({ id }) => id ?? []))
  const writer: Writer = {
    document,
    newSession,
    used: new Set(),
    createId: createIds(source, newSession, taken),
    defaults: createEntryDefaults(findTimestamp(document, newSession), [...listSettings(document), ...values.values()]),
    count: 0,
  }
  yield* renderHeader(document, newSession)
  const carried = path.filter(({ line, type }) => !values.has(line) && isCarried(type, newSession)).values()
  const entries = new Map(path.map((entry) => [entry.line, entry]))
  const newest = newSession ? drafts[findNewest(drafts.map((draft) => readDraft(draft, values)))] : undefined
  let next = carried.next()
  let isFirst = true
  for (const draft of drafts) {
    const entry = 'line' in draft ? entries.get(draft.line) : undefined
    // What stands before an entry stays before it; a compaction stands behind what it is sent before.
    while (entry && entry.type !== 'compaction' && !next.done && next.value.line < entry.line) {
      yield* carryEntry(next.value, writer)
      next = carried.next()
    }
    yield* writeDraft(draft, entry, writer, isFirst, draft === newest)
    isFirst = false
  }
  for (; !next.done; next = carried.next()) yield* carryEntry(next.value, writer)
  if (newSession) yield* renderEntry(createTitleEntry(newSession, {}), undefined, writer)
}

/** A new draft tells who speaks as an entry would; undefined for one that pi does not look at in its list. */
function readDraft(draft: Draft, values: ReadonlyMap<number, JsonObject>): JsonObject | undefined {
  if ('line' in draft) return values.get(draft.line)
  const { role, origin } = draft.message
  return role === 'user' && origin !== 'user' ? undefined : { type: 'message', message: { role } }
}

interface Writer {
  readonly document: PiDocument
  readonly newSession: NewSession | undefined
  /** Ids that were written. */
  readonly used: Set<string>
  readonly createId: () => string
  readonly defaults: EntryDefaults
  parentId?: string
  /** Entries written so far, the header left out. */
  count: number
}

/** Which models were chosen; read only where no answer tells by whom it is. */
function listSettings({ source, path, values }: PiDocument): JsonObject[] {
  if (values.size > 0) return []
  return path.filter(({ type }) => type === 'model_change').map((entry) => readEntry(source, entry))
}

interface KeptDraft {
  readonly line: number
  /** The parts that the entry holds now; undefined when they are what they were. */
  readonly parts: readonly Part[] | undefined
}

type Draft = KeptDraft | { readonly message: Message }

/** Results of one message stand in an entry each; everything else is one entry. */
function draftEntries(messages: readonly Message[], originals: readonly Message[]): Draft[] {
  const before = new Map<number, Part[]>()
  for (const message of originals) for (const [line, parts] of groupByLine(message)) before.set(line, parts)
  return messages.flatMap((message): Draft[] => {
    if (!message.records?.length) return [{ message }]
    return [...groupByLine(message)].map(([line, parts]) => ({
      line,
      parts: isSameList(parts, before.get(line) ?? []) ? undefined : parts,
    }))
  })
}

/** A part that comes from no entry goes with the part before it. */
function groupByLine({ parts, records = [] }: Message): Map<number, Part[]> {
  const allowed = new Set(records)
  const groups = new Map<number, Part[]>()
  let line = records[0] ?? 0
  for (const part of parts) {
    if (isNativeBlock(part.native) && allowed.has(part.native.record)) line = part.native.record
    const group = groups.get(line)
    if (group) group.push(part)
    else groups.set(line, [part])
  }
  return groups
}

/** Titles of the old session are none of the new one's. */
function isCarried(type: string, newSession: NewSession | undefined): boolean {
  if (type === 'compaction' || type === 'branch_summary') return false
  return newSession === undefined || (type !== 'session_info' && type !== 'message')
}

function* carryEntry(entry: Entry, writer: Writer): Generator<OutputPiece> {
  const value = readEntry(writer.document.source, entry)
  // A label of an entry that is gone names nothing.
  if (value.type === 'label' && typeof value.targetId === 'string' && !writer.used.has(value.targetId)) return
  yield* renderEntry(value, { entry, value }, writer)
}

function* writeDraft(
  draft: Draft,
  entry: Entry | undefined,
  writer: Writer,
  isFirst: boolean,
  isNewest: boolean,
): Generator<OutputPiece> {
  const date = (made: JsonObject) => (isNewest && writer.newSession ? dateEntry(made, writer.newSession) : made)
  const value = entry && writer.document.values.get(entry.line)
  if (!('line' in draft) || !entry || !value) {
    if ('message' in draft)
      for (const made of createMessageEntries(draft.message, writer.defaults))
        yield* renderEntry(date(made), undefined, writer)
    return
  }
  const changed = draft.parts ? changeEntry(value, draft.parts) : value
  if (changed === undefined || (entry.type === 'compaction' && !isFirst)) {
    const parts =
      draft.parts ?? writer.document.messages.find(({ records }) => records?.[0] === entry.line)?.parts ?? []
    yield* renderEntry(createCustomEntry(parts, writer.defaults.timestamp), undefined, writer)
    return
  }
  yield* renderEntry(date(writer.newSession ? emptyUsage(changed) : changed), { entry, value }, writer)
}

/** One line, linked to the one before. `original` is the entry it is written over. */
function* renderEntry(
  value: JsonObject,
  original: { readonly entry: Entry; readonly value: JsonObject } | undefined,
  writer: Writer,
): Generator<OutputPiece> {
  const { document, used, parentId } = writer
  const { source, list } = document
  writer.count++
  const id = original?.entry.id !== undefined && !used.has(original.entry.id) ? original.entry.id : writer.createId()
  const linked = list.hasIds ? linkEntry(value, id, parentId ?? null) : value
  const after = linked.type === 'compaction' ? keepNothing(linked, id, writer) : linked
  used.add(id)
  writer.parentId = id
  if (!original) yield toJsonText(after)
  else if (after === original.value) yield { start: original.entry.start, end: original.entry.end }
  else yield rewriteJson(source.readText(original.entry.start, original.entry.end), original.value, after)
  yield list.lineBreak
}

function linkEntry(value: JsonObject, id: string, parentId: string | null): JsonObject {
  return value.id === id && value.parentId === parentId ? value : { ...value, id, parentId }
}

function keepNothing(compaction: JsonObject, id: string, { document, count }: Writer): JsonObject {
  return document.list.hasIds
    ? { ...compaction, firstKeptEntryId: id }
    : { ...compaction, firstKeptEntryIndex: count + 1 }
}

function* renderHeader({ source, list }: PiDocument, newSession: NewSession | undefined): Generator<OutputPiece> {
  const { header } = list
  const replacements = newSession
    ? [
        { path: ['id'], json: JSON.stringify(newSession.sessionId) },
        { path: ['timestamp'], json: JSON.stringify(newSession.timestamp), append: true },
      ]
    : []
  yield { start: 0, end: header.start }
  yield* spliceLine(source, header, replacements)
  yield list.lineBreak
}

function findTimestamp({ values, list }: PiDocument, newSession: NewSession | undefined): string {
  if (newSession) return newSession.timestamp
  const newest = [...values.values()].at(-1) ?? list.headerValue
  return typeof newest.timestamp === 'string' ? newest.timestamp : '1970-01-01T00:00:00.000Z'
}

const ID_DIGITS = 8

/** Ids as short as those of pi, none of them given yet. Without a source of fresh ones they depend on the session. */
function createIds(source: JsonlSource, newSession: NewSession | undefined, taken: Set<string>): () => string {
  let count = 0
  const create = newSession?.createId ?? (() => deriveUuid(`${source.length} ${count++}`))
  return () => {
    let id = create()
    const short = id.slice(0, ID_DIGITS)
    if (!taken.has(short)) id = short
    taken.add(id)
    return id
  }
}
