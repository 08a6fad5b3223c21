import { findUserOrigin } from '../../conversation/injected-text.ts'
import {
  type ContentPart,
  isContentPart,
  type Message,
  type Part,
  type ToolCallPart,
  type ToolResultPart,
} from '../../conversation/message.ts'
import { createPartReader, encodePart } from '../gemini-contents/parts.ts'
import { isJsonObject, type JsonObject } from '../shared/json.ts'
import { createAnswer, createResults, listFilled } from '../shared/parts.ts'
import { isNativeBlock, type NativeBlock } from '../shared/records.ts'
import type { GeminiRecord } from './records.ts'

/**
 * The messages that are sent after a resume. Results are stored twice, and only the copies with
 * their call are read.
 */
export function readMessages(records: readonly GeminiRecord[]) {
  const messages: Message[] = []
  let model: string | undefined
  let open = new Set<string>()
  for (const { value, record } of records) {
    if (value.type === 'gemini') {
      if (typeof value.model === 'string') model = value.model
      const answer = readAnswer(value, record)
      open = new Set(answer.open)
      addAnswer(messages, answer.messages)
    } else if (value.type === 'user') messages.push(...readWords(value, record, open))
  }
  return { messages, model }
}

/** Answers with nothing in between are sent as one turn of the model. */
function addAnswer(messages: Message[], [answer, ...results]: readonly Message[]): void {
  const last = messages.at(-1)
  if (answer?.role === 'assistant' && last?.role === 'assistant') {
    const records = [...(last.records ?? []), ...(answer.records ?? [])]
    messages[messages.length - 1] = { ...last, parts: [...last.parts, ...answer.parts], records }
  } else if (answer) messages.push(answer)
  messages.push(...results)
}

function readAnswer(value: JsonObject, record: number): { messages: Message[]; open: string[] } {
  const blocks = listBlocks(value.content)
  const calls = listCalls(value)
  // After a resume, an answer holds its calls twice.
  const isWhole = blocks.some((block) => isCall(block) || isThought(block))
  const spoken = readBlocks(blocks, record).filter(
    (part) => part.type !== 'text' || part.text.trim() !== '',
  )
  const parts = isWhole
    ? spoken
    : [...spoken, ...calls.flatMap((call) => readStoredCall(call, record))]
  const asked = new Set(parts.flatMap((part) => (part.type === 'tool-call' ? [part.callId] : [])))
  const results = calls
    .flatMap((call) => readStoredResult(call, record) ?? [])
    .filter(({ callId }) => asked.has(callId))
  for (const { callId } of results) asked.delete(callId)
  const messages = listFilled(createAnswer(parts, [record]), createResults(results, [record]))
  return { messages, open: [...asked] }
}

export function listCalls(value: JsonObject): JsonObject[] {
  return Array.isArray(value.toolCalls) ? value.toolCalls.filter(isJsonObject) : []
}

/** `open`: calls that have no result yet. */
function readWords(value: JsonObject, record: number, open: Set<string>): Message[] {
  const blocks = listBlocks(value.content)
  if (isIgnored(blocks)) return []
  const parts = readBlocks(blocks, record)
  const results = parts
    .filter((part) => part.type === 'tool-result')
    .filter(({ callId }) => open.delete(callId))
  const words = parts.filter(isContentPart)
  const records = [record]
  return listFilled(createResults(results, records), {
    role: 'user',
    origin: findUserOrigin(words),
    parts: words,
    records,
  })
}

const IGNORED_OPENINGS = ['/', '?', '<session_context>', '<hook_context>']

/** Gemini CLI 0.61 does not send such texts, and describes its surroundings again. */
export function isIgnored(blocks: readonly unknown[]): boolean {
  const spoken = blocks.map((block) => {
    if (isJsonObject(block) && typeof block.text === 'string' && !isResponse(block))
      return block.text
    return '[block]'
  })
  const text = spoken.join('').trim()
  return text === '' || IGNORED_OPENINGS.some((opening) => text.startsWith(opening))
}

/** A string, a block, or a list of both. An empty text is not a block. */
export function listBlocks(content: unknown): unknown[] {
  const blocks: unknown[] = Array.isArray(content) ? content : content ? [content] : []
  return blocks.map((block) => (typeof block === 'string' ? { text: block } : block))
}

/** Thoughts are stored but left out of every request. */
export function isThought(block: unknown): boolean {
  return isJsonObject(block) && block.thought === true
}

export function isCall(block: unknown): boolean {
  return isJsonObject(block) && isJsonObject(block.functionCall)
}

export function isResponse(
  block: unknown,
): block is JsonObject & { readonly functionResponse: JsonObject } {
  return isJsonObject(block) && isJsonObject(block.functionResponse)
}

function readBlocks(blocks: readonly unknown[], record: number): Part[] {
  const read = createPartReader()
  return blocks
    .filter((block) => !isThought(block))
    .map((block) => ({ ...read(block), native: { record, block } satisfies NativeBlock }))
}

function readStoredCall(call: JsonObject, record: number): ToolCallPart[] {
  const { id, name, args } = call
  if (typeof id !== 'string' || typeof name !== 'string') return []
  const native: NativeBlock = { record, block: call }
  return [{ type: 'tool-call', callId: id, name, input: args ?? {}, native }]
}

/** The result of a stored call. Undefined while there is none. */
function readStoredResult(call: JsonObject, record: number): ToolResultPart | undefined {
  const { id, name, result, status } = call
  if (typeof id !== 'string' || typeof name !== 'string' || !result) return undefined
  const native: NativeBlock = { record, block: call }
  const base = {
    type: 'tool-result' as const,
    callId: id,
    name,
    isError: status === 'error',
    native,
  }
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

/**
 * Leaves out responses to other calls. After a resume, Gemini CLI stores everything of a turn with
 * each of its calls.
 */
export function listOwn(blocks: readonly unknown[], callId: string): unknown[] {
  const isOwn = (block: unknown) =>
    !isResponse(block) || (block.functionResponse.id ?? callId) === callId
  return blocks.some((block) => isResponse(block) && block.functionResponse.id === callId)
    ? blocks.filter(isOwn)
    : [...blocks]
}

/** The stored block itself if the part is unchanged. */
export function encodeBlock(part: Part): unknown {
  return encodePart(isNativeBlock(part.native) ? { ...part, native: part.native.block } : part)
}

/** The value of `result` for a changed or new result: one response, then media. */
export function encodeResult(
  { callId: id, output, isError }: ToolResultPart,
  name: unknown,
): unknown[] {
  const texts = output.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  const media = output
    .filter((part) => part.type !== 'text')
    .flatMap((part) => encodeBlock(part) ?? [])
  const response = { [isError ? 'error' : 'output']: texts.join('\n') }
  return [{ functionResponse: { id, name, response } }, ...media]
}
