/** Writes a session that Qwen Code resumes with exactly the given messages, as one chain. */
import { toJsonText } from '../../conversation/json-text.ts'
import { isSameList } from '../../conversation/lists.ts'
import type { Conversation, Message, Part } from '../../conversation/message.ts'
import type { NewSession } from '../shared/format.ts'
import { createIds } from '../shared/ids.ts'
import { isJsonObject, type JsonObject, withMembers } from '../shared/json.ts'
import { type OutputPiece, readObject, rewriteSpan, spliceLine } from '../shared/lines.ts'
import {
  findBesideKept,
  findGoneCalls,
  groupByRecord,
  namesAny,
  placeAmong,
} from '../shared/records.ts'
import { refuseSystemMessage } from '../shared/session-format.ts'
import {
  FORMAT_NAME,
  isCompression,
  isSent,
  type QwenCodeDocument,
  type QwenEntry,
} from './entries.ts'
import { encodeBlock, HOST } from './read.ts'

/** Every line again under another id, with the title. For a conversation without edits. */
export function* cloneSession(
  document: QwenCodeDocument,
  newSession: NewSession,
): Generator<OutputPiece> {
  const { source, list } = document
  const sessionId = JSON.stringify(newSession.sessionId)
  for (const entry of list.entries) {
    yield* spliceLine(source, entry, [{ path: ['sessionId'], json: sessionId }])
    yield list.lineBreak
  }
  yield* renderTitle(document, newSession, list.path.at(-1)?.uuid)
}

export function* writeSession(
  document: QwenCodeDocument,
  { messages, model }: Conversation,
  newSession: NewSession | undefined,
): Generator<OutputPiece> {
  const { source, list } = document
  const createId = createIds(newSession?.createId, source.length)
  const drafts = draftEntries(document, messages)
  const carried = (newSession ? listCarried : listOthers)(document, messages)
  const path = new Set(list.path)
  const writing = { envelope: readEnvelope(document), newSession, model }
  const used = new Set<string>()
  let parentUuid: string | null = null
  const written = placeAmong<QwenDraft | QwenEntry>(drafts, carried, (item) =>
    'line' in item ? item.line : item.entry?.line,
  )
  for (const item of written) {
    const entry = 'line' in item ? item : item.entry
    // An abandoned branch, and lines outside the conversation.
    if (entry && !path.has(entry)) {
      yield { start: entry.start, end: entry.end }
      yield list.lineBreak
      continue
    }
    const value = entry && readObject(source, entry)
    const made = 'line' in item ? (value ?? {}) : renderDraft(item, value, writing)
    const own = entry?.uuid
    // Adjacent lines with one uuid are pieces of one entry.
    const isPiece = own !== undefined && own === parentUuid
    const uuid: string = own !== undefined && (isPiece || !used.has(own)) ? own : createId()
    used.add(uuid)
    const linked: JsonObject = isPiece ? made : { ...made, uuid, parentUuid }
    const named = newSession ? { ...linked, sessionId: newSession.sessionId } : linked
    yield entry ? rewriteSpan(source, entry, value, named) : toJsonText(named)
    yield list.lineBreak
    parentUuid = uuid
  }
  if (newSession) yield* renderTitle(document, newSession, parentUuid)
}

interface QwenDraft {
  /** The entry that it was read from. Undefined for a new draft and for one of a compression. */
  readonly entry?: QwenEntry | undefined
  readonly role: Message['role']
  readonly isTyped: boolean
  readonly parts: readonly Part[]
  /** Whether the entry has exactly these parts. */
  readonly isSame: boolean
}

/** Each result is a separate entry, and so is each answer that was stored as one. */
function draftEntries(
  { list, messages: originals }: QwenCodeDocument,
  messages: readonly Message[],
): QwenDraft[] {
  const stored = new Map(list.path.filter(isSent).map((entry) => [entry.line, entry]))
  const before = new Map<number, Part[]>()
  for (const { parts, records = [] } of originals) {
    for (const [record, own] of groupByRecord<Part>(parts, records))
      before.set(record, [...(before.get(record) ?? []), ...own])
  }
  const drafts: QwenDraft[] = []
  for (const { role, origin, parts, records = [] } of messages) {
    if (role === 'system') throw refuseSystemMessage(FORMAT_NAME, 'Qwen Code')
    const isTyped = role !== 'user' || origin === 'user'
    for (const [record, own] of groupByRecord<Part>(parts, records.length > 0 ? records : [-1])) {
      const entry = stored.get(record)
      const last = drafts.at(-1)
      // Results and words came from one entry.
      if (entry && last?.entry === entry) {
        const joined = [...last.parts, ...own]
        const isSame = isSameList(joined, before.get(record) ?? [])
        drafts[drafts.length - 1] = { ...last, parts: joined, isSame }
        continue
      }
      const isSame = entry !== undefined && isSameList(own, before.get(record) ?? [])
      const pieces = role === 'tool' && !entry ? own.map((part) => [part]) : [own]
      for (const piece of pieces) drafts.push({ entry, role, isTyped, parts: piece, isSame })
    }
  }
  return drafts
}

interface Writing {
  /** The members that every entry has, taken from the first entry. */
  readonly envelope: JsonObject
  readonly newSession: NewSession | undefined
  readonly model: string | undefined
}

function renderDraft(
  draft: QwenDraft,
  stored: JsonObject | undefined,
  writing: Writing,
): JsonObject {
  const { role, isTyped, parts, isSame } = draft
  if (!stored) return createEntry(draft, writing)
  // The size is of a request that is larger than any in the new session.
  const value = writing.newSession
    ? withMembers(stored, { usageMetadata: undefined, contextWindowSize: undefined })
    : stored
  if (isSame) return value
  const message = isJsonObject(value.message) ? value.message : {}
  const changed = { ...value, message: { ...message, parts: encodeParts(parts) } }
  return role === 'user' && isTyped ? changed : withoutCopy(changed)
}

const encodeParts = (parts: readonly Part[]): unknown[] =>
  parts.map(encodeBlock).filter((block) => block !== undefined)

/** `toolCallResult` repeats a result for the screen. */
function withoutCopy(value: JsonObject): JsonObject {
  const { toolCallResult: shown } = value
  if (!isJsonObject(shown)) return value
  return { ...value, toolCallResult: withMembers(shown, { resultDisplay: undefined }) }
}

function createEntry({ role, isTyped, parts }: QwenDraft, writing: Writing): JsonObject {
  const { envelope, newSession, model } = writing
  const base = newSession ? { ...envelope, timestamp: newSession.timestamp } : envelope
  const message = {
    role: role === 'assistant' ? 'model' : 'user',
    parts: encodeParts(parts),
  }
  switch (role) {
    case 'assistant': {
      const named = { ...base, type: role, provenance: 'assistant_output' }
      return { ...named, ...(model !== undefined && { model }), message }
    }
    case 'tool': {
      const [part] = parts.filter(({ type }) => type === 'tool-result')
      const result = part?.type === 'tool-result' ? part : undefined
      const toolCallResult = {
        callId: result?.callId,
        status: result?.isError ? 'error' : 'success',
      }
      return { ...base, type: TOOL_RESULT, provenance: TOOL_RESULT, message, toolCallResult }
    }
    default:
      return { ...base, type: 'user', provenance: isTyped ? 'real_user' : HOST, message }
  }
}

const TOOL_RESULT = 'tool_result'

/** The names of the folder and the version, and the time of the latest entry. */
function readEnvelope({ source, list: { path, entries } }: QwenCodeDocument): JsonObject {
  const read = (entry: QwenEntry | undefined) => (entry ? readObject(source, entry) : {})
  const { sessionId, cwd, version, gitBranch } = read(path[0] ?? entries[0])
  const { timestamp } = read(path.at(-1))
  const branch = gitBranch === undefined ? {} : { gitBranch }
  return { uuid: '', parentUuid: null, sessionId, timestamp, cwd, version, ...branch }
}

function* renderTitle(
  document: QwenCodeDocument,
  { sessionId, timestamp, title, createId }: NewSession,
  parentUuid: string | null = null,
): Generator<OutputPiece> {
  yield toJsonText({
    ...readEnvelope(document),
    uuid: createId(),
    parentUuid,
    sessionId,
    timestamp,
    type: 'system',
    provenance: HOST,
    subtype: TITLE,
    systemPayload: { customTitle: title, titleSource: 'manual' },
  }) + document.list.lineBreak
}

export const TITLE = 'custom_title'

/** Entries that describe the old history, or are written again. */
const OWN_SUBTYPES: ReadonlySet<unknown> = new Set([
  'chat_compression',
  'custom_title',
  'file_history_snapshot',
  'rewind',
  'ui_telemetry',
])

/**
 * Entries that are not messages but are kept in a new session: those next to a kept message. An
 * entry is removed if it names a removed entry or call.
 */
function listCarried(
  { source, list: { entries, path }, messages: originals }: QwenCodeDocument,
  messages: readonly Message[],
): QwenEntry[] {
  const live = path.slice(Math.max(path.findLastIndex(isCompression), 0))
  const beside = findBesideKept(
    live.map(({ line }) => line),
    originals,
    messages,
  )
  const candidates = new Set(
    live.filter(({ line, subtype }) => beside.has(line) && !OWN_SUBTYPES.has(subtype)),
  )
  const kept = new Set(messages.flatMap(({ records = [] }) => records))
  const gone = findGoneCalls(originals, messages)
  for (const entry of entries)
    if (entry.uuid !== undefined && !kept.has(entry.line) && !candidates.has(entry))
      gone.add(entry.uuid)
  return [...candidates].filter((entry) => {
    const own = withMembers(readObject(source, entry), { uuid: undefined, parentUuid: undefined })
    const isKept = !namesAny(own, gone)
    if (!isKept && entry.uuid !== undefined) gone.add(entry.uuid)
    return isKept
  })
}

/**
 * An edit in place keeps everything that is not a message. It keeps a compression only if its
 * remaining messages are not written separately.
 */
function listOthers(
  { list: { entries, path } }: QwenCodeDocument,
  messages: readonly Message[],
): QwenEntry[] {
  const live = new Set(path)
  const kept = new Set(messages.flatMap(({ records = [] }) => records))
  const isLifted = (entry: QwenEntry) => isCompression(entry) && kept.has(entry.line)
  return entries.filter((entry) => !live.has(entry) || (!isSent(entry) && !isLifted(entry)))
}
