import { parseJson } from '../../conversation/json-text.ts'
import type { ContentPart, MediaPart, ToolResultPart } from '../../conversation/message.ts'
import { encodePart } from '../anthropic-messages/anthropic-messages.ts'
import {
  isJsonObject,
  type JsonObject,
  keepSameList,
  readMember,
  readString,
  toObject,
} from '../shared/json.ts'
import { measureData } from '../shared/media.ts'
import { isNativeBlock } from '../shared/records.ts'

/**
 * A picture of Cline: `{ type: 'image', data, mediaType }`, with base64 as `data`. `native`: what is
 * written again, if that is more than the picture.
 */
export function readPicture<Other extends { readonly native?: unknown }>(
  part: Other,
  block: unknown = part.native,
  native: unknown = part.native,
): Other | MediaPart {
  const data = isPicture(block) ? readString(block, 'data') : undefined
  if (data === undefined) return part
  const measures = measureData(data, readString(block, 'mediaType') ?? 'image/*')
  return { type: 'image', ...measures, native }
}

const isPicture = (block: unknown) => readMember(block, 'type') === 'image'

/**
 * Cline's tools answer each command, file or search of their list with an entry of its own. Only a
 * refused call is marked as failed, so the entries show which others failed:
 *
 *   { query: 'npm test', result: '[Command exited with code 1]\n…', error: '…', success: false }
 */
export function readResult(part: ToolResultPart): ToolResultPart {
  const content = readMember(part.native, 'content')
  const output = readOutput(content, part.output)
  return { ...part, output, isError: part.isError || hasFailed(content) }
}

function hasFailed(content: unknown): boolean {
  const entries: readonly unknown[] = Array.isArray(content) ? content : [parseEntry(content)]
  return entries.length > 0 && entries.every((entry) => readMember(entry, 'success') === false)
}

function readOutput(content: unknown, blocks: readonly ContentPart[]): readonly ContentPart[] {
  if (Array.isArray(content)) return blocks.map((part, index) => readElement(part, content[index]))
  const entry = parseEntry(content)
  const text = entry && showEntry(entry)
  return text === undefined ? blocks : [{ type: 'text', text, native: content }]
}

function readElement(part: ContentPart, element: unknown): ContentPart {
  const results = isEntry(element) ? element.result : undefined
  const picture = Array.isArray(results) ? results.find(isPicture) : undefined
  if (picture !== undefined)
    return readPicture(part, picture, { record: -1, block: picture, entry: element })
  const text = isEntry(element) ? showEntry(element) : undefined
  return text === undefined ? readPicture(part) : { type: 'text', text, native: element }
}

/** Tools that do one thing store their entry as JSON text. */
function parseEntry(content: unknown): JsonObject | undefined {
  if (typeof content !== 'string' || !content.startsWith('{"')) return undefined
  const value = parseJson(content)
  return isEntry(value) ? value : undefined
}

const MEMBERS: readonly ReadonlySet<string>[] = [
  new Set(['query', 'result', 'error', 'success']),
  // The report of a sub-agent.
  new Set(['text', 'iterations', 'finishReason', 'usage']),
]

/** Tools of others return objects too. Nothing else may be in an entry, since it would not be shown. */
function isEntry(value: unknown): value is JsonObject {
  if (!isJsonObject(value)) return false
  const keys = Object.keys(value)
  return MEMBERS.some((members) => keys.every((key) => members.has(key)))
}

/** What an entry shows. Undefined if that is not text. */
function showEntry(entry: JsonObject): string | undefined {
  const shown = entry[nameShown(entry)]
  return typeof shown === 'string' ? shown : undefined
}

/** The member that an entry shows. */
function nameShown(entry: JsonObject): 'text' | 'result' | 'error' {
  const member = entry.text === undefined ? 'result' : 'text'
  const isEmpty = entry[member] === '' || entry[member] === undefined
  return isEmpty && typeof entry.error === 'string' ? 'error' : member
}

/**
 * A result as Cline stores it. Cline 3.0.65 fails on a result without a content, and sends no
 * result without a name.
 */
export function encodeResult(part: ToolResultPart): JsonObject {
  const block = toObject(part.native)
  if (block.type !== 'tool_result') {
    const { content = '', name = part.name, ...others } = toObject(encodePart(part))
    return { ...others, name, content }
  }
  const { content: stored, name = part.name } = block
  const content = Array.isArray(stored)
    ? keepSameList(part.output.map(encodeElement), stored)
    : encodeOutput(part.output)
  if (content === stored && name === block.name) return block
  const isMarked = !part.isError || block.is_error === true || hasFailed(content)
  return { ...block, name, content, ...(!isMarked && { is_error: true }) }
}

/** One text is a text and not a list. */
function encodeOutput(output: readonly ContentPart[]): unknown {
  const [first] = output
  if (first === undefined) return ''
  if (output.length > 1 || first.type !== 'text') return output.map(encodeElement)
  const { native, text } = first
  const entry = parseEntry(native)
  return entry && showEntry(entry) === text ? native : text
}

function encodeElement(part: ContentPart): unknown {
  const { native } = part
  const entry = isNativeBlock(native) ? readMember(native, 'entry') : native
  if (!isEntry(entry)) return encodePart(part)
  const isShown = part.type !== 'text' || part.text === showEntry(entry)
  return isShown ? entry : { ...entry, [nameShown(entry)]: part.text }
}
