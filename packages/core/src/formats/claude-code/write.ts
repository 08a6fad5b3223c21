import { toJsonText } from '../../conversation/json-text.ts'
import { isSameList } from '../../conversation/lists.ts'
import {
  type Conversation,
  type Message,
  type Part,
  renderPart,
} from '../../conversation/message.ts'
import { isSummary } from '../../conversation/summary-message.ts'
import { encodePart } from '../anthropic-messages/anthropic-messages.ts'
import type { NewSession } from '../shared/format.ts'
import { createIds } from '../shared/ids.ts'
import { type JsonObject, readMember, toObject } from '../shared/json.ts'
import { type JsonlSource, type OutputPiece, readObject, spliceLine } from '../shared/lines.ts'
import { groupByRecord, isNativeBlock, placeAmong } from '../shared/records.ts'
import { shrinkCopy } from '../shared/rewrite.ts'
import { refuseSystemMessage } from '../shared/session-format.ts'
import { findArrayElements, findValue, type Replacement } from '../shared/spans.ts'
import { type CarriedEntry, listCarried, TITLE_TYPES } from './carried.ts'
import type { ClaudeCodeDocument, ClaudeEntry } from './entries.ts'
import { QUEUE_TYPE } from './queue.ts'

/** Every line again under another session id, and the title. For a conversation without edits. */
export function* cloneSession(
  document: ClaudeCodeDocument,
  newSession: NewSession,
): Generator<OutputPiece> {
  const lineBreak = findLineBreak(document)
  yield `${renderTitle(newSession)}${lineBreak}`
  const sessionId = JSON.stringify(newSession.sessionId)
  for (const entry of document.entries) {
    if (entry.type === undefined || TITLE_TYPES.has(entry.type)) continue
    yield* spliceLine(document.source, entry, [{ path: ['sessionId'], json: sessionId }])
    yield lineBreak
  }
}

/**
 * The kept entries as one unbranched chain. New entries and records that are not messages are
 * between them.
 */
export function* writeSession(
  document: ClaudeCodeDocument,
  conversation: Conversation,
  newSession: NewSession | undefined,
): Generator<OutputPiece> {
  const { source, entries } = document
  const { workingDirectory } = conversation
  const lineBreak = findLineBreak(document)
  const drafts = draftEntries(conversation.messages, document)
  const used = new Set<string>()
  const leaf = entries[document.branch.at(-1) ?? -1]?.uuid ?? ''
  const createId = createIds(newSession?.createId, `${leaf} ${source.length}`)
  // The list of sessions prefers a custom title to any other, whether it is first or last.
  if (newSession) yield `${renderTitle(newSession)}${lineBreak}`
  let parentUuid: string | undefined
  let neighbour = drafts.find((draft) => draft.type === 'kept')?.record ?? document.branch[0]
  const carried = listCarried(document, conversation.messages, newSession !== undefined)
  const items = [
    ...placeAmong<ClaudeDraft | CarriedEntry>(drafts, carried, (item) =>
      item.type === 'new' ? undefined : item.record,
    ),
  ]
  const last = items.findLastIndex((item) => item.type !== 'carried' || item.isChained)
  for (const [index, item] of items.entries()) {
    const entry = item.type === 'new' ? undefined : entries[item.record]
    if (item.type === 'carried' && entry && !item.isChained) {
      yield* spliceLine(source, entry, nameSession(newSession))
      yield lineBreak
      continue
    }
    // An entry keeps its uuid, so references to it stay valid. Only a second copy of it needs a new
    // one.
    const uuid = entry?.uuid !== undefined && !used.has(entry.uuid) ? entry.uuid : createId()
    const placement: EntryPlacement = { uuid, parentUuid, newSession, isLast: index === last }
    const message = item.type === 'carried' ? undefined : findNewMessage(item, entry)
    if (entry && !message) {
      if (item.type === 'kept') neighbour = item.record
      yield* spliceKeptEntry(source, entry, item.type === 'kept' ? item : undefined, placement)
    } else if (message) {
      const beside = neighbour === undefined ? {} : readObject(source, entries[neighbour]!)
      const envelope = {
        ...beside,
        ...(workingDirectory !== undefined && { cwd: workingDirectory }),
      }
      yield renderNewEntry(message, placement, envelope, conversation.model)
    }
    yield lineBreak
    used.add(uuid)
    parentUuid = uuid
  }
}

/**
 * The message that needs a new entry: a message by precis, or an edited notice whose entry does not
 * contain a message.
 */
function findNewMessage(draft: ClaudeDraft, entry: ClaudeEntry | undefined): Message | undefined {
  if (draft.type === 'new') return draft.message
  if (!draft.parts || entry?.type === 'user' || entry?.type === 'assistant') return undefined
  const parts = draft.parts.flatMap((part) =>
    part.type === 'reasoning' || part.type === 'tool-call' || part.type === 'tool-result'
      ? []
      : [part],
  )
  return { role: 'user', origin: 'synthetic', parts }
}

function findLineBreak({ source, entries }: ClaudeCodeDocument): string {
  const end = entries[0]?.end ?? 0
  return source.readUnits(end, Math.min(end + 2, source.length)) === '\r\n' ? '\r\n' : '\n'
}

type ClaudeDraft = KeptDraft | { readonly type: 'new'; readonly message: Message }

/**
 * An answer may span several entries, and one entry may hold two messages: results, then words, or
 * two summaries.
 */
function draftEntries(
  messages: readonly Message[],
  { messages: originals, entries }: ClaudeCodeDocument,
): ClaudeDraft[] {
  const originalParts = new Map<number, Part[]>()
  for (const { parts, records = [] } of originals) {
    for (const [record, own] of splitParts(parts, records)) {
      originalParts.set(record, [...(originalParts.get(record) ?? []), ...own])
    }
  }
  const drafts: ClaudeDraft[] = []
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index]!
    const [record] = message.records ?? []
    // A prompt that is only in the queue has no entry to keep.
    if (!message.records || record === undefined || entries[record]?.type === QUEUE_TYPE) {
      drafts.push({ type: 'new', message })
      continue
    }
    const parts: Part[] = [...message.parts]
    const following = messages[index + 1]
    if (following?.role === 'user' && following.records?.[0] === record) {
      parts.push(...following.parts)
      index++
    }
    for (const [position, group] of splitParts(parts, message.records)) {
      const original = originalParts.get(position) ?? []
      const changed = isSameList(original, group) ? undefined : group
      drafts.push({ type: 'kept', record: position, parts: changed, untouched: new Set(original) })
    }
  }
  return drafts
}

/**
 * Groups parts by their entry. New parts at the beginning join the first part that has an entry.
 */
function splitParts(parts: readonly Part[], records: readonly number[]): Map<number, Part[]> {
  const natives = parts.map(({ native }) => native).filter(isNativeBlock)
  return groupByRecord(
    parts,
    records,
    natives.find(({ record }) => records.includes(record))?.record,
  )
}

interface KeptDraft {
  readonly type: 'kept'
  readonly record: number
  /** The parts it holds now, of one message or two. Undefined if they did not change. */
  readonly parts: readonly Part[] | undefined
  /** The parts without edits. */
  readonly untouched: ReadonlySet<Part>
}

// If a client finds the usage of an older, larger request, it treats the session as full and
// compacts immediately. It uses the latest usage above zero, so all of them are emptied.
const NO_USAGE = {
  input_tokens: 0,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  output_tokens: 0,
}

const SHARED_FIELDS = [
  'userType',
  'entrypoint',
  'cwd',
  'sessionId',
  'version',
  'gitBranch',
  'timestamp',
]

interface EntryPlacement {
  readonly uuid: string
  readonly parentUuid: string | undefined
  readonly newSession: NewSession | undefined
  readonly isLast: boolean
}

function spliceKeptEntry(
  source: JsonlSource,
  entry: ClaudeEntry,
  draft: KeptDraft | undefined,
  { uuid, parentUuid, newSession, isLast }: EntryPlacement,
): OutputPiece[] {
  const replacements: Replacement[] = [
    { path: ['uuid'], json: JSON.stringify(uuid) },
    { path: ['parentUuid'], json: JSON.stringify(parentUuid ?? null), append: true },
    ...nameSession(newSession, true),
  ]
  // The list of sessions is sorted by the time of the last entry, not of the file. A new session
  // belongs on top.
  if (newSession && isLast)
    replacements.push({ path: ['timestamp'], json: JSON.stringify(newSession.timestamp) })
  if (entry.type === 'assistant')
    replacements.push({ path: ['message', 'usage'], json: JSON.stringify(NO_USAGE) })
  if (draft?.parts)
    replacements.push(
      ...replaceContent(source.readText(entry.start, entry.end), draft.parts, draft.untouched),
    )
  return spliceLine(source, entry, replacements)
}

function nameSession(newSession: NewSession | undefined, append?: boolean): Replacement[] {
  const json = JSON.stringify(newSession?.sessionId)
  return newSession ? [{ path: ['sessionId'], json, ...(append && { append }) }] : []
}

function replaceContent(
  line: string,
  parts: readonly Part[],
  untouched: ReadonlySet<Part>,
): Replacement[] {
  const elements = findArrayElements(line, ['message', 'content'])
  const [first] = parts
  let content: string
  if (!elements && parts.length === 1 && first?.type === 'text')
    content = JSON.stringify(first.text)
  else {
    const blocks = withoutBlankText(parts).map((part) => {
      const index = isNativeBlock(part.native) ? part.native.index : undefined
      const element = index === undefined || !untouched.has(part) ? undefined : elements?.[index]
      return element ? line.slice(element.start, element.end) : toJsonText(encodeBlock(part))
    })
    content = `[${blocks.join(',')}]`
  }
  const replacements: Replacement[] = [{ path: ['message', 'content'], json: content }]
  const copy = findValue(line, ['toolUseResult'])
  if (copy && parts.some((part) => part.type === 'tool-result' && !untouched.has(part))) {
    replacements.push({
      path: ['toolUseResult'],
      json: shrinkCopy(line.slice(copy.start, copy.end)),
    })
  }
  return replacements
}

/** The API refuses blank text blocks, and would refuse every later resume too. */
function withoutBlankText(parts: readonly Part[]): readonly Part[] {
  const filled = parts.filter((part) => part.type !== 'text' || part.text.trim() !== '')
  return filled.length > 0 ? filled : parts
}

function renderNewEntry(
  message: Message,
  { uuid, parentUuid, newSession }: EntryPlacement,
  envelope: JsonObject,
  model: string | undefined,
): string {
  if (message.role === 'system') throw refuseSystemMessage('claude-code', 'Claude Code')
  const shared = Object.fromEntries(
    SHARED_FIELDS.flatMap((key) => (key in envelope ? [[key, envelope[key]]] : [])),
  )
  return toJsonText({
    parentUuid: parentUuid ?? null,
    isSidechain: false,
    ...shared,
    ...(newSession && { sessionId: newSession.sessionId, timestamp: newSession.timestamp }),
    ...(message.role === 'assistant'
      ? renderAnswer(message.parts, uuid, model)
      : (renderNotice(message.parts) ?? renderWords(message))),
    uuid,
  })
}

function renderAnswer(parts: readonly Part[], uuid: string, model: string | undefined): object {
  return {
    type: 'assistant',
    message: {
      id: `msg_precis_${uuid.replaceAll('-', '')}`,
      type: 'message',
      role: 'assistant',
      model: model ?? '<synthetic>',
      content: withoutBlankText(parts).map(encodeBlock),
      stop_reason: parts.some((part) => part.type === 'tool-call') ? 'tool_use' : 'end_turn',
      stop_sequence: null,
      usage: NO_USAGE,
    },
  }
}

/**
 * A notice that Claude Code keeps as an attachment. The API would refuse it as a block of a
 * message.
 */
function renderNotice([part, ...others]: readonly Part[]): object | undefined {
  if (part?.type !== 'opaque' || others.length > 0) return undefined
  const { native } = part
  return isNativeBlock(native) && native.index === undefined
    ? { type: 'attachment', attachment: native.block, ...toObject(readMember(native, 'sent')) }
    : undefined
}

/** Flags keep the client from showing or counting injected text as typed. */
function renderWords(message: Message): object {
  const [first] = message.parts
  const isText = message.parts.length === 1 && first?.type === 'text'
  const content = isText ? first.text : withoutBlankText(message.parts).map(encodeBlock)
  const flags = isSummary(message)
    ? { isVisibleInTranscriptOnly: true, isCompactSummary: true }
    : message.role === 'user' && message.origin !== 'user'
      ? { isMeta: true }
      : {}
  return { type: 'user', message: { role: 'user', content }, ...flags }
}

function renderTitle({ sessionId, title }: NewSession): string {
  return JSON.stringify({ type: 'custom-title', customTitle: title, sessionId })
}

/**
 * The block that a part is written as. Fields that a part does not model stay as in its native
 * block.
 */
function encodeBlock(part: Part): unknown {
  const block = encodePart(part, (native) => (isNativeBlock(native) ? native.block : undefined))
  return block ?? { type: 'text', text: renderPart(part) }
}
