/**
 * The edited session. Requests that are not sent stay where they are, unless the session is a new one. A log in which
 * only values changed keeps its lines; else it is written as VS Code writes it now and then: as one state.
 */
import type { Message, Part } from '../../conversation/message.ts'
import { deriveUuid } from '../content/derive-uuid.ts'
import { matchResults } from '../content/match-results.ts'
import { parseTimestamp } from '../content/parse-timestamp.ts'
import type { NewSession } from '../format.ts'
import type { JsonlSource, OutputPiece } from '../json/lines.ts'
import { isJsonObject, type JsonObject, withMembers } from '../json/object.ts'
import { rewriteJson } from '../json/rewrite.ts'
import { AGENT_MODE } from './adopt.ts'
import { type Draft, draftRequests } from './drafts.ts'
import type { FORMAT_NAME } from './mutation-log.ts'
import { isLive, isNativePlace, type NativePlace } from './read-messages.ts'
import { listObjects, readMetadata, type Storage } from './storage.ts'
import { type WrittenRequest, writeLogLines, writeLogState } from './write-log.ts'
import { changeMetadata, changeRequest, type RequestContext } from './write-request.ts'

/** What `parse` leaves for `serialize`. */
export interface CopilotDocument {
  readonly format: typeof FORMAT_NAME
  readonly source: JsonlSource
  readonly storage: Storage
  /** The messages as they were parsed. */
  readonly messages: readonly Message[]
  readonly isSummarized: boolean
}

/** Everything again under another id, with the title, a log as one state. For a conversation that nobody edited. */
export function* cloneSession({ source, storage }: CopilotDocument, newSession: NewSession): Generator<OutputPiece> {
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
  messages: readonly Message[],
  newSession: NewSession | undefined,
): Generator<OutputPiece> {
  const { source, storage, isSummarized } = document
  const { body, log, facts, slots } = storage
  const isRebuilt = isSummarized || newSession !== undefined
  const written = writeRequests(document, messages, newSession)
  const all = isRebuilt ? written : placeAmong(document, written)
  const names = newSession ? renderNames(facts, newSession) : {}
  if (body) {
    const after = { ...withMembers(body, names), requests: all.map(({ value }) => value) }
    yield rewriteJson(source.readText(0, source.length), body, after)
  } else if (log) {
    const isInPlace = !isRebuilt && !log.isBroken && all.length === slots.length
    if (isInPlace && all.every(({ slot }, index) => slot === slots[index])) yield* writeLogLines(source, log, all)
    else yield* writeLogState(source, log, withMembers(facts, names), all)
  }
}

/** What is only true of the old session is left out. */
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
  let count = 0
  const createId = newSession?.createId ?? (() => deriveUuid(`${source.length} ${count++}`))
  const untouched = new Set(document.messages.flatMap(({ parts }): readonly Part[] => parts))
  const findRound = ({ request, round }: NativePlace) =>
    listObjects(readMetadata(storage.slots[request]?.value).toolCallRounds)[round ?? -1]
  const context: RequestContext = { createId, results: matchResults(messages), findRound, untouched }
  const originals = groupByRequest(document.messages)
  const template = storage.slots.findLast(({ value }) => isLive(value))?.value
  const timeMs = parseTimestamp(newSession?.timestamp ?? '')
  const live = [...originals.keys()]
  let isChanged = isSummarized || newSession !== undefined
  return draftRequests(messages, originals).map((draft, index) => {
    const slot = storage.slots[draft.source ?? -1]
    const before = isJsonObject(slot?.value) ? slot.value : createRequest(template, timeMs, createId)
    const own = isSummarized && holdsSummary(draft) ? [] : (originals.get(draft.source ?? -1) ?? [])
    const after = changeRequest(before, draft.messages, own, context)
    isChanged ||= after !== slot?.value || live[index] !== draft.source
    const unmarked = isChanged ? withoutMarkers(after, isSummarized) : after
    return { slot, value: newSession ? renameRequest(unmarked, newSession) : unmarked }
  })
}

function holdsSummary({ messages }: Draft): boolean {
  return messages[0]?.parts.some(({ native }) => isNativePlace(native) && native.round !== undefined) === true
}

function groupByRequest(messages: readonly Message[]): Map<number, Message[]> {
  const groups = new Map<number, Message[]>()
  for (const message of messages) {
    const natives = message.parts.map((part): unknown => part.native)
    const place = natives.find(isNativePlace)
    if (!place) continue
    const group = groups.get(place.request)
    if (group) group.push(message)
    else groups.set(place.request, [message])
  }
  return groups
}

/** Answered, so that VS Code hands it to the extension. */
function createRequest(template: unknown, timeMs: number | undefined, createId: () => string): JsonObject {
  const { agent = AGENT_MODE, modelId, timestamp } = isJsonObject(template) ? template : { agent: undefined }
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

// What the editor shows beside the prompt: how full the context was.
const REQUEST_COUNTS = ['promptTokens', 'completionTokens', 'promptTokenDetails', 'outputBuffer']
const NO_COUNTS = Object.fromEntries(REQUEST_COUNTS.map((key) => [key, undefined]))

/**
 * Behind a change a marker is wrong: it stands for a history that the provider has, and all before it is not sent
 * again. Counts of tokens make the extension summarize.
 */
function withoutMarkers(request: JsonObject, dropsSummaries: boolean): JsonObject {
  const { toolCallRounds } = readMetadata(request)
  const isStale = (round: JsonObject) => 'statefulMarker' in round || (dropsSummaries && 'summary' in round)
  const rounds = listObjects(toolCallRounds)
  const members = { statefulMarker: undefined, ...(dropsSummaries && { summary: undefined }) }
  const uncounted = REQUEST_COUNTS.some((key) => key in request) ? withMembers(request, NO_COUNTS) : request
  return changeMetadata(uncounted, {
    promptTokens: undefined,
    outputTokens: undefined,
    ...(dropsSummaries && { summary: undefined, summaries: undefined }),
    ...(rounds.some(isStale) && {
      toolCallRounds: rounds.map((round) => (isStale(round) ? withMembers(round, members) : round)),
    }),
  })
}

/** The extension finds answers of other sessions by these ids, and would go on with what it remembers of them. */
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

/** Requests that are not sent keep their place, new ones stand behind the one before them. */
function placeAmong({ storage, messages }: CopilotDocument, written: readonly WrittenRequest[]): WrittenRequest[] {
  const said = new Set(groupByRequest(messages).keys())
  const order = new Map(storage.slots.map((slot, index) => [slot, index]))
  const placed: WrittenRequest[] = []
  let next = 0
  const carryUpTo = (end: number) => {
    for (; next < end; next++) {
      const slot = storage.slots[next]
      if (slot && !said.has(next)) placed.push({ slot, value: slot.value })
    }
  }
  for (const request of written) {
    const index = request.slot && order.get(request.slot)
    if (index !== undefined) carryUpTo(index)
    placed.push(request)
    if (index !== undefined) next = Math.max(next, index + 1)
  }
  carryUpTo(storage.slots.length)
  return placed
}
