/** Images and files of the AI SDK, and those of other formats in its shape. */
import type { MediaPart } from '../../conversation/message.ts'
import { measureBytes, measureData } from '../content/media-data.ts'
import { findMediaSource } from '../content/media-source.ts'
import { isJsonObject, type JsonObject, readMember } from '../json/object.ts'

const UNKNOWN_TYPE = 'application/octet-stream'

/** The part of an image or a file of a message; undefined for what is neither. */
export function readMedia(native: unknown): MediaPart | undefined {
  const type = readMember(native, 'type')
  const data = readMember(native, type === 'image' ? 'image' : 'data')
  if ((type !== 'image' && type !== 'file') || data === undefined) return undefined
  return measure(native, data, type === 'image' ? 'image/*' : UNKNOWN_TYPE)
}

// How items of a tool's output name what they hold; AI SDK 5 says `media`, 7 `file`.
const DATA_ITEMS = new Set(['media', 'file', 'image-data', 'file-data'])
const REFERENCE_ITEMS = new Set(['image-url', 'file-url', 'image-file-id', 'file-id', 'image-file-reference'])

/** The part of an image or a file in the output of a tool; undefined for what is neither. */
export function readOutputMedia(native: unknown): MediaPart | undefined {
  const type = readMember(native, 'type')
  if (typeof type !== 'string') return undefined
  const fallbackType = type.startsWith('image') ? 'image/*' : UNKNOWN_TYPE
  if (DATA_ITEMS.has(type)) return measure(native, readMember(native, 'data'), fallbackType)
  return REFERENCE_ITEMS.has(type) ? measure(native, undefined, fallbackType) : undefined
}

function measure(native: unknown, data: unknown, fallbackType: string): MediaPart {
  const declared = readMember(native, 'mediaType')
  const given = typeof declared === 'string' ? declared : fallbackType
  const plain = readTagged(data)
  const measures = plain instanceof Uint8Array ? measureBytes(plain, given) : measureData(plain, given)
  return { type: measures.mediaType.startsWith('image/') ? 'image' : 'file', ...measures, native }
}

/** AI SDK 7 says what it holds: `{ type: 'data', data }`, `{ type: 'url', url }`, `{ type: 'text', text }`. */
function readTagged(data: unknown): unknown {
  if (data instanceof ArrayBuffer) return new Uint8Array(data)
  if (!isJsonObject(data) || data instanceof Uint8Array) return data
  return data.type === 'data' ? data.data : undefined
}

/** The part of a message. An image of another format becomes a `file`, as prompts have images too. */
export function encodeMedia(part: MediaPart): unknown {
  if (readMedia(part.native)) return part.native
  const source = findMediaSource(part.native)
  if (!source) return undefined
  const { data, mediaType = part.mediaType, filename } = source
  return { type: 'file', data, mediaType, ...(filename !== undefined && { filename }) }
}

/** The item of a tool's output. */
export function encodeOutputMedia(part: MediaPart): JsonObject | undefined {
  if (isJsonObject(part.native) && readOutputMedia(part.native)) return part.native
  const source = findMediaSource(part.native)
  if (!source) return undefined
  const { data, isReference, mediaType = part.mediaType } = source
  if (!isReference) return { type: `${part.type}-data`, data, mediaType }
  return part.type === 'image' ? { type: 'image-url', url: data } : { type: 'file-url', url: data, mediaType }
}
