/**
 * One request with other words, answers and results. Unchanged values are the same objects as
 * before.
 */

import { isSameList } from '../../conversation/lists.ts'
import {
  type AssistantMessage,
  type Message,
  type Part,
  renderPart,
  type ToolCallPart,
  type ToolResultPart,
} from '../../conversation/message.ts'
import {
  isJsonObject,
  type JsonObject,
  keepSameList,
  readMember,
  readString,
  toObject,
  withMembers,
} from '../shared/json.ts'
import { toInputText } from '../shared/tool-calls.ts'
import {
  encodeResult,
  isNativePlace,
  type NativePlace,
  readQuestionText,
  readShownPart,
  readSurroundings,
  SUMMARY_OPENING,
} from './read.ts'
import { listObjects, readMetadata } from './storage.ts'

export interface RequestContext {
  readonly createId: () => string
  /** By call, because rounds are stored apart from their results. */
  readonly results: ReadonlyMap<ToolCallPart, ToolResultPart>
  /** The stored round that a part comes from, in any request. */
  readonly findRound: (place: NativePlace) => JsonObject | undefined
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
  return isSameList(answers, originals.filter(isAnswer))
    ? asked
    : changeAnswers(asked, answers, context)
}

function changeQuestion(before: JsonObject, question: Message | undefined): JsonObject {
  const text = renderQuestion(question)
  const old = readQuestionText(before)
  const keepsSurroundings = question?.parts.some(
    ({ type, native }) => type === 'opaque' && isNativePlace(native),
  )
  const isPlain = readSurroundings(before) === ''
  const metadata = readMetadata(before)
  const rendered = keepsSurroundings
    ? replaceRendered(metadata.renderedUserMessage, old, text)
    : undefined
  const isSame = isPlain && text === old
  const changed = isSame ? before : changeMetadata(before, { renderedUserMessage: rendered })
  return text === old ? changed : { ...changed, message: encodeMessage(before.message, text) }
}

function renderQuestion(question: Message | undefined): string {
  const parts: readonly Part[] = question?.parts ?? []
  const texts = parts
    .filter(({ type, native }) => !(type === 'opaque' && isNativePlace(native)))
    .map(renderPart)
  const text = texts.join('\n')
  const isSummary = parts.some(({ native }) => isNativePlace(native) && native.round !== undefined)
  return isSummary ? `${SUMMARY_OPENING}\n${text}\n</conversation-summary>` : text
}

/**
 * Undefined if the old words do not occur exactly once. The extension then renders the message
 * again.
 */
function replaceRendered(rendered: unknown, old: string, text: string): unknown {
  if (!Array.isArray(rendered) || text === old) return rendered
  const holders = rendered.filter(
    (part) => old !== '' && (readString(part, 'text') ?? '').includes(old),
  )
  const [holder] = holders
  if (holders.length !== 1 || !isJsonObject(holder)) return undefined
  const words = readString(holder, 'text') ?? ''
  if (words.indexOf(old) !== words.lastIndexOf(old)) return undefined
  return rendered.map((part: unknown) =>
    part === holder ? { ...holder, text: words.replace(old, () => text) } : part,
  )
}

/** The parsed form repeats the text, with its place in the editor. */
function encodeMessage(before: unknown, text: string): unknown {
  if (typeof before === 'string') return text
  const lines = text.split('\n')
  const editorRange = {
    startLineNumber: 1,
    startColumn: 1,
    endLineNumber: lines.length,
    endColumn: (lines.at(-1) ?? '').length + 1,
  }
  const part = { range: { start: 0, endExclusive: text.length }, editorRange, text, kind: 'text' }
  return { ...toObject(before), text, parts: [part] }
}

export function changeMetadata(request: JsonObject, members: JsonObject): JsonObject {
  const metadata = readMetadata(request)
  const isSame = Object.keys(members).every((key) =>
    Object.is(readMember(metadata, key), members[key]),
  )
  if (isSame) return request
  return {
    ...request,
    result: { ...toObject(request.result), metadata: withMembers(metadata, members) },
  }
}

function changeAnswers(
  before: JsonObject,
  answers: readonly Message[],
  context: RequestContext,
): JsonObject {
  const spoken = answers.filter((message) => message.role === 'assistant')
  const calls = spoken.flatMap(({ parts }) => parts.filter((part) => part.type === 'tool-call'))
  const texts = spoken.map(renderAnswer)
  const metadata = readMetadata(before)
  const known = listObjects(metadata.toolCallRounds)
  const isShownOnly = known.length === 0 && calls.length === 0 && spoken.length < 2
  const rounds = isShownOnly ? [] : spoken.map((message) => encodeRound(message, context))
  const results = encodeResults(calls, metadata.toolCallResults, context)
  const hasChanged = known.some(({ response }, index) => response !== texts[index])
  const isReworded = known.length === 0 || known.length !== spoken.length || hasChanged
  const response = changeShownParts(before.response, {
    text: isReworded ? texts.filter((text) => text !== '').join('\n\n') : undefined,
    callIds: listShownIds(calls.map(({ callId }) => callId)),
    changedCallIds: listShownIds(
      calls.filter((call) => isChanged(call, context)).map(({ callId }) => callId),
    ),
  })
  const changed = changeMetadata(before, {
    toolCallRounds: isShownOnly
      ? metadata.toolCallRounds
      : keepSameList(rounds, metadata.toolCallRounds),
    toolCallResults: results,
    ...(isReworded && { codeBlocks: undefined }),
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
  const asked = message.parts
    .filter((part) => part.type === 'tool-call')
    .filter((call) => context.results.has(call))
  const calls = asked.map((call) => encodeCall(call, context))
  if (!before) return { response, toolCalls: calls, toolInputRetry: 0, id: context.createId() }
  const toolCalls = keepSameList(calls, before.toolCalls)
  const isSame =
    toolCalls === before.toolCalls &&
    (response === before.response || isBlank(response, before.response))
  // A provider accepts signed reasoning only before the exact calls that it led to.
  return isSame ? before : withMembers({ ...before, response, toolCalls }, { thinking: undefined })
}

function isBlank(text: string, before: unknown): boolean {
  return text === '' && typeof before === 'string' && before.trim() === ''
}

function encodeCall(call: ToolCallPart, { untouched }: RequestContext): JsonObject {
  const value =
    isNativePlace(call.native) && isJsonObject(call.native.value) ? call.native.value : undefined
  if (value && untouched.has(call)) return value
  return { ...value, name: call.name, arguments: toInputText(call.input), id: call.callId }
}

function encodeResults(
  calls: readonly ToolCallPart[],
  before: unknown,
  context: RequestContext,
): unknown {
  const entries = calls.flatMap((call): [string, JsonObject][] => {
    const result = context.results.get(call)
    if (!result) return []
    const { native } = result
    const stored = isNativePlace(native) && isJsonObject(native.value) ? native.value : undefined
    return [
      [
        call.callId,
        context.untouched.has(result) && stored ? stored : encodeResult(result, stored),
      ],
    ]
  })
  const keys = isJsonObject(before) ? Object.keys(before) : []
  const isSame =
    keys.length === entries.length &&
    entries.every(([id, value]) => readMember(before, id) === value)
  if (isSame) return before
  return entries.length > 0 ? Object.fromEntries(entries) : undefined
}

interface ShownChanges {
  /** The whole text now. Undefined if it is the same. */
  readonly text: string | undefined
  /** The ids as on the screen, by `listShownIds`. */
  readonly callIds: ReadonlySet<string>
  readonly changedCallIds: ReadonlySet<string>
}

/**
 * The extension adds `__vscode-` and a number to the ids of its calls. The screen shows the ids
 * without them.
 */
export function listShownIds(callIds: readonly string[]): Set<string> {
  return new Set(callIds.flatMap((id) => [id, id.split('__vscode', 1)[0] ?? id]))
}

export function changeShownParts(response: unknown, changes: ShownChanges): unknown {
  if (typeof response === 'string') return changes.text ?? response
  const before: readonly unknown[] = Array.isArray(response) ? response : []
  let { text } = changes
  const after: unknown[] = []
  // Edits are shown after the tools that made them. They are removed with the last of these tools.
  let tools = { kept: 0, removed: 0 }
  for (const part of before) {
    const isText = readShownPart(part) !== undefined
    if (isText && !isFence(part)) tools = { kept: 0, removed: 0 }
    if (isText && changes.text !== undefined) {
      if (text) after.push(changeText(part, text))
      text = ''
      continue
    }
    const kept = changeTool(part, changes)
    if (isTool(part)) tools[kept === undefined ? 'removed' : 'kept']++
    const isOrphaned = isEdit(part) && tools.removed > 0 && tools.kept === 0
    if (kept !== undefined && !isOrphaned) after.push(kept)
  }
  if (text) after.push({ value: text })
  return isSameList(after, before) ? response : after
}

function isTool(part: unknown): boolean {
  return readMember(part, 'kind') === 'toolInvocationSerialized'
}

const EDITS = new Set<unknown>([
  'undoStop',
  'codeblockUri',
  'textEditGroup',
  'notebookEditGroup',
  'workspaceEdit',
])

function isEdit(part: unknown): boolean {
  return EDITS.has(readMember(part, 'kind')) || isFence(part)
}

function isFence(part: unknown): boolean {
  return readMember(part, 'kind') === undefined && readMember(part, 'value') === '\n```\n'
}

function changeText(part: unknown, text: string): unknown {
  if (isJsonObject(part) && typeof part.value === 'string') return { ...part, value: text }
  return { value: text }
}

/** Undefined for a removed tool, and for the thought that led to it. */
function changeTool(part: unknown, { callIds, changedCallIds }: ShownChanges): unknown {
  if (!isJsonObject(part)) return part
  const { kind, toolCallId } = part
  if (kind === 'prepareToolInvocation') return callIds.size > 0 ? part : undefined
  const thoughtOf = kind === 'thinking' ? readMember(part.metadata, 'toolId') : undefined
  if (typeof thoughtOf === 'string') return callIds.has(thoughtOf) ? part : undefined
  if (kind !== 'toolInvocationSerialized' || typeof toolCallId !== 'string') return part
  if (!callIds.has(toolCallId)) return undefined
  return changedCallIds.has(toolCallId) ? withoutOutput(part) : part
}

/** Details and output of terminals repeat the result. */
function withoutOutput(part: JsonObject): JsonObject {
  const data = part.toolSpecificData
  const kept =
    isJsonObject(data) && 'terminalCommandOutput' in data
      ? { terminalCommandOutput: undefined }
      : undefined
  const shown =
    kept && isJsonObject(data) ? { ...part, toolSpecificData: withMembers(data, kept) } : part
  return 'resultDetails' in shown ? withMembers(shown, { resultDetails: undefined }) : shown
}
