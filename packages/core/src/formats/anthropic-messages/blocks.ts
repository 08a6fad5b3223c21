/** Content blocks of the Anthropic API to parts and back; session formats of Claude clients store the same blocks. */
import { toJsonText } from '../../conversation/json-text.ts'
import { type ContentPart, type Part, renderPart, type ToolResultPart } from '../../conversation/message.ts'
import { measureData } from '../content/media-data.ts'
import { toInputObject } from '../content/tool-input.ts'
import { isJsonObject, type JsonObject } from '../json/object.ts'
import { keepSameList } from '../json/same-list.ts'

/** What `native` of a part shall be; `index` is undefined for a block inside a tool result. */
export type LocateBlock = (block: unknown, index: number | undefined) => unknown
/** The block inside what `LocateBlock` gave. */
export type FindBlock = (native: unknown) => unknown

const itself = (block: unknown) => block

/** The parts of `content`, a string or a list of blocks. */
export function parseBlocks(content: unknown, locate: LocateBlock = itself): Part[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  if (!Array.isArray(content)) return []
  return content.map((block: unknown, index) => parseBlock(block, locate(block, index), locate))
}

function parseBlock(block: unknown, native: unknown, locate: LocateBlock): Part {
  if (!isJsonObject(block)) return parseContentBlock(block, native)
  switch (block.type) {
    case 'thinking': {
      if (typeof block.thinking !== 'string') break
      const signatureLength = typeof block.signature === 'string' ? block.signature.length : 0
      return { type: 'reasoning', text: block.thinking, signatureLength, native }
    }
    case 'redacted_thinking':
      if (typeof block.data !== 'string') break
      return { type: 'reasoning', text: '', signatureLength: block.data.length, native }
    case 'tool_use':
      if (typeof block.id !== 'string' || typeof block.name !== 'string') break
      return { type: 'tool-call', callId: block.id, name: block.name, input: block.input, native }
    case 'tool_result': {
      if (typeof block.tool_use_id !== 'string') break
      const output = parseOutput(block.content, locate)
      return { type: 'tool-result', callId: block.tool_use_id, output, isError: block.is_error === true, native }
    }
  }
  return parseContentBlock(block, native)
}

function parseOutput(content: unknown, locate: LocateBlock): ContentPart[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  if (!Array.isArray(content)) return []
  return content.map((block: unknown) => parseContentBlock(block, locate(block, undefined)))
}

function parseContentBlock(block: unknown, native: unknown): ContentPart {
  if (isJsonObject(block)) {
    if (block.type === 'text' && typeof block.text === 'string') return { type: 'text', text: block.text, native }
    if (block.type === 'image' || block.type === 'document') {
      const measures = measureSource(block.source)
      if (measures) return { type: block.type === 'image' ? 'image' : 'file', ...measures, native }
    }
  }
  const kind = isJsonObject(block) && typeof block.type === 'string' ? block.type : typeof block
  return { type: 'opaque', kind, text: toJsonText(block), native }
}

/** Undefined for a source that carries its words in the clear: such a document counts as what it says. */
function measureSource(source: unknown): ReturnType<typeof measureData> | undefined {
  if (!isJsonObject(source)) return undefined
  const mediaType = typeof source.media_type === 'string' ? source.media_type : 'application/octet-stream'
  if (source.type === 'base64' && typeof source.data === 'string') return measureData(source.data, mediaType)
  return source.type === 'url' || source.type === 'file' ? { mediaType, bytes: 0 } : undefined
}

/**
 * The block of a part: the native one itself when it still says the same, else with the changed fields. Undefined for
 * reasoning of another provider, which Anthropic refuses.
 */
export function encodePart(part: Part, findBlock: FindBlock = itself): unknown {
  const block = findBlock(part.native)
  const native = isJsonObject(block) ? block : undefined
  switch (part.type) {
    case 'text':
      return withFields(native, 'text', { text: part.text })
    case 'tool-call':
      return withFields(native, 'tool_use', {
        id: part.callId,
        name: part.name,
        input: encodeInput(part.input, native),
      })
    case 'tool-result':
      return encodeResult(part, native, findBlock)
    case 'reasoning':
      // A signature holds for unchanged text only.
      return native?.type === 'thinking' || native?.type === 'redacted_thinking' ? native : undefined
    case 'image':
    case 'file':
    case 'opaque':
      return block === undefined ? { type: 'text', text: renderPart(part) } : block
  }
}

function withFields(native: JsonObject | undefined, type: string, fields: JsonObject): JsonObject {
  if (native?.type !== type) return { type, ...fields }
  return Object.keys(fields).every((key) => Object.is(native[key], fields[key])) ? native : { ...native, ...fields }
}

function encodeResult(part: ToolResultPart, native: JsonObject | undefined, findBlock: FindBlock): JsonObject {
  const content = encodeOutput(part, native?.content, findBlock)
  const isMarked = native !== undefined && 'is_error' in native && native.is_error === part.isError
  const mark = isMarked || !part.isError === (native?.is_error !== true) ? {} : { is_error: part.isError }
  return withFields(native, 'tool_result', { tool_use_id: part.callId, content, ...mark })
}

/** A string where a string or nothing was and one text is all there is; the very same value when nothing changed. */
function encodeOutput(part: ToolResultPart, original: unknown, findBlock: FindBlock): unknown {
  const [first] = part.output
  if (Array.isArray(original)) {
    return keepSameList(
      part.output.map((content) => encodePart(content, findBlock)),
      original,
    )
  }
  if (part.output.length === 0) return typeof original === 'string' ? '' : original
  if (part.output.length === 1 && first?.type === 'text') return first.text
  return part.output.map((content) => encodePart(content, findBlock))
}

function encodeInput(input: unknown, native: JsonObject | undefined): unknown {
  return native && Object.is(input, native.input) ? input : toInputObject(input)
}
