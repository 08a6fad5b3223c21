import { toJsonText } from '../../conversation/json-text.ts'
import {
  type ContentPart,
  type Message,
  type Part,
  renderPart,
  type ToolResultPart,
} from '../../conversation/message.ts'
import { readTies } from '../../conversation/read-ties.ts'
import type { Format } from '../shared/format.ts'
import {
  isJsonObject,
  type JsonObject,
  keepSameList,
  readMember,
  readString,
} from '../shared/json.ts'
import { measureData } from '../shared/media.ts'
import { createMessageFormat, readRole, refuseForeign } from '../shared/message-format.ts'
import {
  createAnswer,
  createSystem,
  joinUserParts,
  nameResult,
  splitUserParts,
  toContentPart,
  toOpaque,
  withMentions,
} from '../shared/parts.ts'
import { hasRoles, type Preview } from '../shared/preview.ts'
import { toInputObject } from '../shared/tool-calls.ts'

/** Request bodies of Anthropic's `POST /v1/messages`. */
export const anthropicMessages: Format<'messages'> = createMessageFormat({
  name: 'anthropic-messages',
  protocol: 'anthropic-messages',
  listKeys: ['messages'],
  systemKeys: ['system'],
  toolKeys: ['tools'],
  joinsResults: true,
  judge,
  createReader() {
    const callNames = new Map<string, string>()
    return {
      readSystem: (native) => parseBlocks(native).map(toContentPart),
      readRecord: (record, index) => readRecord(record, index, callNames),
    }
  },
  readTool: (tool) => [toJsonText(tool)],
  encodeSystem: encodeContent,
  encodeRecord,
})

const BLOCK_TYPES =
  /^(?:thinking|redacted_thinking|document|search_result|container_upload|(?:[a-z_]+_)?tool_(?:use|result))$/

function judge(preview: Preview): number {
  const { keys, body, elements } = preview
  if (!hasRoles(preview, ['user', 'assistant', 'system'])) return 0
  if (
    elements.some(
      (element) => 'tool_calls' in element || 'tool_call_id' in element || 'parts' in element,
    )
  )
    return 0
  const blocks = elements.flatMap(({ content }) => (Array.isArray(content) ? content : []))
  if (blocks.some((block) => BLOCK_TYPES.test(readString(block, 'type') ?? ''))) return 0.95
  if (
    blocks.some(
      (block) => readMember(block, 'type') === 'image' && isJsonObject(readMember(block, 'source')),
    )
  )
    return 0.9
  const { tools, model } = body
  if (Array.isArray(tools) && tools.some((tool) => readMember(tool, 'input_schema') !== undefined))
    return 0.95
  if (keys.has('system') || keys.has('anthropic_version')) return 0.9
  if (elements.some((element) => element.role === 'system')) return 0.2
  if (typeof model === 'string' && model.includes('claude')) return 0.8
  // A list of plain texts is the same in both APIs. It is read as the more common API.
  return elements.length > 0 ? 0.4 : 0
}

function readRecord(record: unknown, index: number, callNames: Map<string, string>): Message[] {
  const role = readRole(record, index, 'anthropic-messages', ['user', 'assistant', 'system'])
  refuseForeign(record, index, 'anthropic-messages')
  const parts = parseBlocks(readMember(record, 'content'))
  const records = [index]
  if (role === 'system') return [{ ...createSystem(parts, records), isListed: true }]
  if (role === 'assistant') {
    for (const part of parts) if (part.type === 'tool-call') callNames.set(part.callId, part.name)
    return [createAnswer(parts, records)]
  }
  const named = parts.map((part) =>
    part.type === 'tool-result' ? nameResult(part, callNames) : part,
  )
  return splitUserParts(named, records)
}

function encodeRecord(messages: readonly Message[], record: unknown): JsonObject[] {
  const [first] = messages
  if (!first) return []
  const content = encodeContent(joinUserParts(messages), readMember(record, 'content'))
  if (content === undefined) return []
  const role = first.role === 'tool' ? 'user' : first.role
  return [isJsonObject(record) ? { ...record, role, content } : { role, content }]
}

/** A string if there is only one text and there was no list. Undefined if nothing is left. */
function encodeContent(parts: readonly Part[], original: unknown): unknown {
  const [first] = parts
  const isPlain = first?.type === 'text' && first.native === undefined && !Array.isArray(original)
  if (parts.length === 1 && isPlain) return first.text
  const blocks = parts.flatMap((part) => encodePart(part) ?? [])
  return blocks.length === 0 ? undefined : blocks
}

/** Returns the `native` of a part. `index` is undefined for a block inside a tool result. */
export type LocateBlock = (block: unknown, index: number | undefined) => unknown
export type FindBlock = (native: unknown) => unknown

const itself = (block: unknown) => block

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
    case 'tool_use': {
      const { id, name, input } = block
      if (typeof id !== 'string' || typeof name !== 'string') break
      return { type: 'tool-call', callId: id, name, input, native, ...readTies(block, id) }
    }
    case 'tool_result': {
      const { tool_use_id: callId } = block
      if (typeof callId !== 'string') break
      const output = parseOutput(block.content, locate)
      return {
        type: 'tool-result',
        callId,
        output,
        isError: block.is_error === true,
        native,
        ...readTies(block, callId),
      }
    }
  }
  return parseContentBlock(block, native)
}

function parseOutput(content: unknown, locate: LocateBlock): ContentPart[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  // Agents also store one block, or the result of a tool as it is.
  return [content ?? []]
    .flat()
    .map((block: unknown) => parseContentBlock(block, locate(block, undefined)))
}

function parseContentBlock(block: unknown, native: unknown): ContentPart {
  return withMentions(parseKnownBlock(block, native) ?? toOpaque(block, native), block)
}

function parseKnownBlock(block: unknown, native: unknown): ContentPart | undefined {
  if (isJsonObject(block)) {
    if (block.type === 'text' && typeof block.text === 'string')
      return { type: 'text', text: block.text, native }
    if (block.type === 'image' || block.type === 'document') {
      const measures = measureSource(block.source)
      if (measures) return { type: block.type === 'image' ? 'image' : 'file', ...measures, native }
    }
  }
  return undefined
}

/** Undefined for a document in plain text, because its tokens are counted from its text. */
function measureSource(source: unknown): ReturnType<typeof measureData> | undefined {
  if (!isJsonObject(source)) return undefined
  const mediaType =
    typeof source.media_type === 'string' ? source.media_type : 'application/octet-stream'
  if (source.type === 'base64' && typeof source.data === 'string')
    return measureData(source.data, mediaType)
  return source.type === 'url' || source.type === 'file' ? { mediaType, bytes: 0 } : undefined
}

/**
 * The block of a part: the native block if the part is unchanged, else with the changed fields.
 * Undefined for reasoning of another provider, which Anthropic refuses.
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
      // A signature is valid only for unchanged text.
      return native?.type === 'thinking' || native?.type === 'redacted_thinking'
        ? native
        : undefined
    case 'image':
    case 'file':
    case 'opaque':
      return block === undefined ? { type: 'text', text: renderPart(part) } : block
  }
}

function withFields(native: JsonObject | undefined, type: string, fields: JsonObject): JsonObject {
  if (native?.type !== type) return { type, ...fields }
  return Object.keys(fields).every((key) => Object.is(native[key], fields[key]))
    ? native
    : { ...native, ...fields }
}

function encodeResult(
  part: ToolResultPart,
  native: JsonObject | undefined,
  findBlock: FindBlock,
): JsonObject {
  const content = encodeOutput(part, native?.content, findBlock)
  const isMarked = native !== undefined && 'is_error' in native && native.is_error === part.isError
  const mark =
    isMarked || !part.isError === (native?.is_error !== true) ? {} : { is_error: part.isError }
  return withFields(native, 'tool_result', { tool_use_id: part.callId, content, ...mark })
}

/**
 * A string if there is only one text, and there was a string or nothing before. The same value if
 * nothing changed.
 */
function encodeOutput(part: ToolResultPart, original: unknown, findBlock: FindBlock): unknown {
  const [first] = part.output
  if (Array.isArray(original)) {
    return keepSameList(
      part.output.map((content) => encodePart(content, findBlock)),
      original,
    )
  }
  if (part.output.length === 0) return (original ?? undefined) === undefined ? original : ''
  if (isJsonObject(original) && part.output.length === 1 && findBlock(first?.native) === original)
    return first && encodePart(first, findBlock)
  if (part.output.length === 1 && first?.type === 'text') return first.text
  return part.output.map((content) => encodePart(content, findBlock))
}

function encodeInput(input: unknown, native: JsonObject | undefined): unknown {
  return native && Object.is(input, native.input) ? input : toInputObject(input)
}
