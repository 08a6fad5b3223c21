/**
 * Writes a session that pi resumes with exactly the given messages: the header, then one unbranched
 * chain. pi sends its compaction first, so the compaction is first in the chain and keeps nothing
 * from before it. Only the system prompt may be before it.
 */
import { toJsonText } from '../../conversation/json-text.ts'
import { isSameList } from '../../conversation/lists.ts'
import type { Conversation, Message, Part } from '../../conversation/message.ts'
import type { NewSession } from '../shared/format.ts'
import { createIds } from '../shared/ids.ts'
import { type JsonObject, withMembers } from '../shared/json.ts'
import { type OutputPiece, readObject, rewriteSpan, spliceLine } from '../shared/lines.ts'
import {
  findBesideKept,
  findGoneCalls,
  groupByRecord,
  namesAny,
  placeAmong,
} from '../shared/records.ts'
import { ID_DIGITS, type PiDocument, type PiSessionEntry } from './entries.ts'
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

/**
 * Every line under another id, including dead branches, and the title. For a conversation without
 * edits.
 */
export function* cloneSession(
  document: PiDocument,
  newSession: NewSession,
): Generator<OutputPiece> {
  const { source, list } = document
  yield* renderHeader(document, newSession)
  const newest = findNewest(list.entries.map((entry) => document.values.get(entry.line)))
  for (const [index, entry] of list.entries.entries()) {
    const value = document.values.get(entry.line)
    yield rewriteSpan(
      source,
      entry,
      value,
      index === newest && value ? dateEntry(value, newSession) : value,
    )
    yield list.lineBreak
  }
  const parentId = list.entries.findLast(({ id }) => id !== undefined)?.id
  const id = createShortIds(document, newSession)()
  yield toJsonText(
    createTitleEntry(newSession, list.hasIds ? { id, parentId: parentId ?? null } : {}),
  ) + list.lineBreak
}

export function* writeSession(
  document: PiDocument,
  { messages }: Conversation,
  newSession: NewSession | undefined,
): Generator<OutputPiece> {
  const { path, values, edits } = document
  const drafts = draftEntries(messages, document.messages)
  const writer: PiWriter = {
    document,
    newSession,
    used: new Set(),
    createId: createShortIds(document, newSession),
    defaults: createEntryDefaults(findTimestamp(document, newSession), [
      ...listSettings(document),
      ...values.values(),
    ]),
    count: 0,
  }
  yield* renderHeader(document, newSession)
  const firstLine = values.keys().next().value ?? Number.POSITIVE_INFINITY
  const isLeading = ({ line, isSystem }: PiSessionEntry) =>
    isSystem && line < firstLine && !edits.has(line)
  for (const entry of path.filter(isLeading)) yield* carryEntry(entry, writer)
  const carried = listCarried(document, messages, newSession !== undefined).filter(
    (entry) => !isLeading(entry),
  )
  const entries = new Map(path.map((entry) => [entry.line, entry]))
  const newest = newSession
    ? drafts[findNewest(drafts.map((draft) => readDraft(draft, values)))]
    : undefined
  const findEntry = (draft: PiDraft) => ('record' in draft ? entries.get(draft.record) : undefined)
  const findLine = (item: PiDraft | PiSessionEntry) => {
    const entry = 'line' in item ? item : findEntry(item)
    // A compaction is sent first, but it was written after entries that it keeps. Nothing is
    // inserted before it.
    return entry?.type === 'compaction' ? undefined : entry?.line
  }
  for (const item of placeAmong<PiDraft | PiSessionEntry>(drafts, carried, findLine)) {
    if ('line' in item) yield* carryEntry(item, writer)
    else yield* writeDraft(item, findEntry(item), writer, item === drafts[0], item === newest)
  }
  if (newSession) yield* renderEntry(createTitleEntry(newSession, {}), undefined, writer)
}

function readDraft(
  draft: PiDraft,
  values: ReadonlyMap<number, JsonObject>,
): JsonObject | undefined {
  if ('record' in draft) return values.get(draft.record)
  const { role, origin } = draft.message
  return role === 'user' && origin !== 'user' ? undefined : { type: 'message', message: { role } }
}

interface PiWriter {
  readonly document: PiDocument
  readonly newSession: NewSession | undefined
  readonly used: Set<string>
  readonly createId: () => string
  readonly defaults: EntryDefaults
  parentId?: string
  count: number
}

/**
 * Changes of the model. They are read only if there is no answer, because an answer names its
 * model.
 */
function listSettings({ source, path, values }: PiDocument): JsonObject[] {
  if (values.size > 0) return []
  return path
    .filter(({ type }) => type === 'model_change')
    .map((entry) => readObject(source, entry))
}

interface KeptPiDraft {
  readonly record: number
  /** The parts that the entry holds now. Undefined if they did not change. */
  readonly parts: readonly Part[] | undefined
}

type PiDraft = KeptPiDraft | { readonly message: Message }

/** Each result is a separate entry. Any other message is one entry. */
function draftEntries(messages: readonly Message[], originals: readonly Message[]): PiDraft[] {
  const before = new Map<number, readonly Part[]>()
  for (const { parts, records = [] } of originals) {
    for (const [record, own] of groupByRecord<Part>(parts, records)) before.set(record, own)
  }
  return messages.flatMap((message): PiDraft[] => {
    if (!message.records?.length) return [{ message }]
    return [...groupByRecord<Part>(message.parts, message.records)].map(([record, parts]) => ({
      record,
      parts: isSameList(parts, before.get(record) ?? []) ? undefined : parts,
    }))
  })
}

function* carryEntry(entry: PiSessionEntry, writer: PiWriter): Generator<OutputPiece> {
  const value = readObject(writer.document.source, entry)
  const after = writer.newSession ? emptyUsage(value) : value
  yield* renderEntry(after, { entry, value }, writer)
}

function* writeDraft(
  draft: PiDraft,
  entry: PiSessionEntry | undefined,
  writer: PiWriter,
  isFirst: boolean,
  isNewest: boolean,
): Generator<OutputPiece> {
  const date = (made: JsonObject) =>
    isNewest && writer.newSession ? dateEntry(made, writer.newSession) : made
  const value = entry && writer.document.values.get(entry.line)
  if ('message' in draft) {
    for (const made of createMessageEntries(draft.message, writer.defaults)) {
      yield* renderEntry(date(made), undefined, writer)
    }
    return
  }
  if (!entry || !value) return
  const changed = draft.parts ? changeEntry(value, draft.parts) : value
  if (changed === undefined || (entry.type === 'compaction' && !isFirst)) {
    const parts =
      draft.parts ??
      writer.document.messages.find(({ records }) => records?.[0] === entry.line)?.parts ??
      []
    yield* renderEntry(createCustomEntry(parts, writer.defaults.timestamp), undefined, writer)
    return
  }
  const after = date(writer.newSession ? emptyUsage(changed) : changed)
  const isEdited = writer.document.edits.has(entry.line)
  const stored = isEdited ? readObject(writer.document.source, entry) : value
  yield* renderEntry(after, { entry, value: stored }, writer)
}

/** One line, linked to the line before. `original` is the entry that it replaces. */
function* renderEntry(
  value: JsonObject,
  original: { readonly entry: PiSessionEntry; readonly value: JsonObject } | undefined,
  writer: PiWriter,
): Generator<OutputPiece> {
  const { document, used, parentId } = writer
  const { source, list } = document
  writer.count++
  const id =
    original?.entry.id !== undefined && !used.has(original.entry.id)
      ? original.entry.id
      : writer.createId()
  const linked = list.hasIds ? linkEntry(value, id, parentId ?? null) : value
  const after = linked.type === 'compaction' ? keepNothing(linked, id, writer) : linked
  used.add(id)
  writer.parentId = id
  yield original ? rewriteSpan(source, original.entry, original.value, after) : toJsonText(after)
  yield list.lineBreak
}

function linkEntry(value: JsonObject, id: string, parentId: string | null): JsonObject {
  return value.id === id && value.parentId === parentId ? value : { ...value, id, parentId }
}

function keepNothing(
  compaction: JsonObject,
  id: string,
  { document, count }: PiWriter,
): JsonObject {
  return document.list.hasIds
    ? { ...compaction, firstKeptEntryId: id }
    : { ...compaction, firstKeptEntryIndex: count + 1 }
}

function* renderHeader(
  { source, list }: PiDocument,
  newSession: NewSession | undefined,
): Generator<OutputPiece> {
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

/** Ids as short as those of pi, all of them unused. */
function createShortIds(
  { source, list }: PiDocument,
  newSession: NewSession | undefined,
): () => string {
  const taken = new Set(list.entries.flatMap(({ id }) => id ?? []))
  const create = createIds(newSession?.createId, source.length)
  return () => {
    let id = create()
    const short = id.slice(0, ID_DIGITS)
    if (!taken.has(short)) id = short
    taken.add(id)
    return id
  }
}

/** Entries that are sent, or would be sent again. They are written as messages or not at all. */
const CONTEXT_TYPES: ReadonlySet<string> = new Set([
  'message',
  'custom_message',
  'branch_summary',
  'compaction',
  'context_edit',
])

/** The title and the bill belong to the old session only. */
const OWN_TYPES: ReadonlySet<string> = new Set(['session_info', 'usage'])

/**
 * Entries of the path that are not messages but are kept in a changed session. The system prompt
 * always is, because pi 1.5 replays it from its parts. Edits of context are applied to the entries
 * that they changed, and hidden content is removed. An entry is removed if it names a removed entry
 * or call.
 */
function listCarried(
  { source, list, path, live, values, edits, messages: originals }: PiDocument,
  messages: readonly Message[],
  isNew: boolean,
): PiSessionEntry[] {
  const beside = findBesideKept(
    [...live].map(({ line }) => line),
    originals,
    messages,
  )
  const isCandidate = ({ line, type, isSystem }: PiSessionEntry): boolean => {
    if (values.has(line) || edits.has(line)) return false
    if (isSystem) return true
    if (!CONTEXT_TYPES.has(type)) return !isNew || !OWN_TYPES.has(type)
    // An answer that failed, or a command that is left out of the context.
    return type === 'message' && beside.has(line)
  }
  const candidates = new Set(path.filter(isCandidate))
  const kept = new Set(messages.flatMap(({ records = [] }) => records))
  const gone = findGoneCalls(originals, messages)
  for (const entry of list.entries)
    if (entry.id !== undefined && !kept.has(entry.line) && !candidates.has(entry))
      gone.add(entry.id)
  return [...candidates].filter((entry) => {
    const own = withMembers(readObject(source, entry), { id: undefined, parentId: undefined })
    const isKept = entry.isSystem || !namesAny(own, gone)
    if (!isKept && entry.id !== undefined) gone.add(entry.id)
    return isKept
  })
}
