/**
 * Answers of models. A call may be stored up to three times: in `tool_calls`, which counts, in a
 * content block, and raw in `additional_kwargs`.
 */

import { addTo } from '../../conversation/lists.ts'
import {
  type AssistantMessage,
  type ContentPart,
  type MediaPart,
  type OpaquePart,
  type Part,
  type ReasoningPart,
  renderPart,
  type ToolCallPart,
} from '../../conversation/message.ts'
import { needReasoning } from '../openai-responses/read-items.ts'
import {
  isJsonObject,
  type JsonObject,
  keepSameList,
  readMember,
  toObject,
  withMembers,
} from '../shared/json.ts'
import { findMediaSource, measureBytes, measureData, toMediaPart, toUrl } from '../shared/media.ts'
import {
  encodeText,
  isNativeField,
  type NativeField,
  toOpaque,
  withMentions,
} from '../shared/parts.ts'
import { encodeCallId, readCallId, toInputObject } from '../shared/tool-calls.ts'
import { encodeOutput, readOutput } from './stored-output.ts'

/**
 * Content blocks of LangChain: its own in both versions, and blocks of providers, which it carries
 * unchanged.
 */
function readBlock(native: unknown): ContentPart | ReasoningPart {
  if (typeof native === 'string') return { type: 'text', text: native, native }
  if (!isJsonObject(native)) return toOpaque(native)
  if (native.type === 'text' && typeof native.text === 'string')
    return { type: 'text', text: native.text, native }
  // A block of a provider that LangChain has no type for.
  const block = native.type === 'non_standard' ? (native.value ?? native) : native
  return readReasoning(native) ?? readMedia(native) ?? toOpaque(block, native)
}

// LangChain's own type is `reasoning`. Anthropic's blocks come unchanged.
function readReasoning(native: JsonObject): ReasoningPart | undefined {
  const { type, signature, data } = native
  if (type === 'redacted_thinking' && typeof data === 'string') {
    return { type: 'reasoning', text: '', signatureLength: data.length, native }
  }
  const text =
    type === 'reasoning' ? native.reasoning : type === 'thinking' ? native.thinking : undefined
  if (typeof text !== 'string') return undefined
  return {
    type: 'reasoning',
    text,
    signatureLength: typeof signature === 'string' ? signature.length : 0,
    native,
  }
}

const MEDIA_TYPES: ReadonlyMap<unknown, string> = new Map([
  ['image', 'image/*'],
  ['audio', 'audio/*'],
  ['video', 'video/*'],
  ['file', 'application/octet-stream'],
])

function readMedia(native: JsonObject): MediaPart | undefined {
  const fallbackType = MEDIA_TYPES.get(native.type)
  const declared = native.mimeType ?? native.mime_type
  const mediaType = typeof declared === 'string' ? declared : fallbackType
  if (fallbackType !== undefined && mediaType !== undefined && isOwnMedia(native)) {
    const { data } = native
    const measures =
      data instanceof Uint8Array ? measureBytes(data, mediaType) : measureData(data, mediaType)
    return toMediaPart(measures, native)
  }
  const source = findMediaSource(native)
  if (!source) return undefined
  return toMediaPart(
    measureData(source.data, source.mediaType ?? 'application/octet-stream'),
    native,
  )
}

/**
 * Data, a URL or an id next to the type: `{ type: 'image', mimeType, data }`. Version 0 has a
 * `source_type`.
 */
function isOwnMedia({ data, url, fileId, id, source_type }: JsonObject): boolean {
  if (typeof data === 'string' || data instanceof Uint8Array || typeof url === 'string') return true
  return typeof fileId === 'string' || (source_type === 'id' && typeof id === 'string')
}

/** The parts of `content`: a string or a list of blocks. An empty string is not a part. */
export function readContent(content: unknown): (ContentPart | ReasoningPart)[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }]
  return Array.isArray(content)
    ? content.map((native) => withMentions(readBlock(native), native))
    : []
}

/** The block of a part that is not a call: the native block itself if the part is unchanged. */
export function encodeBlock(part: Part): unknown {
  if (part.type === 'text') return encodeText(part)
  if (part.type !== 'image' && part.type !== 'file')
    return part.native ?? { type: 'text', text: renderPart(part) }
  if (readMember(part.native, 'type') !== undefined && readMedia(toObject(part.native)))
    return part.native
  const source = findMediaSource(part.native)
  if (!source) return { type: 'text', text: renderPart(part) }
  const { data, isReference, mediaType = part.mediaType } = source
  // Every chat model of LangChain accepts this form.
  if (part.type === 'image') {
    return { type: 'image_url', image_url: { url: toUrl(source, mediaType) } }
  }
  if (isReference) return { type: 'file', source_type: 'url', url: data, mime_type: mediaType }
  return { type: 'file', source_type: 'base64', data, mime_type: mediaType }
}

/** `content` for parts without calls. A string if there was no list and all parts are text. */
export function encodeContent(parts: readonly Part[], original: unknown): unknown {
  const isPlain = !Array.isArray(original) && parts.every(({ type }) => type === 'text')
  return isPlain ? parts.map(renderPart).join('\n') : parts.map(encodeBlock)
}

interface NativeCall {
  readonly call: JsonObject
  readonly block?: JsonObject
}

// Open models return the first. OpenAI's Responses API returns an item with its encrypted payload.
const REASONING_FIELDS = ['reasoning_content', 'reasoning']
const CALL_BLOCKS = new Set<unknown>(['tool_use', 'tool_call', 'function_call'])

export function readAssistantParts(fields: JsonObject): AssistantMessage['parts'] {
  const calls = Array.isArray(fields.tool_calls) ? fields.tool_calls.filter(isJsonObject) : []
  const waiting = new Map<string | undefined, JsonObject[]>()
  for (const call of [...calls].reverse()) addTo(waiting, readCallId(call.id), call)
  const inBlocks = new Set<JsonObject>()
  const parts = readContent(fields.content).map((part): AssistantMessage['parts'][number] => {
    const block =
      isJsonObject(part.native) && CALL_BLOCKS.has(part.native.type) ? part.native : undefined
    // Among calls with one id, or without any, the order tells which is whose.
    const call = block && waiting.get(readCallId(block.call_id ?? block.id))?.pop()
    if (!call) return part
    inBlocks.add(call)
    return toCallPart({ call, block })
  })
  const run = readOutput(fields)
  const all = [
    ...readReasoningFields(fields.additional_kwargs),
    ...run,
    ...parts,
    ...calls.filter((call) => !inBlocks.has(call)).map((call) => toCallPart({ call })),
    ...readInvalidCalls(fields[INVALID_CALLS]),
  ]
  // What OpenAI ran is refused without the reasoning that led to it.
  return run.length === 0 ? all : all.map(needReasoning)
}

const INVALID_CALLS = 'invalid_tool_calls'

/** Calls whose input could not be read. A result may answer them, but need not. */
function readInvalidCalls(calls: unknown): OpaquePart[] {
  if (!Array.isArray(calls)) return []
  return calls.map((value) =>
    toOpaque(value, { field: INVALID_CALLS, value } satisfies NativeField, 'invalid_tool_call'),
  )
}

function toCallPart(native: NativeCall): ToolCallPart | OpaquePart {
  const { call } = native
  const callId = readCallId(call.id)
  if (callId === undefined) return toOpaque(call, native, 'tool_calls')
  const name = typeof call.name === 'string' ? call.name : ''
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
    const texts = summary
      .map((entry) => readMember(entry, 'text'))
      .filter((text) => typeof text === 'string')
    const payload = value.encrypted_content
    const signatureLength = typeof payload === 'string' ? payload.length : 0
    return [{ type: 'reasoning', text: texts.join('\n'), signatureLength, native }]
  })
}

export function encodeAssistantFields(parts: readonly Part[], fields: JsonObject): JsonObject {
  const spoken = parts.filter((part) => !isCall(part) && !isNativeField(part.native))
  const calls = parts.filter(isCall)
  const hasBlocks =
    Array.isArray(fields.content) &&
    calls.some(({ native }) => isNativeCall(native) && native.block)
  const content = hasBlocks
    ? keepSameList(
        parts.filter((part) => !isNativeField(part.native)).flatMap(encodeAny),
        fields.content,
      )
    : encodeContent(spoken.filter(isSendable), fields.content)
  const invalid = parts.flatMap(({ native }) =>
    isNativeField(native) && native.field === INVALID_CALLS ? [native.value] : [],
  )
  return {
    content,
    tool_calls: keepSameList(calls.map(encodeCall), fields.tool_calls),
    ...(fields[INVALID_CALLS] !== undefined && {
      [INVALID_CALLS]: keepSameList(invalid, fields[INVALID_CALLS]),
    }),
    ...forgetCopies(parts, fields, invalid),
  }
}

function isSendable(part: Part): boolean {
  return part.type !== 'reasoning' || isJsonObject(part.native)
}

function encodeAny(part: Part): unknown[] {
  if (!isCall(part)) return isSendable(part) ? [encodeBlock(part)] : []
  const { native } = part
  return isNativeCall(native) && native.block ? [encodeCallBlock(part, native.block)] : []
}

/** A call, or one without an id, which is carried until a repair gives it one. */
function isCall(part: Part): part is ToolCallPart | OpaquePart {
  return (
    part.type === 'tool-call' ||
    (part.type === 'opaque' && part.kind === 'tool_calls' && isNativeCall(part.native))
  )
}

function encodeCall(part: ToolCallPart | OpaquePart): JsonObject {
  const call = isNativeCall(part.native) ? part.native.call : { type: 'tool_call' }
  if (part.type === 'opaque' || isSameCall(part, call)) return call
  const isSameInput = 'args' in call && call.args === part.input
  const args = isSameInput ? part.input : toInputObject(part.input)
  return { ...call, id: encodeCallId(part.callId, call.id), name: part.name, args }
}

const isSameCall = ({ callId, name, input }: ToolCallPart, call: JsonObject): boolean =>
  readCallId(call.id) === callId && call.name === name && call.args === input

/**
 * Anthropic calls the arguments `input`, and version 1 of LangChain `args`. OpenAI calls them
 * `arguments`, as text.
 */
function encodeCallBlock(part: ToolCallPart | OpaquePart, block: JsonObject): JsonObject {
  const call = isNativeCall(part.native) ? part.native.call : {}
  if (part.type === 'opaque' || isSameCall(part, call)) return block
  const key = ['input', 'args', 'arguments'].find((name) => name in block) ?? 'args'
  const idKey = block.call_id === undefined ? 'id' : 'call_id'
  const input = toInputObject(part.input)
  return {
    ...block,
    [idKey]: encodeCallId(part.callId, block[idKey]),
    name: part.name,
    [key]: typeof block[key] === 'string' ? JSON.stringify(input) : input,
  }
}

/**
 * Removes copies that an edited answer must not keep. LangChain sends raw calls if there are no
 * others, and collects calls again from their streamed chunks.
 */
function forgetCopies(
  parts: readonly Part[],
  fields: JsonObject,
  invalid: readonly unknown[],
): JsonObject {
  const kept = new Set(parts.flatMap(({ native }) => (isNativeField(native) ? [native.field] : [])))
  const lost = REASONING_FIELDS.filter((field) => !kept.has(field))
  const carried = fields.additional_kwargs
  const metadata = fields.response_metadata
  // OpenAI refuses stored reasoning without the items it led to, and these items without their
  // reasoning.
  const isStored = isJsonObject(readMember(carried, 'reasoning'))
  const tied = isStored ? ['reasoning', '__openai_function_call_ids__'] : []
  const dropped = ['function_call', ...lost, ...tied].map((key) => [key, undefined])
  // A call that could not be read is sent as it is stored raw.
  const ids = new Set(invalid.map((call) => readMember(call, 'id')))
  const raw = readMember(carried, 'tool_calls')
  const sent = Array.isArray(raw) ? raw.filter((call) => ids.has(readMember(call, 'id'))) : []
  const { output, tool_outputs } = encodeOutput(parts, fields)
  return {
    ...(isJsonObject(carried) && {
      additional_kwargs: withMembers(carried, {
        ...Object.fromEntries(dropped),
        tool_calls: sent.length > 0 ? sent : undefined,
        tool_outputs,
      }),
    }),
    ...(isJsonObject(metadata) && {
      response_metadata: withMembers(metadata, { output }),
    }),
    ...(isStored && { id: undefined }),
    tool_call_chunks: undefined,
  }
}

function isNativeCall(native: unknown): native is NativeCall {
  return isJsonObject(native) && isJsonObject(native.call) && !('type' in native)
}
