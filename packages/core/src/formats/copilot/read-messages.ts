/**
 * The requests of a session as messages: what the extension sends of it with the next request.
 *
 *   request   message ─ rendered            user
 *             round 1   response, calls     assistant, tool
 *             round 2   response            assistant
 *
 * The parts shown on the screen (`response`) are the answer only where no rounds are kept.
 */
import { findAnswerOrigin, findUserOrigin } from '../../conversation/injected-text.ts'
import type { AssistantMessage, ContentPart, Message, TextPart, ToolResultPart } from '../../conversation/message.ts'
import { isJsonObject, type JsonObject, readMember } from '../json/object.ts'
import type { Slot } from './mutation-log.ts'
import { listObjects, readMetadata, readString, type Storage } from './storage.ts'
import { isFailure, readOutput } from './tool-results.ts'

/** The `native` of a part: which request it is in, which of its rounds, and the stored value where there is one. */
export interface NativePlace {
  readonly request: number
  /** Undefined for what the person said, and for an answer that only the screen shows. */
  readonly round?: number
  readonly value?: unknown
}

export function isNativePlace(native: unknown): native is NativePlace {
  return isJsonObject(native) && typeof native.request === 'number'
}

export interface LiveRequests {
  readonly messages: readonly Message[]
  readonly model?: string
  /** Whether a summary of the extension stands for all that is before it. */
  readonly isSummarized: boolean
}

export const SUMMARY_OPENING = '<conversation-summary>'

/** `whole`: also what a summary stands for, and no summary. */
export function readMessages({ slots }: Storage, whole = false): LiveRequests {
  const start = whole ? undefined : findSummary(slots)
  const messages: Message[] = start ? [start.message] : []
  let model: string | undefined
  for (const [request, slot] of slots.entries()) {
    if (!isLive(slot.value)) continue
    model = readModel(slot.value) ?? model
    if (start && request < start.request) continue
    const isStart = start?.request === request
    if (!isStart) messages.push(...readQuestion(slot, request))
    messages.push(...readAnswer(slot, request, isStart ? start.round + 1 : 0, slots[request + 1]))
  }
  return { messages, ...(model !== undefined && { model }), isSummarized: start !== undefined }
}

/** Whether VS Code hands the request to the extension: it was answered, and nobody went back behind it. */
export function isLive(request: unknown): request is JsonObject {
  if (!isJsonObject(request)) return false
  const removed = request.shouldBeRemovedOnSend
  if (request.isHidden === true || (isJsonObject(removed) && removed.afterUndoStop === undefined)) return false
  return Boolean(request.response ?? request.result ?? request.responseErrorDetails)
}

function readModel(request: JsonObject): string | undefined {
  const model = readString(readMetadata(request), 'resolvedModel') ?? readString(request, 'modelId')
  return model?.slice(model.lastIndexOf('/') + 1)
}

interface FoundSummary {
  readonly request: number
  readonly round: number
  readonly message: Message
}

/** The newest round that a summary stands for. It may be told with a later request. */
function findSummary(slots: readonly Slot[]): FoundSummary | undefined {
  const texts = new Map<string, string>()
  for (const { value } of slots) {
    if (!isLive(value)) continue
    const { summary, summaries } = readMetadata(value)
    for (const entry of listObjects([...listObjects(summaries), summary])) {
      const { toolCallRoundId, text } = entry
      if (typeof toolCallRoundId === 'string' && typeof text === 'string') texts.set(toolCallRoundId, text)
    }
  }
  for (let request = slots.length - 1; request >= 0; request--) {
    const slot = slots[request]
    if (!slot || !isLive(slot.value)) continue
    const rounds = listObjects(readMetadata(slot.value).toolCallRounds)
    const round = rounds.findLastIndex((entry) => readSummary(entry, texts) !== undefined)
    const text = readSummary(rounds[round], texts)
    if (text === undefined) continue
    const part = { type: 'text' as const, text, native: { request, round } satisfies NativePlace }
    return { request, round, message: { role: 'user', origin: 'synthetic', parts: [part], records: slot.lines } }
  }
  return undefined
}

function readSummary(round: JsonObject | undefined, texts: ReadonlyMap<string, string>): string | undefined {
  const text = readString(round, 'summary') ?? texts.get(readString(round, 'id') ?? '')
  return text === '' ? undefined : text
}

export function readQuestionText(request: unknown): string {
  const message = readMember(request, 'message')
  return typeof message === 'string' ? message : (readString(message, 'text') ?? '')
}

/** What the extension said around the question: files, date, reminders. */
export function readSurroundings(request: unknown): string {
  const texts = listObjects(readMetadata(request).renderedUserMessage).map((part) => readString(part, 'text') ?? '')
  const rendered = texts.join('\n')
  const text = readQuestionText(request)
  return rendered.trim() === text.trim() ? '' : rendered.replace(text, () => '')
}

function readQuestion({ value, lines }: Slot, request: number): Message[] {
  const text = readQuestionText(value)
  const surroundings = readSurroundings(value)
  const native: NativePlace = { request }
  const parts: ContentPart[] = []
  if (text !== '') parts.push({ type: 'text', text, native })
  if (surroundings !== '') parts.push({ type: 'opaque', kind: 'renderedUserMessage', text: surroundings, native })
  if (parts.length === 0) return []
  const origin = text.startsWith(SUMMARY_OPENING) ? 'synthetic' : findUserOrigin(parts)
  return [{ role: 'user', origin, parts, records: lines }]
}

/** Rounds from `first` on. Calls without a result are not sent, nor is a round that has no other. */
function readAnswer({ value, lines }: Slot, request: number, first: number, next: Slot | undefined): Message[] {
  const metadata = readMetadata(value)
  const rounds = listObjects(metadata.toolCallRounds)
  if (rounds.length === 0) return readShownAnswer(value, request, lines)
  const { toolCallResults, maxToolCallsExceeded } = metadata
  const later = maxToolCallsExceeded ? readMetadata(next?.value).toolCallResults : undefined
  const messages: Message[] = []
  for (const [round, entry] of rounds.entries()) {
    if (round < first) continue
    const asked = listObjects(entry.toolCalls)
    const parts: AssistantMessage['parts'][number][] = []
    const results: ToolResultPart[] = []
    const text = readString(entry, 'response') ?? ''
    if (text.trim() !== '') parts.push({ type: 'text', text, native: { request, round } satisfies NativePlace })
    for (const call of asked) {
      const { id, name } = call
      if (typeof id !== 'string' || typeof name !== 'string') continue
      const result = readMember(toolCallResults, id) ?? readMember(later, id)
      if (!isJsonObject(result)) continue
      const native: NativePlace = { request, round, value: call }
      parts.push({ type: 'tool-call', callId: id, name, input: call.arguments ?? '', native })
      results.push(readResult(id, name, result, { request, round, value: result }))
    }
    if (parts.length === 0 || (asked.length > 0 && results.length === 0)) continue
    messages.push({ role: 'assistant', origin: 'agent', parts, records: lines })
    if (results.length > 0) messages.push({ role: 'tool', origin: 'environment', parts: results, records: lines })
  }
  return messages
}

function readResult(callId: string, name: string, result: JsonObject, native: NativePlace): ToolResultPart {
  return { type: 'tool-result', callId, name, output: readOutput(result), isError: isFailure(result), native }
}

function readShownAnswer(value: unknown, request: number, records: readonly number[]): Message[] {
  const text = readShownText(readMember(value, 'response'))
  if (text.trim() === '') return []
  const native: NativePlace = { request }
  const parts: TextPart[] = [{ type: 'text', text, native }]
  return [{ role: 'assistant', origin: findAnswerOrigin(parts), parts, records }]
}

/** The words on the screen, without what tools and edits show there. */
function readShownText(response: unknown): string {
  if (typeof response === 'string') return response
  const parts: readonly unknown[] = Array.isArray(response) ? response : []
  return parts.map((part) => readShownPart(part) ?? '').join('')
}

/** Undefined for what is no text. */
export function readShownPart(part: unknown): string | undefined {
  if (typeof part === 'string') return part
  const kind = readMember(part, 'kind')
  if (kind === 'inlineReference') return readReference(part)
  if (kind !== undefined && kind !== 'markdownContent' && kind !== 'markdownVuln') return undefined
  return readString(part, 'value') ?? readString(readMember(part, 'content'), 'value') ?? readString(part, 'content')
}

/** A file or a symbol that is named in the middle of a sentence, as a link that the extension sends in its place. */
function readReference(part: unknown): string | undefined {
  const target = readMember(part, 'inlineReference')
  const place = readMember(target, 'location') ?? target
  const path = readString(readMember(place, 'uri') ?? place, 'path')
  const name = readString(part, 'name') ?? readString(target, 'name') ?? path
  return name === undefined ? undefined : `[\`${name}\`](${path ?? ''})`
}
