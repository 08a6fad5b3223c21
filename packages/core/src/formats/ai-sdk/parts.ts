import {
  type MediaPart,
  type OpaquePart,
  type Part,
  type ReasoningPart,
  renderPart,
  type ToolCallPart,
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
import { findMediaSource } from '../shared/media.ts'
import { toOpaque, withMentions } from '../shared/parts.ts'
import { toInputObject } from '../shared/tool-calls.ts'
import { encodeResult, measureMedia, readResult, UNKNOWN_TYPE } from './tool-result.ts'

/**
 * Reads the parts of one conversation in order. What the provider ran itself is carried, not
 * understood.
 */
export function createPartReader(): (native: unknown) => Part {
  const runByProvider = new Set<string>()
  return (native) => {
    const callId = readMember(native, 'toolCallId')
    const type = readMember(native, 'type')
    if (type === 'tool-call' && typeof callId === 'string') {
      if (readMember(native, 'providerExecuted') === true) runByProvider.add(callId)
      else return readCall(native, callId)
    }
    if (type === 'tool-result' && typeof callId === 'string' && !runByProvider.has(callId)) {
      return readResult(native, callId)
    }
    return withMentions(readOther(native, type), native)
  }
}

function readCall(native: unknown, callId: string): ToolCallPart {
  const name = readString(native, 'toolName') ?? ''
  return { type: 'tool-call', callId, name, input: readMember(native, 'input'), native }
}

function readOther(native: unknown, type: unknown): Part {
  const compaction = readCompaction(native)
  if (compaction) return compaction
  const text = readMember(native, 'text')
  if (type === 'text' && typeof text === 'string') return { type, text, native }
  if (type === 'reasoning' && typeof text === 'string') {
    return { type, text, signatureLength: countSignature(native), native }
  }
  return readMedia(native) ?? toOpaque(native)
}

/**
 * A provider's compaction: a text of Anthropic with that type among its options, or a `custom` part
 * of OpenAI with an encrypted item (sources of @ai-sdk/anthropic and @ai-sdk/openai).
 */
function readCompaction(native: unknown): OpaquePart | undefined {
  const options = Object.values(readOptions(native)).find(
    (one) => readMember(one, 'type') === 'compaction',
  )
  if (!options) return undefined
  const content = readString(native, 'text')
  const block =
    content === undefined
      ? { encrypted_content: readMember(options, 'encryptedContent') }
      : { content }
  return toOpaque({ type: 'compaction', ...block }, native)
}

export function readParts(content: unknown, readPart: (native: unknown) => Part): Part[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return Array.isArray(content) ? content.map(readPart) : []
}

/** `content` of a system message, which is one text. Undefined if nothing is left. */
export function joinTexts(parts: readonly Part[]): string | undefined {
  return parts.length === 0 ? undefined : parts.map(renderPart).join('\n')
}

/**
 * A string if there was a string and all parts are text, else a list, which prompts require.
 * Undefined if nothing is left.
 */
export function encodeContent(parts: readonly Part[], original: unknown): unknown {
  if (
    typeof original === 'string' &&
    parts.length > 0 &&
    parts.every(({ type }) => type === 'text')
  ) {
    return joinTexts(parts)
  }
  const encoded = parts.flatMap((part) => encodePart(part) ?? [])
  if (keepSameList(encoded, original) === original) return original
  const left = withoutLooseReasoning(
    Array.isArray(original) && original.some(isStoredReasoning),
    encoded,
  )
  return left.length === 0 ? undefined : left
}

/**
 * OpenAI refuses stored reasoning without the items it led to, and these items without their
 * reasoning. If a message changed, its reasoning is removed, and with it the ids that tie the rest
 * to it. No provider accepts reasoning without anything after it.
 */
function withoutLooseReasoning(isStored: boolean, content: readonly unknown[]): unknown[] {
  const kept = isStored
    ? content.filter((part) => !isStoredReasoning(part)).map(withoutItemIds)
    : [...content]
  const end = kept.findLastIndex((part) => readMember(part, 'type') !== 'reasoning')
  return kept.slice(0, end + 1)
}

function isStoredReasoning(part: unknown): boolean {
  return readMember(part, 'type') === 'reasoning' && hasItemId(part)
}

/**
 * The native part itself if the part is unchanged. Undefined for reasoning that no other provider
 * accepts.
 */
function encodePart(part: Part): unknown {
  const native = isJsonObject(part.native) ? part.native : undefined
  switch (part.type) {
    case 'text':
      if (native?.type !== 'text') return { type: 'text', text: part.text }
      return native.text === part.text ? native : { ...withoutTies(native), text: part.text }
    case 'reasoning':
      return encodeReasoning(part, native)
    case 'tool-call':
      return encodeCall(part, native)
    case 'tool-result':
      return encodeResult(part, native)
    case 'image':
    case 'file':
      return encodeMedia(part) ?? { type: 'text', text: renderPart(part) }
    case 'opaque':
      return part.native ?? { type: 'text', text: part.text }
  }
}

function encodeReasoning(part: ReasoningPart, native: JsonObject | undefined): unknown {
  if (native?.type !== 'reasoning' || typeof native.text !== 'string') {
    // A signature is valid only in the format of its own provider.
    return part.signatureLength > 0 || part.text === ''
      ? undefined
      : { type: 'reasoning', text: part.text }
  }
  return native.text === part.text ? native : { type: 'reasoning', text: part.text }
}

function encodeCall(part: ToolCallPart, native: JsonObject | undefined): JsonObject {
  if (native?.type !== 'tool-call' || typeof native.toolCallId !== 'string') {
    return {
      type: 'tool-call',
      toolCallId: part.callId,
      toolName: part.name,
      input: toInputObject(part.input),
    }
  }
  const isSame = native.toolCallId === part.callId && (native.toolName ?? '') === part.name
  if (isSame && native.input === part.input) return native
  const input = native.input === part.input ? part.input : toInputObject(part.input)
  return {
    ...toObject(withoutItemIds(native)),
    toolCallId: part.callId,
    toolName: part.name,
    input,
  }
}

// Members of `providerOptions`. Anthropic and Bedrock sign; OpenAI and xAI encrypt; Google signs
// parts of any kind.
const SIGNATURES = ['signature', 'redactedData', 'reasoningEncryptedContent', 'thoughtSignature']

/** Characters of all signatures and encrypted payloads of a part. */
export function countSignature(native: unknown): number {
  let length = 0
  for (const options of Object.values(readOptions(native))) {
    for (const key of SIGNATURES) {
      const value = readMember(options, key)
      if (typeof value === 'string') length += value.length
    }
  }
  return length
}

function hasItemId(native: unknown): boolean {
  return Object.values(readOptions(native)).some(
    (options) => readMember(options, 'itemId') !== undefined,
  )
}

/**
 * If a stored item has an id, OpenAI gets the id instead of the content, so an edit would have no
 * effect.
 */
function withoutItemIds(native: unknown): unknown {
  // OpenAI finds a compaction only by its id.
  if (!isJsonObject(native) || readCompaction(native)) return native
  return withoutOptions(native, ['itemId'])
}

function withoutTies(native: JsonObject): JsonObject {
  return withoutOptions(native, ['itemId', 'thoughtSignature'])
}

function withoutOptions(native: JsonObject, keys: readonly string[]): JsonObject {
  const options = Object.entries(readOptions(native))
  if (!options.some(([, value]) => keys.some((key) => readMember(value, key) !== undefined)))
    return native
  const dropped = Object.fromEntries(keys.map((key) => [key, undefined]))
  const left = options.map(([name, value]) => [
    name,
    isJsonObject(value) ? withMembers(value, dropped) : value,
  ])
  return { ...native, providerOptions: Object.fromEntries(left) }
}

function readOptions(native: unknown): JsonObject {
  return toObject(readMember(native, 'providerOptions'))
}

/** The part of an image or a file of a message. Undefined for anything else. */
function readMedia(native: unknown): MediaPart | undefined {
  const type = readMember(native, 'type')
  const data = readMember(native, type === 'image' ? 'image' : 'data')
  if ((type !== 'image' && type !== 'file') || data === undefined) return undefined
  return measureMedia(native, data, type === 'image' ? 'image/*' : UNKNOWN_TYPE)
}

/**
 * The part of a message. An image of another format becomes a `file`, because prompts contain
 * images too.
 */
function encodeMedia(part: MediaPart): unknown {
  if (readMedia(part.native)) return part.native
  const source = findMediaSource(part.native)
  if (!source) return undefined
  const { data, mediaType = part.mediaType, filename } = source
  return { type: 'file', data, mediaType, ...(filename !== undefined && { filename }) }
}
