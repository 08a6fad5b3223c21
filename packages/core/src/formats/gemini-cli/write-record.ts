/** One stored message with other content, or a new one. What did not change is the very same value as before. */
import type { AssistantMessage, Message, Part, ToolCallPart, ToolResultPart } from '../../conversation/message.ts'
import { toInputObject } from '../content/tool-input.ts'
import type { JsonObject } from '../json/object.ts'
import { withMembers } from '../json/object.ts'
import { isSameList, keepSameList } from '../json/same-list.ts'
import { encodeBlock, encodeResult, isCall, isNativeBlock, isThought, listBlocks, listOwn } from './blocks.ts'
import { listCalls } from './read-messages.ts'

type Results = ReadonlyMap<string, ToolResultPart>

/** The person's words, without results that stand beside them. */
export function changeUserRecord(value: JsonObject, { parts }: Message): JsonObject {
  const content = encodeContent(parts, value.content)
  return content === value.content ? value : withMembers(value, { content, displayContent: undefined })
}

export function changeAnswerRecord(
  value: JsonObject,
  { parts }: AssistantMessage,
  results: Results,
  untouched: ReadonlySet<Part>,
): JsonObject {
  // Calls stand in the content too once the session was resumed.
  const isWhole = listBlocks(value.content).some((block) => isCall(block) || isThought(block))
  const spoken = parts.filter((part) => part.type !== 'reasoning' && (isWhole || part.type !== 'tool-call'))
  const content = encodeContent(spoken, value.content)
  const asked = parts.filter((part) => part.type === 'tool-call')
  const before = listCalls(value)
  const known = new Map(before.map((call) => [call.id, call]))
  const calls = asked.map((part) => {
    const result = results.get(part.callId)
    const call = known.get(part.callId)
    if (!call) return createCall(part, result, value.timestamp)
    const args = untouched.has(part) ? call.args : toInputObject(part.input)
    return changeResult(args === call.args ? call : { ...call, args }, result, untouched)
  })
  const toolCalls = isSameList(calls, before) ? value.toolCalls : calls
  return content === value.content && toolCalls === value.toolCalls ? value : { ...value, content, toolCalls }
}

/** `resultDisplay` repeats the result for the screen. */
function changeResult(call: JsonObject, result: ToolResultPart | undefined, untouched: ReadonlySet<Part>): JsonObject {
  if (!result) return withMembers(call, { result: undefined, resultDisplay: undefined })
  if (!untouched.has(result) || typeof call.result === 'undefined') {
    return withMembers(call, { result: encodeResult(result, call.name), resultDisplay: undefined })
  }
  if (!Array.isArray(call.result)) return call
  const own = keepSameList(listOwn(call.result, result.callId), call.result)
  return own === call.result ? call : { ...call, result: own }
}

function createCall(
  { callId: id, name, input }: ToolCallPart,
  result: ToolResultPart | undefined,
  timestamp: unknown,
): JsonObject {
  const status = !result ? 'cancelled' : result.isError ? 'error' : 'success'
  return {
    id,
    name,
    args: toInputObject(input),
    ...(result && { result: encodeResult(result, name) }),
    status,
    timestamp,
  }
}

function encodeContent(parts: readonly Part[], before: unknown): unknown {
  const [first, second] = parts
  const isText = first === undefined || (first.type === 'text' && second === undefined)
  if (isText && (typeof before === 'string' || before === undefined || before === null)) {
    // A blank text is no part.
    const text = first?.type === 'text' ? first.text : ''
    return typeof before === 'string' && (text === before || (text === '' && before.trim() === '')) ? before : text
  }
  const thoughts = listBlocks(before).filter(isThought)
  const blocks = [...thoughts, ...parts.flatMap((part) => encodeBlock(part) ?? [])]
  if (!Array.isArray(before)) {
    const isOnly = blocks.length === 1 && blocks[0] === before
    return isOnly ? before : blocks
  }
  const filled = before.filter((block) => isThought(block) || parts.some((part) => isBlockOf(part, block)))
  return isSameList(blocks, filled) && filled.length === before.length ? before : blocks
}

function isBlockOf(part: Part, block: unknown): boolean {
  return isNativeBlock(part.native) && part.native.block === block
}

export function createUserRecord(base: JsonObject, { parts }: Message): JsonObject {
  return { ...base, type: 'user', content: parts.flatMap((part) => encodeBlock(part) ?? []) }
}

export function createAnswerRecord(
  base: JsonObject,
  model: unknown,
  { parts }: AssistantMessage,
  results: Results,
): JsonObject {
  const [first] = parts
  const spoken = parts.filter((part) => part.type !== 'tool-call' && part.type !== 'reasoning')
  const isText = spoken.length === 1 && first?.type === 'text'
  const content = isText ? first.text : spoken.flatMap((part) => encodeBlock(part) ?? [])
  const asked = parts.filter((part) => part.type === 'tool-call')
  const toolCalls = asked.map((part) => createCall(part, results.get(part.callId), base.timestamp))
  return { ...base, type: 'gemini', content, thoughts: [], ...(toolCalls.length > 0 && { toolCalls }), model }
}
