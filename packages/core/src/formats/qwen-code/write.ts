/** Writes a session that Qwen Code resumes with exactly the given messages, as one chain. */
import { toJsonText } from '../../conversation/json-text.ts'
import { isSameList } from '../../conversation/lists.ts'
import type { Conversation, Message, Part } from '../../conversation/message.ts'
import type { NewSession } from '../ground/format.ts'
import { createIds } from '../ground/ids.ts'
import { isJsonObject, type JsonObject, withMembers } from '../ground/json.ts'
import { type OutputPiece, rewriteSpan, spliceLine } from '../ground/lines.ts'
import { groupByRecord, placeAmong } from '../ground/records.ts'
import { refuseSystemMessage } from '../ground/session-format.ts'
import { listCarried, listOthers } from './carried.ts'
import { type Entry, type EntryList, FORMAT_NAME, type QwenCodeDocument } from './entries.ts'
import { encodeBlock, HOST, isSent } from './read.ts'

/** Every line again under another id, with the title. For a conversation without edits. */
export function* cloneSession(
  { source, list }: QwenCodeDocument,
  newSession: NewSession,
): Generator<OutputPiece> {
  const sessionId = JSON.stringify(newSession.sessionId)
  for (const entry of list.entries) {
    yield* spliceLine(source, entry, [{ path: ['sessionId'], json: sessionId }])
    yield list.lineBreak
  }
  yield* renderTitle(list, newSession, list.path.at(-1)?.uuid)
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
  let parentUuid: string | null = null
  const written = placeAmong<Draft | Entry>(drafts, carried, (item) =>
    'line' in item ? item.line : item.entry?.line,
  )
  for (const item of written) {
    const entry = 'line' in item ? item : item.entry
    // A branch that was left, and what stands beside the conversation.
    if (entry && !path.has(entry)) {
      yield { start: entry.start, end: entry.end }
      yield list.lineBreak
      continue
    }
    const made = 'line' in item ? item.value : renderDraft(item, list, { newSession, model })
    const uuid = entry?.uuid ?? createId()
    const isPiece = uuid === parentUuid
    const linked: JsonObject = isPiece ? made : { ...made, uuid, parentUuid }
    const named = newSession ? { ...linked, sessionId: newSession.sessionId } : linked
    yield entry ? rewriteSpan(source, entry, entry.value, named) : toJsonText(named)
    yield list.lineBreak
    parentUuid = uuid
  }
  if (newSession) yield* renderTitle(list, newSession, parentUuid)
}

interface Draft {
  /** The entry that it was read from; undefined for a new one, and one of a compression. */
  readonly entry?: Entry | undefined
  readonly role: Message['role']
  readonly isTyped: boolean
  readonly parts: readonly Part[]
  /** Whether the entry has these very parts. */
  readonly isSame: boolean
}

/** Each result is an entry of its own, and so is each answer that was stored as one. */
function draftEntries(
  { list, messages: originals }: QwenCodeDocument,
  messages: readonly Message[],
): Draft[] {
  const stored = new Map(
    list.path.filter(({ value }) => isSent(value)).map((entry) => [entry.line, entry]),
  )
  const before = new Map<number, Part[]>()
  for (const { parts, records = [] } of originals) {
    for (const [record, own] of groupByRecord<Part>(parts, records))
      before.set(record, [...(before.get(record) ?? []), ...own])
  }
  const drafts: Draft[] = []
  for (const { role, origin, parts, records = [] } of messages) {
    if (role === 'system') throw refuseSystemMessage(FORMAT_NAME, 'Qwen Code')
    const isTyped = role !== 'user' || origin === 'user'
    for (const [record, own] of groupByRecord<Part>(parts, records.length > 0 ? records : [-1])) {
      const entry = stored.get(record)
      const last = drafts.at(-1)
      // Results and words of one entry.
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

interface Rendering {
  readonly newSession: NewSession | undefined
  readonly model: string | undefined
}

function renderDraft(draft: Draft, list: EntryList, { newSession, model }: Rendering): JsonObject {
  const { entry, role, isTyped, parts, isSame } = draft
  if (!entry) return createEntry(draft, list, { newSession, model })
  // The size of a request that is larger than any of the new session.
  const value = newSession
    ? withMembers(entry.value, { usageMetadata: undefined, contextWindowSize: undefined })
    : entry.value
  if (isSame) return value
  const message = isJsonObject(value.message) ? value.message : {}
  const changed = { ...value, message: { ...message, parts: parts.map(encodeBlock) } }
  return role === 'user' && isTyped ? changed : withoutCopy(changed)
}

/** `toolCallResult` repeats a result for the screen. */
function withoutCopy(value: JsonObject): JsonObject {
  const { toolCallResult: shown } = value
  if (!isJsonObject(shown)) return value
  return { ...value, toolCallResult: withMembers(shown, { resultDisplay: undefined }) }
}

function createEntry(
  { role, isTyped, parts }: Draft,
  list: EntryList,
  { newSession, model }: Rendering,
): JsonObject {
  const encoded = parts.map(encodeBlock).filter((block) => block !== undefined)
  const timestamp = newSession?.timestamp ?? list.path.at(-1)?.value.timestamp
  if (role === 'assistant')
    return {
      ...createEnvelope(list, timestamp, 'assistant', 'assistant_output'),
      ...(model !== undefined && { model }),
      message: { role: 'model', parts: encoded },
    }
  const message = { role: 'user', parts: encoded }
  if (role === 'user') {
    return {
      ...createEnvelope(list, timestamp, 'user', isTyped ? 'real_user' : HOST),
      message,
    }
  }
  const [part] = parts
  const status = part?.type === 'tool-result' && part.isError ? 'error' : 'success'
  const callId = part?.type === 'tool-result' ? part.callId : ''
  return {
    ...createEnvelope(list, timestamp, 'tool_result', 'tool_result'),
    message,
    toolCallResult: { callId, status },
  }
}

/** With the names of the place and the version that any entry has. */
function createEnvelope(
  { path, entries }: EntryList,
  timestamp: unknown,
  type: string,
  provenance: string,
): JsonObject {
  const { sessionId, cwd, version, gitBranch } = (path[0] ?? entries[0])?.value ?? {}
  const place = { cwd, version, ...(gitBranch !== undefined && { gitBranch }) }
  return { uuid: '', parentUuid: null, sessionId, timestamp, type, provenance, ...place }
}

function* renderTitle(
  list: EntryList,
  { sessionId, timestamp, title, createId }: NewSession,
  parentUuid: string | null = null,
): Generator<OutputPiece> {
  yield toJsonText({
    ...createEnvelope(list, timestamp, 'system', HOST),
    uuid: createId(),
    parentUuid,
    sessionId,
    subtype: TITLE,
    systemPayload: { customTitle: title, titleSource: 'manual' },
  }) + list.lineBreak
}

export const TITLE = 'custom_title'
