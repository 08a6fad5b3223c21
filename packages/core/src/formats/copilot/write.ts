/**
 * Writes an edited session. Requests that are not sent stay where they are, unless the session is
 * new. If only values changed, a log keeps its lines. Any other log is written as one state, as VS
 * Code sometimes does.
 */

import { addTo } from '../../conversation/lists.ts'
import type { Conversation, Message, Part } from '../../conversation/message.ts'
import type { NewSession } from '../shared/format.ts'
import { createIds } from '../shared/ids.ts'
import { isJsonObject, type JsonObject, withMembers } from '../shared/json.ts'
import type { OutputPiece } from '../shared/lines.ts'
import { placeAmong } from '../shared/records.ts'
import { rewriteJson } from '../shared/rewrite.ts'
import { refuseSystemMessage, type SessionDocument } from '../shared/session-format.ts'
import { parseTimestamp } from '../shared/timestamp.ts'
import { matchResults } from '../shared/tool-calls.ts'
import { isLive, isNativePlace, type NativePlace } from './read.ts'
import { listObjects, readMetadata, type Storage } from './storage.ts'
import { type WrittenRequest, writeLogLines, writeLogState } from './write-log.ts'
import { changeMetadata, changeRequest, type RequestContext } from './write-request.ts'

export interface CopilotDocument extends SessionDocument {
  readonly storage: Storage
  /** Whether a summary by the extension replaces everything before it. */
  readonly isSummarized: boolean
}

/**
 * Everything under another id, with the title. A log becomes one state. For a conversation without
 * edits.
 */
export function* cloneSession(
  { source, storage }: CopilotDocument,
  newSession: NewSession,
): Generator<OutputPiece> {
  const { body, log, facts, slots } = storage
  const names = renderNames(facts, newSession)
  const requests = slots.map((slot) => ({ slot, value: renameAnswer(slot.value, newSession) }))
  if (log) yield* writeLogState(source, log, withMembers(facts, names), requests)
  if (!body) return
  const after = { ...withMembers(body, names), requests: requests.map(({ value }) => value) }
  yield rewriteJson(source.readText(0, source.length), body, after)
}

export function* writeSession(
  document: CopilotDocument,
  { messages }: Conversation,
  newSession: NewSession | undefined,
): Generator<OutputPiece> {
  const { source, storage, isSummarized } = document
  const { body, log, facts, slots } = storage
  const isRebuilt = isSummarized || newSession !== undefined
  const written = writeRequests(document, messages, newSession)
  const all = isRebuilt ? written : [...placeUnsent(document, written)]
  const names = newSession ? renderNames(facts, newSession) : {}
  if (body) {
    const after = { ...withMembers(body, names), requests: all.map(({ value }) => value) }
    yield rewriteJson(source.readText(0, source.length), body, after)
  } else if (log) {
    const isInPlace = !isRebuilt && !log.isBroken && all.length === slots.length
    if (isInPlace && all.every(({ slot }, index) => slot === slots[index]))
      yield* writeLogLines(source, log, all)
    else yield* writeLogState(source, log, withMembers(facts, names), all)
  }
}

/** The facts of a new session. Facts that are true only of the old session are left out. */
function renderNames(facts: JsonObject, { sessionId, title, timestamp }: NewSession): JsonObject {
  const timeMs = parseTimestamp(timestamp) ?? 0
  return {
    sessionId,
    customTitle: title,
    creationDate: timeMs,
    pendingRequests: undefined,
    ...('lastMessageDate' in facts && { lastMessageDate: timeMs }),
    ...('isImported' in facts && { isImported: false }),
    ...('hasPendingEdits' in facts && { hasPendingEdits: false }),
  }
}

function writeRequests(
  document: CopilotDocument,
  messages: readonly Message[],
  newSession: NewSession | undefined,
): WrittenRequest[] {
  const { source, storage, isSummarized } = document
  const createId = createIds(newSession?.createId, source.length)
  const untouched = new Set(document.messages.flatMap(({ parts }): readonly Part[] => parts))
  const findRound = ({ request, round }: NativePlace) =>
    listObjects(readMetadata(storage.slots[request]?.value).toolCallRounds)[round ?? -1]
  const context: RequestContext = {
    createId,
    results: matchResults(messages),
    findRound,
    untouched,
  }
  const originals = groupByRequest(document.messages)
  const template = storage.slots.findLast(({ value }) => isLive(value))?.value
  const timeMs = parseTimestamp(newSession?.timestamp ?? '')
  const live = [...originals.keys()]
  let isChanged = isSummarized || newSession !== undefined
  return draftRequests(messages, originals).map((draft, index) => {
    const slot = storage.slots[draft.source ?? -1]
    const before = isJsonObject(slot?.value)
      ? slot.value
      : createRequest(template, timeMs, createId)
    const own = isSummarized && holdsSummary(draft) ? [] : (originals.get(draft.source ?? -1) ?? [])
    const after = changeRequest(before, draft.messages, own, context)
    isChanged ||= after !== slot?.value || live[index] !== draft.source
    const unmarked = isChanged ? withoutMarkers(after, isSummarized) : after
    return { slot, value: newSession ? renameRequest(unmarked, newSession) : unmarked }
  })
}

function holdsSummary({ messages }: CopilotDraft): boolean {
  return (
    messages[0]?.parts.some(({ native }) => isNativePlace(native) && native.round !== undefined) ===
    true
  )
}

function groupByRequest(messages: readonly Message[]): Map<number, Message[]> {
  const groups = new Map<number, Message[]>()
  for (const message of messages) {
    const natives = message.parts.map((part): unknown => part.native)
    const place = natives.find(isNativePlace)
    if (place) addTo(groups, place.request, message)
  }
  return groups
}

/**
 * As a request names it. VS Code passes the rounds of an agent's own requests. For other requests
 * it passes the text on the screen.
 */
const AGENT_MODE = {
  id: 'github.copilot.editsAgent',
  extensionId: { value: 'GitHub.copilot-chat', _lower: 'github.copilot-chat' },
  extensionPublisherId: 'GitHub',
  publisherDisplayName: 'GitHub',
  extensionDisplayName: 'GitHub Copilot',
  name: 'agent',
  fullName: 'GitHub Copilot',
  description: 'Edit files in your workspace in agent mode',
  isDefault: true,
  metadata: {},
  locations: ['panel'],
  modes: ['agent'],
  slashCommands: [],
  disambiguation: [],
}

/** A new request. It counts as answered, so VS Code passes it to the extension. */
function createRequest(
  template: unknown,
  timeMs: number | undefined,
  createId: () => string,
): JsonObject {
  const {
    agent = AGENT_MODE,
    modelId,
    timestamp,
  } = isJsonObject(template) ? template : { agent: undefined }
  const time = timeMs ?? timestamp
  return {
    requestId: `request_${createId()}`,
    message: { text: '', parts: [] },
    variableData: { variables: [] },
    response: [],
    responseId: `response_${createId()}`,
    result: {},
    agent,
    ...(modelId !== undefined && { modelId }),
    ...(time !== undefined && { timestamp: time, modelState: { value: 1, completedAt: time } }),
  }
}

// The editor shows these next to the prompt, as how full the context was.
const REQUEST_COUNTS = ['promptTokens', 'completionTokens', 'promptTokenDetails', 'outputBuffer']
const NO_COUNTS = Object.fromEntries(REQUEST_COUNTS.map((key) => [key, undefined]))

/**
 * A marker names a history that the provider stored and uses instead. Token counts make the
 * extension summarize.
 */
function withoutMarkers(request: JsonObject, dropsSummaries: boolean): JsonObject {
  const { toolCallRounds } = readMetadata(request)
  const isStale = (round: JsonObject) =>
    'statefulMarker' in round || (dropsSummaries && 'summary' in round)
  const rounds = listObjects(toolCallRounds)
  const members = { statefulMarker: undefined, ...(dropsSummaries && { summary: undefined }) }
  const uncounted = REQUEST_COUNTS.some((key) => key in request)
    ? withMembers(request, NO_COUNTS)
    : request
  return changeMetadata(uncounted, {
    promptTokens: undefined,
    outputTokens: undefined,
    ...(dropsSummaries && { summary: undefined, summaries: undefined }),
    ...(rounds.some(isStale) && {
      toolCallRounds: rounds.map((round) => (isStale(round) ? withMembers(round, members) : round)),
    }),
  })
}

/**
 * The extension finds answers of other sessions by these ids, and would continue with its stored
 * copies.
 */
function renameAnswer(request: unknown, { sessionId, createId }: NewSession): unknown {
  if (!isJsonObject(request)) return request
  const { responseId, sessionId: known } = readMetadata(request)
  return changeMetadata(request, {
    ...(responseId !== undefined && { responseId: createId() }),
    ...(known !== undefined && { sessionId }),
  })
}

function renameRequest(request: JsonObject, newSession: NewSession): JsonObject {
  const { createId } = newSession
  const renamed = renameAnswer(request, newSession)
  return {
    ...(isJsonObject(renamed) ? renamed : request),
    requestId: `request_${createId()}`,
    ...(request.responseId !== undefined && { responseId: `response_${createId()}` }),
  }
}

function placeUnsent(
  { storage, messages }: CopilotDocument,
  written: readonly WrittenRequest[],
): Iterable<WrittenRequest> {
  const sent = groupByRequest(messages)
  const order = new Map<unknown, number>(storage.slots.map((slot, index) => [slot, index]))
  const unsent = storage.slots
    .filter((_, index) => !sent.has(index))
    .map((slot) => ({ slot, value: slot.value }))
  return placeAmong<WrittenRequest>(written, unsent, ({ slot }) => order.get(slot))
}

/** Messages split by request: a question, and everything up to the next question. */
interface CopilotDraft {
  readonly source: number | undefined
  readonly messages: Message[]
}

/** `originals`: by request, the messages that were read from it. */
function draftRequests(
  messages: readonly Message[],
  originals: ReadonlyMap<number, readonly Message[]>,
): CopilotDraft[] {
  const drafts: CopilotDraft[] = []
  const taken = new Set<number>()
  const findSource = createFinder(originals)
  for (const message of messages) {
    if (message.role === 'system') throw refuseSystemMessage('copilot', 'The extension')
    const found = findSource(message)
    const source = found === undefined || taken.has(found) ? undefined : found
    const last = drafts.at(-1)
    const hadQuestion = originals.get(source ?? -1)?.[0]?.role === 'user'
    const isOpening = message.role === 'user' || !last || (source !== undefined && !hadQuestion)
    if (isOpening) drafts.push({ source, messages: [message] })
    // A new question that replaces the old one takes over its request.
    else if (last.source === undefined && source !== undefined) {
      drafts[drafts.length - 1] = { source, messages: [...last.messages, message] }
    } else {
      last.messages.push(message)
      continue
    }
    if (source !== undefined) taken.add(source)
  }
  return drafts
}

/**
 * Finds the request of a message by its parts. If none of the parts is left, finds it by its
 * records, in order.
 */
function createFinder(
  originals: ReadonlyMap<number, readonly Message[]>,
): (message: Message) => number | undefined {
  const byRecords = new Map<string, number[]>()
  for (const [request, [first]] of originals) addTo(byRecords, String(first?.records), request)
  let previous = -1
  return ({ records, parts }) => {
    if (!records) return undefined
    const natives = parts.map((part): unknown => part.native)
    const candidates = byRecords.get(String(records))
    const found =
      natives.find(isNativePlace)?.request ??
      candidates?.find((request) => request >= previous) ??
      candidates?.[0]
    previous = found ?? previous
    return found
  }
}
