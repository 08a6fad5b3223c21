/** One request with other words, answers and results. What did not change is the very same value as before. */
import {
  type AssistantMessage,
  type Message,
  type Part,
  renderPart,
  type ToolCallPart,
  type ToolResultPart,
} from '../../conversation/message.ts'
import { toInputText } from '../content/tool-input.ts'
import { isJsonObject, type JsonObject, readMember, withMembers } from '../json/object.ts'
import { isSameList, keepSameList } from '../json/same-list.ts'
import {
  isNativePlace,
  type NativePlace,
  readQuestionText,
  readSurroundings,
  SUMMARY_OPENING,
} from './read-messages.ts'
import { changeShownParts, listShownIds } from './shown-parts.ts'
import { listObjects, readMetadata, readString } from './storage.ts'
import { encodeResult } from './tool-results.ts'

/** What a request is written with. */
export interface RequestContext {
  readonly createId: () => string
  /** By call: rounds are stored apart from what came back. */
  readonly results: ReadonlyMap<ToolCallPart, ToolResultPart>
  /** The stored round that a part comes from, of whichever request. */
  readonly findRound: (place: NativePlace) => JsonObject | undefined
  /** Parts as they were parsed. */
  readonly untouched: ReadonlySet<Part>
}

/** `originals`: the messages that were read from `before`. */
export function changeRequest(
  before: JsonObject,
  messages: readonly Message[],
  originals: readonly Message[],
  context: RequestContext,
): JsonObject {
  const isQuestion = ({ role }: Message) => role === 'user'
  const question = messages.find(isQuestion)
  const asked = question === originals.find(isQuestion) ? before : changeQuestion(before, question)
  const isAnswer = (message: Message) => !isQuestion(message)
  const answers = messages.filter(isAnswer)
  return isSameList(answers, originals.filter(isAnswer)) ? asked : changeAnswers(asked, answers, context)
}

function changeQuestion(before: JsonObject, question: Message | undefined): JsonObject {
  const text = renderQuestion(question)
  const old = readQuestionText(before)
  const keepsSurroundings = question?.parts.some(({ type, native }) => type === 'opaque' && isNativePlace(native))
  const isPlain = readSurroundings(before) === ''
  const metadata = readMetadata(before)
  const rendered = keepsSurroundings ? replaceRendered(metadata.renderedUserMessage, old, text) : undefined
  const isSame = isPlain && text === old
  const changed = isSame ? before : changeMetadata(before, { renderedUserMessage: rendered })
  return text === old ? changed : { ...changed, message: encodeMessage(before.message, text) }
}

function renderQuestion(question: Message | undefined): string {
  const parts: readonly Part[] = question?.parts ?? []
  const texts = parts.filter(({ type, native }) => !(type === 'opaque' && isNativePlace(native))).map(renderPart)
  const text = texts.join('\n')
  const isSummary = parts.some(({ native }) => isNativePlace(native) && native.round !== undefined)
  return isSummary ? `${SUMMARY_OPENING}\n${text}\n</conversation-summary>` : text
}

/** Undefined where the old words are not found once: the extension renders the message anew. */
function replaceRendered(rendered: unknown, old: string, text: string): unknown {
  if (!Array.isArray(rendered) || text === old) return rendered
  const holders = rendered.filter((part) => old !== '' && (readString(part, 'text') ?? '').includes(old))
  const [holder] = holders
  if (holders.length !== 1 || !isJsonObject(holder)) return undefined
  const words = readString(holder, 'text') ?? ''
  if (words.indexOf(old) !== words.lastIndexOf(old)) return undefined
  return rendered.map((part: unknown) => (part === holder ? { ...holder, text: words.replace(old, () => text) } : part))
}

/** The parsed form has the text again, with its place in the editor. */
export function encodeMessage(before: unknown, text: string): unknown {
  if (typeof before === 'string') return text
  const lines = text.split('\n')
  const editorRange = {
    startLineNumber: 1,
    startColumn: 1,
    endLineNumber: lines.length,
    endColumn: (lines.at(-1) ?? '').length + 1,
  }
  const part = { range: { start: 0, endExclusive: text.length }, editorRange, text, kind: 'text' }
  return { ...(isJsonObject(before) ? before : {}), text, parts: [part] }
}

export function changeMetadata(request: JsonObject, members: JsonObject): JsonObject {
  const metadata = readMetadata(request)
  const isSame = Object.keys(members).every((key) => Object.is(readMember(metadata, key), members[key]))
  if (isSame) return request
  const result = isJsonObject(request.result) ? request.result : {}
  return { ...request, result: { ...result, metadata: withMembers(metadata, members) } }
}

function changeAnswers(before: JsonObject, answers: readonly Message[], context: RequestContext): JsonObject {
  const spoken = answers.filter((message) => message.role === 'assistant')
  const calls = spoken.flatMap(({ parts }) => parts.filter((part) => part.type === 'tool-call'))
  const texts = spoken.map(renderAnswer)
  const metadata = readMetadata(before)
  const known = listObjects(metadata.toolCallRounds)
  const isShownOnly = known.length === 0 && calls.length === 0 && spoken.length < 2
  const rounds = isShownOnly ? [] : spoken.map((message) => encodeRound(message, context))
  const results = encodeResults(calls, metadata.toolCallResults, context)
  const isSaid = known.some(({ response }, index) => response !== texts[index])
  const isRetold = known.length === 0 || known.length !== spoken.length || isSaid
  const response = changeShownParts(before.response, {
    text: isRetold ? texts.filter((text) => text !== '').join('\n\n') : undefined,
    callIds: listShownIds(calls.map(({ callId }) => callId)),
    changedCallIds: listShownIds(calls.filter((call) => isChanged(call, context)).map(({ callId }) => callId)),
  })
  const changed = changeMetadata(before, {
    toolCallRounds: isShownOnly ? metadata.toolCallRounds : keepSameList(rounds, metadata.toolCallRounds),
    toolCallResults: results,
    // A copy of what was said.
    ...(isRetold && { codeBlocks: undefined }),
  })
  return response === changed.response ? changed : { ...changed, response }
}

function renderAnswer({ parts }: AssistantMessage): string {
  return parts
    .filter(({ type }) => type !== 'tool-call' && type !== 'reasoning')
    .map(renderPart)
    .join('\n')
}

function isChanged(call: ToolCallPart, { results, untouched }: RequestContext): boolean {
  const result = results.get(call)
  return !untouched.has(call) || (result !== undefined && !untouched.has(result))
}

function encodeRound(message: AssistantMessage, context: RequestContext): JsonObject {
  const place = message.parts.map(({ native }) => native).find(isNativePlace)
  const before = place && context.findRound(place)
  const response = renderAnswer(message)
  const asked = message.parts.filter((part) => part.type === 'tool-call').filter((call) => context.results.has(call))
  const calls = asked.map((call) => encodeCall(call, context))
  if (!before) return { response, toolCalls: calls, toolInputRetry: 0, id: context.createId() }
  const toolCalls = keepSameList(calls, before.toolCalls)
  const isSame = toolCalls === before.toolCalls && (response === before.response || isBlank(response, before.response))
  // Sealed reasoning of a provider may stand only before the very calls that it led to.
  return isSame ? before : withMembers({ ...before, response, toolCalls }, { thinking: undefined })
}

/** Blank text is no part. */
function isBlank(text: string, before: unknown): boolean {
  return text === '' && typeof before === 'string' && before.trim() === ''
}

function encodeCall(call: ToolCallPart, { untouched }: RequestContext): JsonObject {
  const value = isNativePlace(call.native) && isJsonObject(call.native.value) ? call.native.value : undefined
  if (value && untouched.has(call)) return value
  return { ...value, name: call.name, arguments: toInputText(call.input), id: call.callId }
}

/** Undefined for none. */
function encodeResults(calls: readonly ToolCallPart[], before: unknown, context: RequestContext): unknown {
  const entries = calls.flatMap((call): [string, JsonObject][] => {
    const result = context.results.get(call)
    if (!result) return []
    const { native } = result
    const stored = isNativePlace(native) && isJsonObject(native.value) ? native.value : undefined
    return [[call.callId, context.untouched.has(result) && stored ? stored : encodeResult(result, stored)]]
  })
  const keys = isJsonObject(before) ? Object.keys(before) : []
  const isSame = keys.length === entries.length && entries.every(([id, value]) => readMember(before, id) === value)
  if (isSame) return before
  return entries.length > 0 ? Object.fromEntries(entries) : undefined
}
