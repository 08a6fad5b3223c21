/** Results of tools, and the media in them. */

import { toJsonText } from '../../conversation/json-text.ts'
import {
  type ContentPart,
  type MediaPart,
  renderPart,
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
import { findMediaSource, measureBytes, measureData, toMediaPart } from '../shared/media.ts'
import { encodeText, toOpaque } from '../shared/parts.ts'

export function readResult(native: unknown, callId: string): ToolResultPart {
  const output = readMember(native, 'output')
  return {
    type: 'tool-result',
    callId,
    name: readString(native, 'toolName'),
    output: readOutput(output),
    isError: isFailure(output),
    native,
  }
}

function isFailure(output: unknown): boolean {
  const type = readMember(output, 'type')
  return type === 'error-text' || type === 'error-json' || type === 'execution-denied'
}

function readOutput(output: unknown): ContentPart[] {
  const value = readMember(output, 'value')
  switch (readMember(output, 'type')) {
    case 'text':
    case 'error-text':
      return [{ type: 'text', text: typeof value === 'string' ? value : toJsonText(value) }]
    case 'json':
    case 'error-json':
      return [{ type: 'text', text: toJsonText(value) }]
    case 'execution-denied': {
      const reason = readMember(output, 'reason')
      // The SDK sends these words in the same case.
      return [
        { type: 'text', text: typeof reason === 'string' ? reason : 'Tool execution denied.' },
      ]
    }
    case 'content':
      return Array.isArray(value) ? value.map(readItem) : []
    default:
      return [{ type: 'opaque', kind: 'output', text: toJsonText(output), native: output }]
  }
}

function readItem(native: unknown): ContentPart {
  const type = readMember(native, 'type')
  const text = readMember(native, 'text')
  if (type === 'text' && typeof text === 'string') return { type, text, native }
  return readOutputMedia(native) ?? toOpaque(native)
}

/** The native part itself if the part is unchanged. */
export function encodeResult(part: ToolResultPart, native: JsonObject | undefined): JsonObject {
  const own =
    native?.type === 'tool-result' && typeof native.toolCallId === 'string' ? native : undefined
  const before = own?.output
  const isSame =
    own !== undefined && part.isError === isFailure(before) && isSameOutput(part.output, before)
  const output = isSame ? before : writeOutput(part, before)
  if (own && output === before && own.toolCallId === part.callId) return own
  const toolName = part.name ?? own?.toolName ?? 'unknown'
  return { ...(own ?? { type: 'tool-result' }), toolCallId: part.callId, toolName, output }
}

function isSameOutput(output: readonly ContentPart[], before: unknown): boolean {
  const read = readOutput(before)
  return (
    read.length === output.length &&
    read.every((part, index) => {
      const now = output[index]
      return (
        now?.type === part.type &&
        now.native === part.native &&
        renderPart(now) === renderPart(part)
      )
    })
  )
}

function writeOutput({ output, isError }: ToolResultPart, before: unknown): unknown {
  const kind = readMember(before, 'type')
  const options = toObject(before)
  const isPlain = output.every((part) => part.type === 'text')
  if (isPlain && kind !== 'content') {
    const value = output.map(renderPart).join('\n')
    return {
      ...withMembers(options, { reason: undefined }),
      type: isError ? 'error-text' : 'text',
      value,
    }
  }
  const [only, ...others] = output
  if (only?.type === 'opaque' && only.kind === 'output' && others.length === 0) return only.native
  const value = keepSameList(output.map(writeItem), readMember(before, 'value'))
  return { ...withMembers(options, { reason: undefined }), type: 'content', value }
}

function writeItem(part: ContentPart): unknown {
  if (part.type === 'text') return encodeText(part)
  const item = part.type === 'opaque' ? part.native : encodeOutputMedia(part)
  return item ?? { type: 'text', text: renderPart(part) }
}

// The types of items with data in a tool's output. AI SDK 5 has `media`, and 7 has `file`.
const DATA_ITEMS = new Set(['media', 'file', 'image-data', 'file-data'])

const REFERENCE_ITEMS = new Set([
  'image-url',
  'file-url',
  'image-file-id',
  'file-id',
  'image-file-reference',
])

/** The part of an image or a file in the output of a tool. Undefined for anything else. */
function readOutputMedia(native: unknown): MediaPart | undefined {
  const type = readMember(native, 'type')
  if (typeof type !== 'string') return undefined
  const fallbackType = type.startsWith('image') ? 'image/*' : UNKNOWN_TYPE
  if (DATA_ITEMS.has(type)) return measureMedia(native, readMember(native, 'data'), fallbackType)
  return REFERENCE_ITEMS.has(type) ? measureMedia(native, undefined, fallbackType) : undefined
}

export function measureMedia(native: unknown, data: unknown, fallbackType: string): MediaPart {
  const declared = readMember(native, 'mediaType')
  const given = typeof declared === 'string' ? declared : fallbackType
  const plain = readTagged(data)
  const measures =
    plain instanceof Uint8Array ? measureBytes(plain, given) : measureData(plain, given)
  return toMediaPart(measures, native)
}

/**
 * AI SDK 7 names the kind of data: `{ type: 'data', data }`, `{ type: 'url', url }`,
 * `{ type: 'text', text }`.
 */
function readTagged(data: unknown): unknown {
  if (data instanceof ArrayBuffer) return new Uint8Array(data)
  if (!isJsonObject(data) || data instanceof Uint8Array) return data
  return data.type === 'data' ? data.data : undefined
}

function encodeOutputMedia(part: MediaPart): JsonObject | undefined {
  if (isJsonObject(part.native) && readOutputMedia(part.native)) return part.native
  const source = findMediaSource(part.native)
  if (!source) return undefined
  const { data, isReference, mediaType = part.mediaType } = source
  if (!isReference) return { type: `${part.type}-data`, data, mediaType }
  return part.type === 'image'
    ? { type: 'image-url', url: data }
    : { type: 'file-url', url: data, mediaType }
}

export const UNKNOWN_TYPE = 'application/octet-stream'
