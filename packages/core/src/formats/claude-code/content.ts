import type {
  ContentPart,
  MediaPart,
  Part,
  ReasoningPart,
  ToolCallPart,
  ToolResultPart,
} from '../../conversation/message.ts'
import { isJsonObject, type JsonObject } from '../json-object.ts'
import { toJsonText } from '../json-text.ts'
import { measureData } from '../media-data.ts'

/** The `native` of a part: the block it was parsed from, and where that block is. */
export interface NativeBlock {
  /** Line of the entry. */
  readonly record: number
  /** Position in `message.content`; undefined when the content is a string or the block lies inside a result. */
  readonly index: number | undefined
  readonly block: unknown
}

type AnyPart = ContentPart | ReasoningPart | ToolCallPart | ToolResultPart

/** The parts of `message.content`, a string or a list of blocks. */
export function parseContent(content: unknown, record: number): AnyPart[] {
  if (typeof content === 'string') {
    return [{ type: 'text', text: content, native: { record, index: undefined, block: content } satisfies NativeBlock }]
  }
  if (!Array.isArray(content)) return []
  return content.map((block: unknown, index) => parseBlock(block, { record, index, block }))
}

function parseBlock(block: unknown, native: NativeBlock): AnyPart {
  if (!isJsonObject(block)) return { type: 'opaque', kind: typeof block, text: toJsonText(block), native }
  if (block.type === 'thinking' && typeof block.thinking === 'string') {
    const signatureLength = typeof block.signature === 'string' ? block.signature.length : 0
    return { type: 'reasoning', text: block.thinking, signatureLength, native }
  }
  if (block.type === 'redacted_thinking' && typeof block.data === 'string') {
    return { type: 'reasoning', text: '', signatureLength: block.data.length, native }
  }
  if (block.type === 'tool_use' && typeof block.id === 'string' && typeof block.name === 'string') {
    return { type: 'tool-call', callId: block.id, name: block.name, input: block.input, native }
  }
  if (block.type === 'tool_result' && typeof block.tool_use_id === 'string') {
    const output = parseOutput(block.content, native.record)
    return { type: 'tool-result', callId: block.tool_use_id, output, isError: block.is_error === true, native }
  }
  return parseContentBlock(block, native)
}

function parseOutput(content: unknown, record: number): ContentPart[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  if (!Array.isArray(content)) return []
  return content.map((block: unknown) => parseContentBlock(block, { record, index: undefined, block }))
}

function parseContentBlock(block: unknown, native: NativeBlock): ContentPart {
  if (isJsonObject(block)) {
    if (block.type === 'text' && typeof block.text === 'string') return { type: 'text', text: block.text, native }
    if (block.type === 'image' || block.type === 'document') {
      const media = readMedia(block.source)
      if (media) return { type: block.type === 'image' ? 'image' : 'file', ...media, native }
    }
  }
  const kind = isJsonObject(block) && typeof block.type === 'string' ? block.type : typeof block
  return { type: 'opaque', kind, text: toJsonText(block), native }
}

function readMedia(source: unknown): Omit<MediaPart, 'type' | 'native'> | undefined {
  if (!isJsonObject(source)) return undefined
  const mediaType = typeof source.media_type === 'string' ? source.media_type : 'application/octet-stream'
  if (source.type === 'base64' && typeof source.data === 'string') {
    return measureData(source.data, mediaType)
  }
  return source.type === 'url' || source.type === 'file' ? { mediaType, bytes: 0 } : undefined
}

export function isNativeBlock(native: unknown): native is NativeBlock {
  return isJsonObject(native) && typeof native.record === 'number' && 'block' in native
}

/** The block a part is written as. Fields that a part does not model stay as its native block has them. */
export function encodePart(part: Part): unknown {
  const native = isNativeBlock(part.native) && isJsonObject(part.native.block) ? part.native.block : undefined
  switch (part.type) {
    case 'text':
      return { ...(native?.type === 'text' ? native : { type: 'text' }), text: part.text }
    case 'tool-call':
      return {
        ...(native?.type === 'tool_use' ? native : { type: 'tool_use' }),
        id: part.callId,
        name: part.name,
        input: isJsonObject(part.input) ? part.input : parseInput(part.input),
      }
    case 'tool-result': {
      const unmodelled = native?.type === 'tool_result' ? native : { type: 'tool_result' }
      const output = encodeOutput(part, native)
      const isError = part.isError || (native !== undefined && 'is_error' in native) ? { is_error: part.isError } : {}
      return { ...unmodelled, tool_use_id: part.callId, content: output, ...isError }
    }
    // A signature holds for unchanged text only, and no image or unknown block can be made from its measures.
    case 'reasoning':
    case 'image':
    case 'file':
    case 'opaque':
      return native ?? { type: 'text', text: part.type === 'reasoning' ? part.text : `[${part.type}]` }
  }
}

function encodeOutput(part: ToolResultPart, native: JsonObject | undefined): unknown {
  const [first] = part.output
  const wasList = Array.isArray(native?.content)
  if (part.output.length === 1 && first?.type === 'text' && !wasList) return first.text
  if (part.output.length === 0 && !wasList) return ''
  return part.output.map(encodePart)
}

/** Claude takes objects only; a conversation from a provider with textual input is not worth failing for. */
function parseInput(input: unknown): unknown {
  if (typeof input !== 'string') return isJsonObject(input) ? input : {}
  try {
    const value: unknown = JSON.parse(input)
    return isJsonObject(value) ? value : { input }
  } catch {
    return { input }
  }
}
