/**
 * The requests of a session as messages. They are what the extension sends with the next request.
 *
 *   request   message ─ rendered            user
 *             round 1   response, calls     assistant, tool
 *             round 2   response            assistant
 *
 * The parts shown on the screen (`response`) are the answer only if no rounds are kept.
 */
import { findAnswerOrigin, findUserOrigin } from '../../conversation/injected-text.ts'
import { toJsonText } from '../../conversation/json-text.ts'
import {
  type AssistantMessage,
  type ContentPart,
  type Message,
  renderPart,
  type TextPart,
  type ToolResultPart,
} from '../../conversation/message.ts'
import { isJsonObject, type JsonObject, readMember, readString } from '../shared/json.ts'
import { listObjects, readMetadata, type Slot, type Storage } from './storage.ts'

/** The `native` of a part: its request, its round in it, and the stored value if there is one. */
export interface NativePlace {
  readonly request: number
  /** Undefined for words of the user, and for an answer that only the screen shows. */
  readonly round?: number
  readonly value?: unknown
}

export function isNativePlace(native: unknown): native is NativePlace {
  return isJsonObject(native) && typeof native.request === 'number'
}

export const SUMMARY_OPENING = '<conversation-summary>'

/** If `whole`, summaries are left out, and all messages that they replace are included. */
export function readMessages({ slots }: Storage, whole = false) {
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
  return { messages, model, isSummarized: start !== undefined }
}

/** Whether VS Code passes the request to the extension: it was answered and not undone. */
export function isLive(request: unknown): request is JsonObject {
  if (!isJsonObject(request)) return false
  const removed = request.shouldBeRemovedOnSend
  if (request.isHidden === true || (isJsonObject(removed) && removed.afterUndoStop === undefined))
    return false
  return Boolean(request.response ?? request.result ?? request.responseErrorDetails)
}

function readModel(request: JsonObject): string | undefined {
  const model = readString(readMetadata(request), 'resolvedModel') ?? readString(request, 'modelId')
  return model?.slice(model.lastIndexOf('/') + 1)
}

function findSummary(slots: readonly Slot[]) {
  const texts = new Map<string, string>()
  for (const { value } of slots) {
    if (!isLive(value)) continue
    const { summary, summaries } = readMetadata(value)
    for (const entry of listObjects([...listObjects(summaries), summary])) {
      const { toolCallRoundId, text } = entry
      if (typeof toolCallRoundId === 'string' && typeof text === 'string')
        texts.set(toolCallRoundId, text)
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
    const message: Message = {
      role: 'user',
      origin: 'synthetic',
      parts: [part],
      records: slot.lines,
    }
    return { request, round, message }
  }
  return undefined
}

function readSummary(
  round: JsonObject | undefined,
  texts: ReadonlyMap<string, string>,
): string | undefined {
  const text = readString(round, 'summary') ?? texts.get(readString(round, 'id') ?? '')
  return text === '' ? undefined : text
}

export function readQuestionText(request: unknown): string {
  const message = readMember(request, 'message')
  return typeof message === 'string' ? message : (readString(message, 'text') ?? '')
}

/** The text that the extension added around the question: files, date, reminders. */
export function readSurroundings(request: unknown): string {
  const texts = listObjects(readMetadata(request).renderedUserMessage).map(
    (part) => readString(part, 'text') ?? '',
  )
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
  if (surroundings !== '')
    parts.push({ type: 'opaque', kind: 'renderedUserMessage', text: surroundings, native })
  if (parts.length === 0) return []
  return [{ role: 'user', origin: findUserOrigin(parts), parts, records: lines }]
}

/**
 * Rounds from `first` on. Calls without a result are not sent, and neither is a round with no other
 * calls.
 */
function readAnswer(
  { value, lines }: Slot,
  request: number,
  first: number,
  next: Slot | undefined,
): Message[] {
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
    if (text.trim() !== '')
      parts.push({ type: 'text', text, native: { request, round } satisfies NativePlace })
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
    if (results.length > 0)
      messages.push({ role: 'tool', origin: 'environment', parts: results, records: lines })
  }
  return messages
}

function readResult(
  callId: string,
  name: string,
  result: JsonObject,
  native: NativePlace,
): ToolResultPart {
  return {
    type: 'tool-result',
    callId,
    name,
    output: readOutput(result),
    isError: isFailedResult(result),
    native,
  }
}

function readShownAnswer(value: unknown, request: number, records: readonly number[]): Message[] {
  const text = readShownText(readMember(value, 'response'))
  if (text.trim() === '') return []
  const native: NativePlace = { request }
  const parts: TextPart[] = [{ type: 'text', text, native }]
  return [{ role: 'assistant', origin: findAnswerOrigin(parts), parts, records }]
}

/** The words on the screen, except what tools and edits show there. */
function readShownText(response: unknown): string {
  if (typeof response === 'string') return response
  const parts: readonly unknown[] = Array.isArray(response) ? response : []
  return parts.map((part) => readShownPart(part) ?? '').join('')
}

export function readShownPart(part: unknown): string | undefined {
  if (typeof part === 'string') return part
  const kind = readMember(part, 'kind')
  if (kind === 'inlineReference') return readReference(part)
  if (kind !== undefined && kind !== 'markdownContent' && kind !== 'markdownVuln') return undefined
  return (
    readString(part, 'value') ??
    readString(readMember(part, 'content'), 'value') ??
    readString(part, 'content')
  )
}

/** A file or a symbol in the middle of a sentence, as the link that the extension sends instead. */
function readReference(part: unknown): string | undefined {
  const target = readMember(part, 'inlineReference')
  const place = readMember(target, 'location') ?? target
  const path = readString(readMember(place, 'uri') ?? place, 'path')
  const name = readString(part, 'name') ?? readString(target, 'name') ?? path
  return name === undefined ? undefined : `[\`${name}\`](${path ?? ''})`
}

// VS Code marks values this way and turns them back into instances.
const RESULT_MARK = 20
const TEXT_MARK = 21

function readOutput(result: JsonObject): ContentPart[] {
  return listObjects(result.content).map(readContent)
}

function readContent(native: JsonObject): ContentPart {
  const { value, mimeType } = native
  if (typeof value === 'string') return { type: 'text', text: value, native }
  if (isJsonObject(value) && isJsonObject(value.node))
    return { type: 'text', text: renderTree(value.node), native }
  // In later requests the extension only mentions data and never sends it again.
  if (typeof mimeType === 'string')
    return { type: 'opaque', kind: 'data', text: toJsonText({ mimeType }), native }
  return { type: 'opaque', kind: 'content', text: toJsonText(native), native }
}

/** The extension stores the failure of a tool as words. */
function isFailedResult(result: JsonObject): boolean {
  if (result.hasError === true || result.isError === true) return true
  const [first] = listObjects(result.content)
  return typeof first?.value === 'string' && /^ERROR(?: while calling tool)?: /.test(first.value)
}

/** The texts of a tree in order. A text marked so starts a new line. */
function renderTree(root: JsonObject): string {
  const texts: string[] = []
  const open: unknown[] = [root]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    const text = readMember(node, 'text')
    if (typeof text === 'string') {
      const isOpen = texts.length > 0 && texts.at(-1)?.endsWith('\n') === false
      if (isOpen && readMember(node, 'lineBreakBefore')) texts.push('\n')
      texts.push(text)
    }
    const children = readMember(node, 'children')
    if (Array.isArray(children))
      for (let index = children.length - 1; index >= 0; index--) open.push(children[index])
  }
  return texts.join('')
}

/** The stored result itself if the part is unchanged. */
export function encodeResult(
  { output }: ToolResultPart,
  before: JsonObject | undefined,
): JsonObject {
  const known = listObjects(before?.content)
  const content = output.map((part) => {
    const native = isJsonObject(part.native) ? part.native : undefined
    const isSame = native && renderPart(readContent(native)) === renderPart(part)
    return isSame ? native : { $mid: TEXT_MARK, value: renderPart(part) }
  })
  const isSame =
    content.length === known.length && content.every((element, index) => element === known[index])
  return isSame && before ? before : { ...(before ?? { $mid: RESULT_MARK }), content }
}
