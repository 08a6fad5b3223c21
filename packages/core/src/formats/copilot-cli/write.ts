/** Writes a session that GitHub Copilot CLI resumes with exactly the given messages. */
import { toJsonText } from '../../conversation/json-text.ts'
import { isSameList } from '../../conversation/lists.ts'
import {
  type Conversation,
  type Message,
  type Part,
  renderPart,
  type ToolCallPart,
} from '../../conversation/message.ts'
import type { NewSession } from '../shared/format.ts'
import { createIds } from '../shared/ids.ts'
import { isJsonObject, type JsonObject, readString, toObject, withMembers } from '../shared/json.ts'
import { type OutputPiece, readObject, rewriteSpan, spliceLine } from '../shared/lines.ts'
import {
  findBesideKept,
  findGoneCalls,
  groupByRecord,
  isNativeBlock,
  namesAny,
  placeAmong,
} from '../shared/records.ts'
import { refuseSystemMessage } from '../shared/session-format.ts'
import { toInputObject } from '../shared/tool-calls.ts'
import {
  COMPACTION,
  type CopilotCliDocument,
  type CopilotEvent,
  FORMAT_NAME,
  isSent,
} from './events.ts'
import { SURROUNDINGS } from './read.ts'

const START = 'session.start'

/** Every line again under another id. For a conversation without edits. */
export function* cloneSession(
  { source, events, lineBreak }: CopilotCliDocument,
  { sessionId }: NewSession,
): Generator<OutputPiece> {
  for (const event of events) {
    const json = JSON.stringify(sessionId)
    const named = event.type === START ? [{ path: ['data', 'sessionId'], json }] : []
    yield* spliceLine(source, event, named)
    yield lineBreak
  }
}

export function* writeSession(
  document: CopilotCliDocument,
  { messages, model }: Conversation,
  newSession: NewSession | undefined,
): Generator<OutputPiece> {
  const { source, events, lineBreak } = document
  const first = events.find(({ type }) => type === START)
  const createId = createIds(newSession?.createId, source.length)
  const drafts = draftEvents(document, messages, newSession !== undefined)
  const carried = (newSession ? listCarried : listOthers)(document, messages)
  const others = placeAmong<EventDraft | CopilotEvent>(drafts, carried, (item) =>
    'line' in item ? item.line : item.event?.line,
  )
  // Copilot CLI refuses a session that begins with anything else.
  const placed = newSession && first ? [first, ...others] : others
  const timestamp = newSession?.timestamp ?? readTimestamp(document)
  let parentId: string | null = null
  for (const item of placed) {
    const event = 'line' in item ? item : item.event
    const value = event && readObject(source, event)
    const made =
      'line' in item ? renderCarried(value ?? {}, newSession) : renderDraft(item, value, model)
    const id = event?.id ?? createId()
    const linked = value && !newSession ? made : { ...made, id, parentId }
    const written = event ? linked : { ...linked, timestamp }
    yield event ? rewriteSpan(source, event, value, written) : toJsonText(written)
    yield lineBreak
    if (!event?.isAside) parentId = id
  }
}

function readTimestamp({ source, events }: CopilotCliDocument): unknown {
  const last = events.at(-1)
  return last && readObject(source, last).timestamp
}

interface EventDraft {
  /** The event that it was read from. Undefined for a new one. */
  readonly event: CopilotEvent | undefined
  readonly message: Message
  readonly parts: readonly Part[]
  /** Whether the event has exactly these parts. */
  readonly isSame: boolean
}

/** One event for each answer, and for each result. */
function draftEvents(
  { events, messages: originals }: CopilotCliDocument,
  messages: readonly Message[],
  isNew: boolean,
): EventDraft[] {
  // A summary is spelled out in a new session, which lacks the words before it.
  const stored = new Map(
    events
      .filter((event) => isSent(event) || (!isNew && event.type === COMPACTION))
      .map((event) => [event.line, event]),
  )
  const before = new Map<number, Part[]>()
  for (const { parts, records = [] } of originals)
    for (const [record, own] of groupByRecord<Part>(parts, records)) before.set(record, own)
  return messages.flatMap((message) => {
    const { role, parts, records = [] } = message
    if (role === 'system') throw refuseSystemMessage(FORMAT_NAME, 'GitHub Copilot CLI')
    const groups = groupByRecord<Part>(parts, records.length > 0 ? records : [-1])
    return [...groups].flatMap(([record, own]): EventDraft[] => {
      const event = stored.get(record)
      const isSame = event !== undefined && isSameList(own, before.get(record) ?? [])
      const pieces = role === 'tool' && !event ? own.map((part) => [part]) : [own]
      return pieces.map((piece) => ({ event, message, parts: piece, isSame }))
    })
  })
}

function renderDraft(
  draft: EventDraft,
  stored: JsonObject | undefined,
  model: string | undefined,
): JsonObject {
  const { message, isSame } = draft
  if (stored && isSame) return stored
  const data = toObject(stored?.data)
  switch (message.role) {
    case 'assistant':
      return { ...stored, type: 'assistant.message', data: encodeAnswer(draft, data, model) }
    case 'tool':
      return { ...stored, type: 'tool.execution_complete', data: encodeResult(draft, data) }
    default:
      if (stored?.type === COMPACTION)
        return { ...stored, data: { ...data, summaryContent: encodePrompt(draft).content } }
      if (stored?.type === 'system.notification')
        return { ...stored, data: { ...data, content: encodePrompt(draft).content } }
      return { ...stored, type: 'user.message', data: { ...data, ...encodePrompt(draft) } }
  }
}

function encodePrompt({ message, parts }: EventDraft): {
  readonly content: string
  readonly transformedContent: string
  readonly [member: string]: unknown
} {
  const around = parts.find((part) => part.type === 'opaque' && part.kind === SURROUNDINGS)
  const block = readBlock(around)
  const [before = '', after = ''] = [readString(block, 'before'), readString(block, 'after')]
  const content = parts
    .filter((part) => part !== around && !isAttachment(part))
    .map(renderPart)
    .join('\n\n')
  const attachments = parts.filter(isAttachment).map(readBlock)
  return {
    content,
    transformedContent: `${before}${content}${after}`,
    ...(attachments.length > 0 && { attachments }),
    ...(message.origin !== 'user' && { source: SOURCE }),
  }
}

/** Who sends what no user typed. */
const SOURCE = 'system'

const readBlock = (part: Part | undefined): unknown =>
  isNativeBlock(part?.native) ? part.native.block : part?.native

const isAttachment = (part: Part): boolean =>
  (part.type === 'image' || part.type === 'file') &&
  isNativeBlock(part.native) &&
  isJsonObject(part.native.block)

function encodeAnswer(
  { parts }: EventDraft,
  data: JsonObject,
  model: string | undefined,
): JsonObject {
  const calls = parts.filter((part): part is ToolCallPart => part.type === 'tool-call')
  const content = parts
    .filter(({ type }) => type !== 'tool-call')
    .map(renderPart)
    .join('\n\n')
  return {
    messageId: '',
    ...(model !== undefined && { model }),
    // Seals of the provider are valid only for the old words.
    ...withMembers(data, { reasoningOpaque: undefined, encryptedContent: undefined }),
    content,
    toolRequests: calls.map(encodeCall),
  }
}

function encodeCall(call: ToolCallPart): unknown {
  const block = toObject(readBlock(call))
  const isSame =
    block.toolCallId === call.callId && block.name === call.name && block.arguments === call.input
  if (isSame) return block
  const named = { toolCallId: call.callId, name: call.name }
  if (block.type === 'custom') return { ...block, ...named, arguments: call.input }
  return { type: 'function', ...block, ...named, arguments: toInputObject(call.input) }
}

function encodeResult({ parts }: EventDraft, data: JsonObject): JsonObject {
  const [result] = parts.filter((part) => part.type === 'tool-result')
  const content = result?.output.map(renderPart).join('\n') ?? ''
  const kept = withMembers(data, { result: undefined, error: undefined, fileEdits: undefined })
  const outcome = result?.isError
    ? { success: false, error: { ...toObject(data.error), message: content } }
    : { success: true, result: { content } }
  return { toolCallId: result?.callId, ...kept, ...outcome }
}

function renderCarried(value: JsonObject, newSession: NewSession | undefined): JsonObject {
  if (value.type !== START || !newSession) return value
  const { sessionId, timestamp } = newSession
  return { ...value, timestamp, data: { ...toObject(value.data), sessionId, startTime: timestamp } }
}

/** Events that describe the old history. */
const OWN =
  /^(?:session\.(?:compaction\w*|usage\w*|shutdown|resume|truncation|snapshot_rewind|context_cleared|title_changed|start|binary_asset)|model\.\w+|system\.message|abort|permission\.\w+|assistant\.usage)$/

/**
 * Events that are not messages but are kept in a new session: those next to a kept message, and the
 * pictures that a kept message names. An event is removed if it names a removed call.
 */
function listCarried(
  { source, events, messages: originals, assets }: CopilotCliDocument,
  messages: readonly Message[],
): CopilotEvent[] {
  const kept = new Set(messages.flatMap(({ records = [] }) => records))
  const named = new Set([...kept].flatMap((record) => assets.get(record) ?? []))
  const read = new Set(originals.flatMap(({ records = [] }) => records))
  const cut = events.findLastIndex(({ type, line }) => type === COMPACTION && read.has(line))
  const live = events.slice(Math.max(cut, 0))
  const beside = findBesideKept(
    live.map(({ line }) => line),
    originals,
    messages,
  )
  const gone = findGoneCalls(originals, messages)
  return events.filter((event) => {
    if (named.has(event.line)) return true
    const { type, line, isAside } = event
    if (isAside || isSent(event) || !beside.has(line) || OWN.test(type)) return false
    return !namesAny(readObject(source, event).data, gone)
  })
}

/** An edit in place keeps everything that is not a message. */
function listOthers(
  { events, messages: originals }: CopilotCliDocument,
  messages: readonly Message[],
): CopilotEvent[] {
  const read = new Set(originals.flatMap(({ records = [] }) => records))
  const kept = new Set(messages.flatMap(({ records = [] }) => records))
  return events.filter(({ line }) => !read.has(line) && !kept.has(line))
}
