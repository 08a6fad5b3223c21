/** Content blocks of LangChain: its own of both versions, and those of providers, which it carries as they are. */
import { toJsonText } from '../../conversation/json-text.ts'
import {
  type ContentPart,
  type MediaPart,
  type Part,
  type ReasoningPart,
  renderPart,
} from '../../conversation/message.ts'
import { measureBytes, measureData } from '../content/media-data.ts'
import { findMediaSource } from '../content/media-source.ts'
import { isJsonObject, type JsonObject, readMember } from '../json/object.ts'

export function readBlock(native: unknown): ContentPart | ReasoningPart {
  if (typeof native === 'string') return { type: 'text', text: native, native }
  if (!isJsonObject(native)) return readOpaque(native)
  if (native.type === 'text' && typeof native.text === 'string') return { type: 'text', text: native.text, native }
  return readReasoning(native) ?? readMedia(native) ?? readOpaque(native)
}

function readOpaque(native: unknown): ContentPart {
  const type = readMember(native, 'type')
  return { type: 'opaque', kind: typeof type === 'string' ? type : typeof native, text: toJsonText(native), native }
}

// LangChain's own is `reasoning`; Anthropic's blocks come as they are.
function readReasoning(native: JsonObject): ReasoningPart | undefined {
  const { type, signature, data } = native
  if (type === 'redacted_thinking' && typeof data === 'string') {
    return { type: 'reasoning', text: '', signatureLength: data.length, native }
  }
  const text = type === 'reasoning' ? native.reasoning : type === 'thinking' ? native.thinking : undefined
  if (typeof text !== 'string') return undefined
  return { type: 'reasoning', text, signatureLength: typeof signature === 'string' ? signature.length : 0, native }
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
    const measures = data instanceof Uint8Array ? measureBytes(data, mediaType) : measureData(data, mediaType)
    return { type: measures.mediaType.startsWith('image/') ? 'image' : 'file', ...measures, native }
  }
  const source = findMediaSource(native)
  if (!source) return undefined
  const measures = measureData(source.data, source.mediaType ?? 'application/octet-stream')
  return { type: measures.mediaType.startsWith('image/') ? 'image' : 'file', ...measures, native }
}

/** Data, a URL or an id beside the type: `{ type: 'image', mimeType, data }`, of version 0 with a `source_type`. */
function isOwnMedia({ data, url, fileId, id, source_type }: JsonObject): boolean {
  if (typeof data === 'string' || data instanceof Uint8Array || typeof url === 'string') return true
  return typeof fileId === 'string' || (source_type === 'id' && typeof id === 'string')
}

/** The parts of `content`: a string or a list of blocks. Nothing is said by an empty string. */
export function readContent(content: unknown): (ContentPart | ReasoningPart)[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }]
  return Array.isArray(content) ? content.map(readBlock) : []
}

/** The block of a part that is no call: the native one itself when it still says the same. */
export function encodeBlock(part: Part): unknown {
  if (part.type === 'text') {
    if (readMember(part.native, 'type') !== 'text') return { type: 'text', text: part.text }
    return readMember(part.native, 'text') === part.text ? part.native : { ...toObject(part.native), text: part.text }
  }
  if (part.type !== 'image' && part.type !== 'file') return part.native ?? { type: 'text', text: renderPart(part) }
  if (readMember(part.native, 'type') !== undefined && readMedia(toObject(part.native))) return part.native
  const source = findMediaSource(part.native)
  if (!source) return { type: 'text', text: renderPart(part) }
  const { data, isReference, mediaType = part.mediaType } = source
  // What every chat model of LangChain takes.
  if (part.type === 'image') {
    return { type: 'image_url', image_url: { url: isReference ? data : `data:${mediaType};base64,${data}` } }
  }
  if (isReference) return { type: 'file', source_type: 'url', url: data, mime_type: mediaType }
  return { type: 'file', source_type: 'base64', data, mime_type: mediaType }
}

/** `content` for parts without calls: a string where no list was and text is all there is. */
export function encodeContent(parts: readonly Part[], original: unknown): unknown {
  const isPlain = !Array.isArray(original) && parts.every(({ type }) => type === 'text')
  return isPlain ? parts.map(renderPart).join('\n') : parts.map(encodeBlock)
}

function toObject(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {}
}
