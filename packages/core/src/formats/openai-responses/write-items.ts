/**
 * Messages back to items of the Responses API. If the parts of an item are unchanged, the item is
 * kept and not written.
 */
import { toJsonText } from '../../conversation/json-text.ts'
import {
  type ContentPart,
  isContentPart,
  type Message,
  type Part,
  renderPart,
  type ToolCallPart,
  type ToolResultPart,
} from '../../conversation/message.ts'
import { isJsonObject, type JsonObject, readMember, withMembers } from '../shared/json.ts'
import { encodeCallId } from '../shared/tool-calls.ts'
import { readOwnCompaction, toPlainMessage } from './own-compaction.ts'
import {
  type NativeItem,
  readInputField,
  readItem,
  readItemType,
  requiresId,
} from './read-items.ts'

export type ItemWrite =
  | { readonly type: 'kept'; readonly ordinal: number; readonly item: JsonObject }
  /** The item with other values in some of its fields. Undefined values are left out. */
  | {
      readonly type: 'changed'
      readonly ordinal: number
      readonly item: JsonObject
      readonly fields: JsonObject
    }
  | { readonly type: 'new'; readonly item: JsonObject }

/**
 * Writes the items of one message after the other. A result is written in the kind of its call.
 * `read` are the items that a message was read from. If one of their reasoning items is lost, the
 * others lose their ids if they may. OpenAI refuses a stored item without the reasoning item that
 * came with it.
 */
export function createItemWriter(): (message: Message, read?: readonly unknown[]) => ItemWrite[] {
  const callTypes = new Map<string, string>()
  return ({ role, parts }, read = []) => {
    for (const part of parts) {
      const item = part.type === 'tool-call' ? readNative(part)?.item : undefined
      if (part.type === 'tool-call')
        callTypes.set(part.callId, item ? readItemType(item) : 'function_call')
    }
    if (role === 'user' || role === 'system') return writeMessageItem(role, parts)
    const writes = writeRuns(parts, callTypes)
    const kept = new Set<unknown>(writes.map(({ item }) => item))
    const isLost = (item: unknown) =>
      isJsonObject(item) && readItemType(item) === 'reasoning' && !kept.has(item)
    return read.some(isLost) ? writes.map(withoutId) : writes
  }
}

function withoutId(write: ItemWrite): ItemWrite {
  if (write.type === 'new' || typeof write.item.id !== 'string' || requiresId(write.item))
    return write
  const fields = write.type === 'changed' ? write.fields : {}
  return { ...write, type: 'changed', fields: { ...fields, id: undefined } }
}

export function readWritten(write: ItemWrite): JsonObject {
  return write.type === 'changed' ? withMembers(write.item, write.fields) : write.item
}

function writeMessageItem(role: 'user' | 'system', parts: readonly ContentPart[]): ItemWrite[] {
  const base = findCommonItem(parts)
  if (base) return [writeAgain(base, parts)]
  if (parts.length === 0) return []
  const content = parts.flatMap((part) => writeBlock(part, 'input_text'))
  return [
    {
      type: 'new',
      item: { type: 'message', role: role === 'user' ? 'user' : 'developer', content },
    },
  ]
}

/** The single item that the parts come from. Parts that precis wrote may be next to them. */
function findCommonItem(parts: readonly Part[]): NativeItem | undefined {
  let common: NativeItem | undefined
  for (const part of parts) {
    const native = readNative(part)
    if (native && common && native.ordinal !== common.ordinal) return undefined
    common ??= native
  }
  return common
}

//   parts    text(item 4)  text(new)  text(item 5)  text(item 5)  call(item 6)
//   writes   kept 4        new        changed 5 ────────────────  kept 6
function writeRuns(parts: readonly Part[], callTypes: ReadonlyMap<string, string>): ItemWrite[] {
  const writes: ItemWrite[] = []
  let start = 0
  while (start < parts.length) {
    const first = parts[start]
    if (!first) break
    const native = readNative(first)
    let end = start + 1
    while (end < parts.length && isContentPart(first) && belongsTo(parts[end], native?.ordinal))
      end++
    const run = parts.slice(start, end)
    if (native) writes.push(writeAgain(native, run))
    else writes.push(...writeNew(first, run, callTypes))
    start = end
  }
  return writes
}

function belongsTo(part: Part | undefined, ordinal: number | undefined): boolean {
  return part !== undefined && isContentPart(part) && readNative(part)?.ordinal === ordinal
}

function writeAgain(native: NativeItem, parts: readonly Part[]): ItemWrite {
  const { ordinal, item } = native
  const read = readItem(item, ordinal).parts
  const isSame = sameParts(read, parts)
  if (!isSame && readOwnCompaction(item) !== undefined)
    return { type: 'new', item: toPlainMessage(parts.map(renderPart).join('\n')) }
  const fields = isSame ? undefined : writeFields(item, parts)
  return fields ? { type: 'changed', ordinal, item, fields } : { type: 'kept', ordinal, item }
}

function writeFields(item: JsonObject, parts: readonly Part[]): JsonObject | undefined {
  const first = parts[0]
  if (first?.type === 'tool-call') return writeCallFields(first, item)
  if (first?.type === 'tool-result')
    return {
      call_id: encodeCallId(first.callId, item.call_id),
      output: writeOutput(first, item.output),
    }
  if (first?.type === 'reasoning') return { summary: [{ type: 'summary_text', text: first.text }] }
  if (readItemType(item) !== 'message') return undefined
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  if (typeof item.content === 'string' && texts.length === parts.length)
    return { content: texts.join('\n') }
  const textType = item.role === 'assistant' ? 'output_text' : 'input_text'
  return { content: parts.flatMap((part) => writeBlock(part, textType)) }
}

function writeNew(
  first: Part,
  run: readonly Part[],
  callTypes: ReadonlyMap<string, string>,
): ItemWrite[] {
  switch (first.type) {
    case 'tool-call': {
      const item = { type: 'function_call', name: first.name, arguments: '', call_id: first.callId }
      return [{ type: 'new', item: { ...item, ...writeCallFields(first, item) } }]
    }
    case 'tool-result': {
      const callType = callTypes.get(first.callId) ?? 'function_call'
      const type = callType === 'tool_search_call' ? 'tool_search_output' : `${callType}_output`
      return [
        { type: 'new', item: { type, call_id: first.callId, output: writeOutput(first, '') } },
      ]
    }
    // Reasoning from another API cannot become an item that a server accepts.
    case 'reasoning':
      return []
    default: {
      const content = run.flatMap((part) => writeBlock(part, 'output_text'))
      return content.length === 0
        ? []
        : [{ type: 'new', item: { type: 'message', role: 'assistant', content } }]
    }
  }
}

function writeCallFields(part: ToolCallPart, item: JsonObject): JsonObject {
  const type = readItemType(item)
  const isText = type === 'function_call' || type === 'custom_tool_call'
  const input = isText && typeof part.input !== 'string' ? toJsonText(part.input ?? {}) : part.input
  const callId = encodeCallId(part.callId, item.call_id)
  const fields = { call_id: callId, [readInputField(type)]: input }
  return isText ? { ...fields, name: part.name } : fields
}

/** A string if there was a string and all parts are text, else a list of blocks. */
function writeOutput(part: ToolResultPart, original: unknown): unknown {
  const texts = part.output.flatMap((content) => (content.type === 'text' ? [content.text] : []))
  if (!Array.isArray(original) && texts.length === part.output.length) return texts.join('\n')
  return part.output.flatMap((content) => writeBlock(content, 'input_text'))
}

function writeBlock(part: Part, textType: 'input_text' | 'output_text'): unknown[] {
  const native = readNative(part)
  const block = native && native.index >= 0 ? findBlocks(native.item)[native.index] : undefined
  if (part.type === 'text') {
    if (!isJsonObject(block)) return [{ type: textType, text: part.text }]
    return [block.text === part.text ? block : { ...block, text: part.text }]
  }
  if (block !== undefined) return [block]
  if (isInputMedia(part.native) && textType === 'input_text') return [part.native]
  // Media of another format and blocks outside their list cannot be written here. A text describes
  // them.
  return [{ type: textType, text: part.type === 'opaque' ? part.text : `[${part.type}]` }]
}

/** Whether it has the shape of this API, even if it was not read from an item. */
function isInputMedia(native: unknown): boolean {
  const type = readMember(native, 'type')
  return type === 'input_image' || type === 'input_file'
}

function findBlocks(item: JsonObject): readonly unknown[] {
  const blocks = item.content ?? item.output
  return Array.isArray(blocks) ? blocks : []
}

function sameParts(left: readonly Part[], right: readonly Part[]): boolean {
  return left.length === right.length && left.every((part, index) => samePart(part, right[index]))
}

/**
 * Whether both are the same on the wire. Names and outcomes that a reader inferred do not count.
 */
function samePart(left: Part, right: Part | undefined): boolean {
  if (left === right) return true
  if (!right) return false
  switch (left.type) {
    case 'text':
    case 'opaque':
      return right.type === left.type && right.text === left.text
    case 'reasoning':
      return (
        right.type === left.type &&
        right.text === left.text &&
        right.signatureLength === left.signatureLength
      )
    case 'tool-call':
      if (right.type !== left.type || right.callId !== left.callId || right.name !== left.name)
        return false
      return left.input === right.input || toJsonText(left.input) === toJsonText(right.input)
    case 'tool-result':
      return (
        right.type === 'tool-result' &&
        right.callId === left.callId &&
        sameParts(left.output, right.output)
      )
    case 'image':
    case 'file':
      return right.type === left.type && readNative(left)?.index === readNative(right)?.index
  }
}

function readNative(part: Part): NativeItem | undefined {
  const { native } = part
  return isNativeItem(native) ? native : undefined
}

function isNativeItem(native: unknown): native is NativeItem & JsonObject {
  return (
    isJsonObject(native) &&
    'ordinal' in native &&
    'index' in native &&
    typeof native.item === 'object'
  )
}
