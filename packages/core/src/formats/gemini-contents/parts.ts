/** Parts of a Gemini content. */

import { toJsonText } from '../../conversation/json-text.ts'
import { isSameList } from '../../conversation/lists.ts'
import {
  type ContentPart,
  type Part,
  type ReasoningPart,
  renderPart,
  type ToolCallPart,
  type ToolResultPart,
} from '../../conversation/message.ts'
import type { SessionImport } from '../shared/format.ts'
import { isJsonObject, type JsonObject, readMember, withMembers } from '../shared/json.ts'
import { measureData } from '../shared/media.ts'
import { toOpaque, withMentions } from '../shared/parts.ts'
import { createBlock } from '../shared/records.ts'
import { toInputObject } from '../shared/tool-calls.ts'

/**
 * How ids begin that precis invents. Gemini matches calls without an id to results by name and
 * order.
 */
const INVENTED_ID = 'gemini call '

/**
 * Reads the parts of one conversation in order, so that a response without an id finds its call.
 */
export function createPartReader(): (native: unknown) => Part {
  const open = new Map<string, Set<string>>()
  const names = new Map<string, string>()
  let invented = 0
  const inventId = () => `${INVENTED_ID}${invented++}`
  const readCall = (native: unknown, call: JsonObject, name: string): ToolCallPart => {
    const callId = typeof call.id === 'string' ? call.id : inventId()
    names.set(callId, name)
    open.set(name, (open.get(name) ?? new Set()).add(callId))
    return {
      type: 'tool-call',
      callId,
      name,
      input: call.args ?? {},
      signatureLength: readSignature(native),
      native,
    }
  }
  /** By its id, or else by name and order: one of the two may lack the id that the other has. */
  const findCall = ({ id }: JsonObject, name: string): string => {
    const hasId = typeof id === 'string'
    const waiting = open.get(name) ?? new Set()
    if (hasId && names.has(id)) {
      waiting.delete(id)
      return id
    }
    for (const callId of waiting) {
      if (hasId && !callId.startsWith(INVENTED_ID)) continue
      waiting.delete(callId)
      return callId
    }
    return hasId ? id : inventId()
  }
  const readResponse = (native: unknown, response: JsonObject, name: string): ToolResultPart => {
    const callId = findCall(response, name)
    return {
      type: 'tool-result',
      callId,
      name: name === '' ? names.get(callId) : name,
      output: readOutput(response),
      isError: readMember(response.response, 'error') !== undefined,
      native,
    }
  }
  return (native) => {
    const call = readEither(native, 'functionCall', 'function_call')
    if (isJsonObject(call) && typeof call.name === 'string')
      return readCall(native, call, call.name)
    const response = readEither(native, 'functionResponse', 'function_response')
    if (isJsonObject(response)) {
      return readResponse(native, response, typeof response.name === 'string' ? response.name : '')
    }
    return withMentions(readContent(native), native)
  }
}

function readContent(native: unknown): ContentPart | ReasoningPart {
  const text = readMember(native, 'text')
  const signature = readSignature(native)
  if (typeof text === 'string') {
    const isThought = readMember(native, 'thought') === true
    // Gemini ends a streamed answer with an empty text that only carries the signature.
    const isBareSignature = text === '' && signature > 0
    if (isThought || isBareSignature)
      return { type: 'reasoning', text, signatureLength: signature, native }
    return { type: 'text', text, native }
  }
  const inline = readEither(native, 'inlineData', 'inline_data')
  const file = readEither(native, 'fileData', 'file_data')
  if (isJsonObject(inline) || isJsonObject(file)) {
    const declared = readEither(inline ?? file, 'mimeType', 'mime_type')
    const mediaType = typeof declared === 'string' ? declared : 'application/octet-stream'
    const type = mediaType.startsWith('image/') ? 'image' : 'file'
    return { type, ...measureData(readMember(inline, 'data'), mediaType), native }
  }
  const kind = isJsonObject(native) ? (Object.keys(native)[0] ?? 'part') : typeof native
  return toOpaque(native, native, kind)
}

function readSignature(native: unknown): number {
  const signature = readEither(native, 'thoughtSignature', 'thought_signature')
  return typeof signature === 'string' ? signature.length : 0
}

const OUTPUT_KEYS = ['output', 'result', 'content', 'error']

function readOutput(functionResponse: JsonObject): ContentPart[] {
  const { response, parts } = functionResponse
  const key = findOutputKey(response)
  const text = key === undefined ? toJsonText(response ?? {}) : String(readMember(response, key))
  const media = Array.isArray(parts)
    ? parts.map((part): ContentPart => toContent(readContent(part)))
    : []
  return [{ type: 'text', text }, ...media]
}

function toContent(part: ContentPart | ReasoningPart): ContentPart {
  return part.type === 'reasoning' ? { type: 'text', text: part.text, native: part.native } : part
}

/** The only member of a response, if it is a text under one of the usual names. */
function findOutputKey(response: unknown): string | undefined {
  const keys = isJsonObject(response) ? Object.keys(response) : []
  return keys.length === 1
    ? OUTPUT_KEYS.find((key) => key === keys[0] && typeof readMember(response, key) === 'string')
    : undefined
}

/** Media of other formats, for agents that store items of this API. */
export const importMedia: SessionImport['encodeMedia'] = (
  part,
  { data, isReference, mediaType = part.mediaType },
) =>
  createBlock(
    isReference
      ? { fileData: { mimeType: mediaType, fileUri: data } }
      : { inlineData: { mimeType: mediaType, data } },
  )

/** The native part itself if the part is unchanged. Undefined for reasoning of another provider. */
export function encodePart(part: Part): unknown {
  const native = isJsonObject(part.native) ? part.native : undefined
  switch (part.type) {
    case 'text':
      if (native === undefined || typeof native.text !== 'string') return { text: part.text }
      // A signature is valid only for unchanged text.
      return native.text === part.text
        ? native
        : withMembers(native, {
            text: part.text,
            thoughtSignature: undefined,
            thought_signature: undefined,
          })
    case 'reasoning':
      return native && typeof native.text === 'string' ? native : undefined
    case 'tool-call':
      return encodeCall(part, native ?? {})
    case 'tool-result':
      return encodeResponse(part, native ?? {})
    case 'image':
    case 'file':
    case 'opaque':
      return part.native ?? { text: renderPart(part) }
  }
}

function encodeCall(part: ToolCallPart, native: JsonObject): JsonObject {
  const key = native.function_call === undefined ? 'functionCall' : 'function_call'
  const call = isJsonObject(native[key]) ? native[key] : {}
  const isSame = call.name === part.name && (call.args === part.input || call.args === undefined)
  if (isSame && hasId(call, part.callId)) return native
  return {
    ...native,
    [key]: { ...call, ...encodeId(part.callId), name: part.name, args: toInputObject(part.input) },
  }
}

function encodeResponse(part: ToolResultPart, native: JsonObject): JsonObject {
  const key = native.function_response === undefined ? 'functionResponse' : 'function_response'
  const before = isJsonObject(native[key]) ? native[key] : {}
  const [first, ...rest] = part.output
  const text = first?.type === 'text' ? first.text : ''
  const media = (first?.type === 'text' ? rest : part.output).map(encodePart)
  const known = readOutput(before)[0]
  const isSameText =
    Object.hasOwn(before, 'response') && known?.type === 'text' && known.text === text
  const oldMedia = Array.isArray(before.parts) ? before.parts : []
  const isSameMedia = isSameList(media, oldMedia)
  if (isSameText && isSameMedia && hasId(before, part.callId)) return native
  const outputKey = findOutputKey(before.response) ?? (part.isError ? 'error' : 'output')
  const response = isSameText ? before.response : { [outputKey]: text }
  const members = {
    ...encodeId(part.callId),
    name: part.name ?? before.name ?? 'unknown',
    response,
  }
  const parts = isSameMedia ? {} : { parts: media.length > 0 ? media : undefined }
  return { ...native, [key]: withMembers(before, { ...members, ...parts }) }
}

function hasId(native: JsonObject, callId: string): boolean {
  return native.id === callId || (native.id === undefined && callId.startsWith(INVENTED_ID))
}

function encodeId(callId: string): JsonObject {
  return callId.startsWith(INVENTED_ID) ? {} : { id: callId }
}

function readEither(value: unknown, camelCase: string, snakeCase: string): unknown {
  return readMember(value, camelCase) ?? readMember(value, snakeCase)
}
