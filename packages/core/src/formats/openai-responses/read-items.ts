/**
 * One item of the Responses API as parts of a message. `openai-responses` and `codex` store the
 * same items.
 */

import { describeType } from '../../conversation/check-options.ts'
import { isCompaction } from '../../conversation/compaction.ts'
import {
  type ContentPart,
  isContentPart,
  type Message,
  type Origin,
  type Part,
  type ToolResultPart,
} from '../../conversation/message.ts'
import { readTies } from '../../conversation/read-ties.ts'
import { FormatError } from '../shared/format.ts'
import { isJsonObject, type JsonObject } from '../shared/json.ts'
import { measureData } from '../shared/media.ts'
import { refuseForeign } from '../shared/message-format.ts'
import {
  createAnswer,
  createResults,
  createSystem,
  nameResult,
  toAssistantPart,
  toOpaque,
  withMentions,
} from '../shared/parts.ts'
import { readCallId } from '../shared/tool-calls.ts'
import { findItemOrigin, hostItems } from './item-origin.ts'
import { readOwnCompaction } from './own-compaction.ts'

/** The `native` of a part: the item it came from and, for a part of a list, its place there. */
export interface NativeItem {
  /** Position of the item in the item list of its document. */
  readonly ordinal: number
  readonly item: JsonObject
  /** Place of the block in `content` or `output`. -1 if the part is the whole item. */
  readonly index: number
}

interface ItemParts {
  /** `closed`: an item that joins no neighbor, such as a compaction of the provider. */
  readonly side: 'user' | 'system' | 'assistant' | 'tool' | 'closed'
  /** Never empty, so that writing loses no item. */
  readonly parts: readonly Part[]
}

// A half of a pair that the provider takes only with its own id.
const OF_PROVIDER = /^(?:computer_call|program_output)$/
const FROM_HOST = new Set(['compaction_trigger', 'mcp_approval_response'])
// The field of a call item with the model's input. All other kinds have it in `action`.
const INPUT_FIELDS = new Map([
  ['function_call', 'arguments'],
  ['custom_tool_call', 'input'],
  ['apply_patch_call', 'operation'],
  ['tool_search_call', 'arguments'],
])

export function checkItem(record: unknown, index: number): JsonObject {
  if (isJsonObject(record)) {
    if (readItemType(record) === 'message') refuseForeign(record, index, 'openai-responses')
    return record
  }
  throw new FormatError(
    'malformed',
    `Reading openai-responses: item ${index} is ${describeType(record)}. Give an object for every item.`,
  )
}

/** The type of an item. A message and a reference may leave it out. */
export function readItemType(item: JsonObject): string {
  if (typeof item.type === 'string') return item.type
  if (typeof item.role === 'string') return 'message'
  return isReference(item) ? 'item_reference' : 'unknown'
}

/** An item that the provider stored, given only by its id. */
export function isReference({ id, type, ...rest }: JsonObject): boolean {
  const isUntyped = type === undefined || type === null || type === 'item_reference'
  return (
    isUntyped &&
    typeof id === 'string' &&
    /^[a-z]{2,6}_\w+$/.test(id) &&
    Object.keys(rest).length === 0
  )
}

export function readInputField(type: string): string {
  return INPUT_FIELDS.get(type) ?? 'action'
}

export function readItem(item: JsonObject, ordinal: number): ItemParts {
  const type = readItemType(item)
  if (type === 'message') return readMessageItem(item, ordinal)
  if (type === 'reasoning') return { side: 'assistant', parts: [readReasoning(item, ordinal)] }
  const own = readOwnCompaction(item)
  if (own !== undefined)
    return { side: 'user', parts: [{ type: 'text', text: own, native: native(ordinal, item) }] }
  const callId = readCallId(item.call_id)
  const isTaken = requiresId(item) || !OF_PROVIDER.test(type)
  if (callId !== undefined && isTaken) {
    if (type.endsWith('_call'))
      return { side: 'assistant', parts: [readCall(type, callId, item, ordinal)] }
    if (type.endsWith('_output'))
      return { side: 'tool', parts: [readOutput(callId, item, ordinal)] }
  }
  const part = opaqueItem(type, item, ordinal)
  // An empty compaction replaces nothing, so it is an item of its answer like any other. The
  // provider answers a call without an id inside the item: web search, file search, images.
  const isAlone = isCompaction(part) || FROM_HOST.has(type)
  if (isAlone) return { side: 'closed', parts: [part] }
  // Tools that the operator adds.
  return { side: item.role === 'developer' ? 'system' : 'assistant', parts: [part] }
}

function readMessageItem(item: JsonObject, ordinal: number): ItemParts {
  const side = item.role === 'user' ? 'user' : item.role === 'assistant' ? 'assistant' : 'system'
  const parts = readContent(item, item.content, ordinal)
  return { side, parts: parts.length > 0 ? parts : [opaqueItem('message', item, ordinal)] }
}

function readReasoning(item: JsonObject, ordinal: number): Part {
  const texts: string[] = []
  for (const list of [item.summary, item.content]) {
    if (!Array.isArray(list)) continue
    for (const entry of list)
      if (isJsonObject(entry) && typeof entry.text === 'string') texts.push(entry.text)
  }
  const payload = item.encrypted_content
  const signatureLength = typeof payload === 'string' ? payload.length : 0
  return {
    type: 'reasoning',
    text: texts.join('\n'),
    signatureLength,
    native: native(ordinal, item),
  }
}

function readCall(type: string, callId: string, item: JsonObject, ordinal: number): Part {
  const name = typeof item.name === 'string' ? item.name : type.slice(0, -'_call'.length)
  const input = item[readInputField(type)] ?? ''
  return {
    type: 'tool-call',
    callId,
    name,
    input,
    native: native(ordinal, item),
    ...readTies(item, callId),
  }
}

function readOutput(callId: string, item: JsonObject, ordinal: number): ToolResultPart {
  const output = readContent(item, item.output, ordinal)
  // Kinds without `output`, such as the result of a tool search, are counted by their JSON.
  const parts =
    output.length > 0 || item.output !== undefined
      ? output
      : [opaqueItem(readItemType(item), item, ordinal)]
  return {
    type: 'tool-result',
    callId,
    output: parts,
    isError: isFailure(item, parts),
    native: native(ordinal, item),
    ...readTies(item, callId),
  }
}

function readContent(item: JsonObject, content: unknown, ordinal: number): ContentPart[] {
  if (typeof content === 'string')
    return [{ type: 'text', text: content, native: native(ordinal, item) }]
  if (Array.isArray(content))
    return content.map((block, index) =>
      withMentions(readBlock(block, { ordinal, item, index }), block),
    )
  if (content === undefined || content === null) return []
  return [toOpaque(content, native(ordinal, item), 'content')]
}

function readBlock(block: unknown, source: NativeItem): ContentPart {
  if (isJsonObject(block)) {
    const { type } = block
    const isText = type === 'input_text' || type === 'output_text' || type === 'text'
    if (isText && typeof block.text === 'string')
      return { type: 'text', text: block.text, native: source }
    if (type === 'input_image' || type === 'computer_screenshot') {
      return { type: 'image', ...measureData(block.image_url, 'image/*'), native: source }
    }
    if (type === 'input_file') {
      return {
        type: 'file',
        ...measureData(block.file_data, 'application/octet-stream'),
        native: source,
      }
    }
    if (type === 'input_audio' && isJsonObject(block.input_audio)) {
      return { type: 'file', ...measureData(block.input_audio.data, 'audio/*'), native: source }
    }
  }
  const kind = isJsonObject(block) && typeof block.type === 'string' ? block.type : 'content'
  return toOpaque(block, source, kind)
}

// Only the text contains the outcome: a header before `Output:`, or a JSON object that ends with
// its metadata.
const HEADER_LENGTH = 600
const METADATA_LENGTH = 200

function isFailure(item: JsonObject, output: readonly ContentPart[]): boolean {
  if (item.status === 'failed' || item.status === 'incomplete') return true
  const first = output[0]
  if (first?.type !== 'text') return false
  const { text } = first
  if (text.startsWith('{"output":')) {
    const exit = /"exit_code":(-?\d+)/.exec(text.slice(-METADATA_LENGTH))
    return exit !== null && Number(exit[1]) !== 0
  }
  const head = text.slice(0, HEADER_LENGTH)
  const end = head.indexOf('\nOutput:')
  if (end < 0) return hostItems.some(({ failure }) => failure.test(head))
  const exit = /(?:^|\n)(?:Process exited with code|Exit code:) (-?\d+)/.exec(head.slice(0, end))
  return exit !== null && Number(exit[1]) !== 0
}

function opaqueItem(kind: string, item: JsonObject, ordinal: number): ContentPart {
  return toOpaque(item, native(ordinal, item), kind)
}

function native(ordinal: number, item: JsonObject): NativeItem {
  return { ordinal, item, index: -1 }
}

/**
 * Items of the Responses API to messages. What the model produced in one response is one message,
 * so reasoning stays with its calls and parallel calls stay together:
 *
 *   items      user   reasoning  message  call a  call b   output a   output b   reasoning  message
 *   messages   user   assistant ───────────────────────    tool       tool       assistant ────────
 */
export interface LocatedItem {
  readonly item: JsonObject
  /** Position in the item list of its document. Parts keep it in `native`. */
  readonly ordinal: number
  /** Position of the native record that holds the item. */
  readonly record: number
  /** The origin of a user item, if something outside of the item decides it. */
  readonly origin?: Origin
}

export function readMessages(items: Iterable<LocatedItem>): Message[] {
  return createItemReader()(items)
}

/**
 * Reads the items of one history piece by piece. A result gets the name of a call that was read
 * before.
 */
export function createItemReader(): (items: Iterable<LocatedItem>) => Message[] {
  const callNames = new Map<string, string>()
  return (items) => readPiece(items, callNames)
}

function readPiece(items: Iterable<LocatedItem>, callNames: Map<string, string>): Message[] {
  const messages: Message[] = []
  let run: { parts: Part[]; records: number[]; needsReasoning: boolean } | undefined
  const closeRun = () => {
    if (run)
      messages.push(
        createAnswer(run.needsReasoning ? run.parts.map(needReasoning) : run.parts, run.records),
      )
    run = undefined
  }
  for (const located of items) {
    const { side, parts } = readItem(located.item, located.ordinal)
    if (side === 'assistant') {
      run ??= { parts: [], records: [], needsReasoning: false }
      run.needsReasoning ||= requiresId(located.item)
      for (const part of parts) {
        run.parts.push(part)
        if (part.type === 'tool-call') callNames.set(part.callId, part.name)
      }
      if (run.records.at(-1) !== located.record) run.records.push(located.record)
      continue
    }
    closeRun()
    messages.push(readOther(side, parts, located, callNames))
  }
  closeRun()
  return messages
}

/** OpenAI refuses an item that must keep its id without the reasoning that came with it. */
export function needReasoning<P extends Part>(part: P): P {
  return part.type === 'reasoning' ? { ...part, isNeeded: true } : part
}

// All other items require the id (OpenAI's reference of the Responses API, input items).
const MAY_LACK_ID =
  /^(?:message|reasoning|item_reference|(?:function|custom_tool)_call(?:_output)?)$/

/** Whether it has an id that OpenAI requires again. */
export function requiresId(item: JsonObject): boolean {
  return typeof item.id === 'string' && !MAY_LACK_ID.test(readItemType(item))
}

function readOther(
  side: 'user' | 'system' | 'tool' | 'closed',
  parts: readonly Part[],
  located: LocatedItem,
  callNames: ReadonlyMap<string, string>,
): Message {
  const records = [located.record]
  switch (side) {
    case 'user': {
      const content = parts.filter(isContentPart)
      return {
        role: 'user',
        origin: located.origin ?? findItemOrigin(located.item, content),
        parts: content,
        records,
      }
    }
    case 'system':
      return createSystem(parts, records)
    case 'tool': {
      const results = parts
        .filter((part) => part.type === 'tool-result')
        .map((part) => nameResult(part, callNames))
      return createResults(results, records)
    }
    case 'closed':
      return { role: 'assistant', origin: 'synthetic', parts: parts.map(toAssistantPart), records }
  }
}
