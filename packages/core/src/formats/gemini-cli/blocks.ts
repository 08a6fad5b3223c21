/** What a stored message of Gemini CLI holds, as parts: content of the Gemini API, and calls with results beside it. */
import {
  type ContentPart,
  isContentPart,
  type Part,
  type ToolCallPart,
  type ToolResultPart,
} from '../../conversation/message.ts'
import { createPartReader, encodePart } from '../gemini-contents/parts.ts'
import { isJsonObject, type JsonObject } from '../json/object.ts'

/** The `native` of a part: the block of the API, or the stored call, and whose record it is in. */
export interface NativeBlock {
  readonly record: number
  readonly block: unknown
}

export function isNativeBlock(native: unknown): native is NativeBlock {
  return isJsonObject(native) && typeof native.record === 'number' && 'block' in native
}

/** A string, a block, or a list of both; blank text says nothing. */
export function listBlocks(content: unknown): unknown[] {
  const blocks: unknown[] = Array.isArray(content) ? content : content ? [content] : []
  return blocks.map((block) => (typeof block === 'string' ? { text: block } : block))
}

/** Thoughts are stored, and left out of every request. */
export function isThought(block: unknown): boolean {
  return isJsonObject(block) && block.thought === true
}

export function isCall(block: unknown): boolean {
  return isJsonObject(block) && isJsonObject(block.functionCall)
}

export function isResponse(block: unknown): block is JsonObject & { readonly functionResponse: JsonObject } {
  return isJsonObject(block) && isJsonObject(block.functionResponse)
}

export function readBlocks(blocks: readonly unknown[], record: number): Part[] {
  const read = createPartReader()
  return blocks
    .filter((block) => !isThought(block))
    .map((block) => ({ ...read(block), native: { record, block } satisfies NativeBlock }))
}

/** A call of `toolCalls`. */
export function readStoredCall(call: JsonObject, record: number): ToolCallPart[] {
  const { id, name, args } = call
  if (typeof id !== 'string' || typeof name !== 'string') return []
  const native: NativeBlock = { record, block: call }
  return [{ type: 'tool-call', callId: id, name, input: args ?? {}, native }]
}

/** What came back from a stored call, as one result; undefined while nothing did. */
export function readStoredResult(call: JsonObject, record: number): ToolResultPart | undefined {
  const { id, name, result, status } = call
  if (typeof id !== 'string' || typeof name !== 'string' || !result) return undefined
  const native: NativeBlock = { record, block: call }
  const base = { type: 'tool-result' as const, callId: id, name, isError: status === 'error', native }
  if (typeof result === 'string') return { ...base, output: [{ type: 'text', text: result }] }
  const own = listOwn(listBlocks(result), id)
  if (own.length === 0) return undefined
  const parts = readBlocks(own, record)
  const isError = base.isError || parts.some((part) => part.type === 'tool-result' && part.isError)
  return { ...base, isError, output: parts.flatMap(listOutput) }
}

function listOutput(part: Part): readonly ContentPart[] {
  if (part.type === 'tool-result') return part.output
  return isContentPart(part) ? [part] : []
}

/** Without responses to other calls: once resumed, Gemini CLI stores all of a turn with each call of it. */
export function listOwn(blocks: readonly unknown[], callId: string): unknown[] {
  const isOwn = (block: unknown) => !isResponse(block) || (block.functionResponse.id ?? callId) === callId
  return blocks.some((block) => isResponse(block) && block.functionResponse.id === callId)
    ? blocks.filter(isOwn)
    : [...blocks]
}

/** The block itself where the part says the same. */
export function encodeBlock(part: Part): unknown {
  return encodePart(isNativeBlock(part.native) ? { ...part, native: part.native.block } : part)
}

/** The value of `result` for a result that changed or is new: one response, media behind it. */
export function encodeResult({ callId: id, output, isError }: ToolResultPart, name: unknown): unknown[] {
  const texts = output.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  const media = output.filter((part) => part.type !== 'text').flatMap((part) => encodeBlock(part) ?? [])
  const response = { [isError ? 'error' : 'output']: texts.join('\n') }
  return [{ functionResponse: { id, name, response } }, ...media]
}
