/**
 * Answers of models. A call may be said up to three times: in `tool_calls`, which counts, as a block of the content,
 * and raw in `additional_kwargs`.
 */
import type { AssistantMessage, Part, ReasoningPart, ToolCallPart } from '../../conversation/message.ts'
import { toInputObject } from '../content/tool-input.ts'
import { isJsonObject, type JsonObject, readMember, withMembers } from '../json/object.ts'
import { keepSameList } from '../json/same-list.ts'
import { encodeBlock, encodeContent, readContent } from './blocks.ts'

/** The `native` of a call: its entry in `tool_calls`, and the block that repeats it. */
interface NativeCall {
  readonly call: JsonObject
  readonly block?: JsonObject
}

/** The `native` of reasoning that is a field of `additional_kwargs`. */
interface NativeField {
  readonly field: string
  readonly value: unknown
}

// Open models give the first, OpenAI's Responses API an item with its encrypted payload.
const REASONING_FIELDS = ['reasoning_content', 'reasoning']
const CALL_BLOCKS = new Set<unknown>(['tool_use', 'tool_call', 'function_call'])

export function readAssistantParts(fields: JsonObject): AssistantMessage['parts'] {
  const calls = readCalls(fields.tool_calls)
  const parts = readContent(fields.content).map((part): AssistantMessage['parts'][number] => {
    const block = isJsonObject(part.native) && CALL_BLOCKS.has(part.native.type) ? part.native : undefined
    const id = block && (block.call_id ?? block.id)
    const call = typeof id === 'string' ? calls.get(id) : undefined
    if (!block || !call || typeof id !== 'string') return part
    calls.delete(id)
    return toCallPart(id, call, block)
  })
  return [
    ...readReasoningFields(fields.additional_kwargs),
    ...parts,
    ...[...calls].map(([id, call]) => toCallPart(id, call)),
  ]
}

function readCalls(calls: unknown): Map<string, JsonObject> {
  const byId = new Map<string, JsonObject>()
  if (!Array.isArray(calls)) return byId
  for (const call of calls) if (isJsonObject(call) && typeof call.id === 'string') byId.set(call.id, call)
  return byId
}

function toCallPart(callId: string, call: JsonObject, block?: JsonObject): ToolCallPart {
  const name = typeof call.name === 'string' ? call.name : ''
  const native: NativeCall = { call, ...(block && { block }) }
  return { type: 'tool-call', callId, name, input: call.args, native }
}

function readReasoningFields(carried: unknown): ReasoningPart[] {
  return REASONING_FIELDS.flatMap((field): ReasoningPart[] => {
    const value = readMember(carried, field)
    const native: NativeField = { field, value }
    if (typeof value === 'string' && value !== '')
      return [{ type: 'reasoning', text: value, signatureLength: 0, native }]
    if (!isJsonObject(value)) return []
    const summary = Array.isArray(value.summary) ? value.summary : []
    const texts = summary.map((entry) => readMember(entry, 'text')).filter((text) => typeof text === 'string')
    const payload = value.encrypted_content
    const signatureLength = typeof payload === 'string' ? payload.length : 0
    return [{ type: 'reasoning', text: texts.join('\n'), signatureLength, native }]
  })
}

/** The fields that say what the parts say; undefined for those that must not be there any more. */
export function encodeAssistantFields(parts: readonly Part[], fields: JsonObject): JsonObject {
  const said = parts.filter((part) => part.type !== 'tool-call' && !isNativeField(part.native))
  const calls = parts.filter((part) => part.type === 'tool-call')
  const hasBlocks = Array.isArray(fields.content) && calls.some(({ native }) => isNativeCall(native) && native.block)
  const content = hasBlocks
    ? keepSameList(parts.filter((part) => !isNativeField(part.native)).flatMap(encodeAny), fields.content)
    : encodeContent(said.filter(isSayable), fields.content)
  return {
    content,
    tool_calls: keepSameList(calls.map(encodeCall), fields.tool_calls),
    ...forgetCopies(parts, fields),
  }
}

/** Reasoning of another format has no place here. */
function isSayable(part: Part): boolean {
  return part.type !== 'reasoning' || isJsonObject(part.native)
}

function encodeAny(part: Part): unknown[] {
  if (part.type !== 'tool-call') return isSayable(part) ? [encodeBlock(part)] : []
  const { native } = part
  return isNativeCall(native) && native.block ? [encodeCallBlock(part, native.block)] : []
}

function encodeCall(part: ToolCallPart): JsonObject {
  const call = isNativeCall(part.native) ? part.native.call : undefined
  if (call && call.id === part.callId && call.name === part.name && call.args === part.input) return call
  const args = call && call.args === part.input ? part.input : toInputObject(part.input)
  return { ...(call ?? { type: 'tool_call' }), id: part.callId, name: part.name, args }
}

/** Anthropic calls the arguments `input`, version 1 of LangChain `args`, OpenAI `arguments`, which are text. */
function encodeCallBlock(part: ToolCallPart, block: JsonObject): JsonObject {
  const before = isNativeCall(part.native) ? part.native.call : {}
  if (before.args === part.input && before.id === part.callId && before.name === part.name) return block
  const key = ['input', 'args', 'arguments'].find((name) => name in block) ?? 'args'
  const input = toInputObject(part.input)
  return { ...block, name: part.name, [key]: typeof block[key] === 'string' ? JSON.stringify(input) : input }
}

/**
 * What an edited answer must not carry on: LangChain sends raw calls where there are no others, collects calls anew
 * from the chunks they were streamed in, and sends OpenAI the stored `output` of a response in place of the content.
 */
function forgetCopies(parts: readonly Part[], fields: JsonObject): JsonObject {
  const kept = new Set(parts.flatMap(({ native }) => (isNativeField(native) ? [native.field] : [])))
  const lost = REASONING_FIELDS.filter((field) => !kept.has(field))
  const carried = fields.additional_kwargs
  const metadata = fields.response_metadata
  // OpenAI refuses stored reasoning without the items it led to, and those without their reasoning.
  const isStored = isJsonObject(readMember(carried, 'reasoning'))
  const tied = isStored ? ['reasoning', '__openai_function_call_ids__'] : []
  const dropped = ['tool_calls', 'function_call', ...lost, ...tied].map((key) => [key, undefined])
  return {
    ...(isJsonObject(carried) && { additional_kwargs: withMembers(carried, Object.fromEntries(dropped)) }),
    ...(isJsonObject(metadata) && { response_metadata: withMembers(metadata, { output: undefined }) }),
    ...(isStored && { id: undefined }),
    tool_call_chunks: undefined,
  }
}

function isNativeCall(native: unknown): native is NativeCall {
  return isJsonObject(native) && isJsonObject(native.call)
}

function isNativeField(native: unknown): native is NativeField {
  return isJsonObject(native) && typeof native.field === 'string' && 'value' in native
}
