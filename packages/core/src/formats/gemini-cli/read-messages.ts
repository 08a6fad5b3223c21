import { findAnswerOrigin, findUserOrigin } from '../../conversation/injected-text.ts'
import {
  type ContentPart,
  isContentPart,
  type Message,
  type Origin,
  type ToolResultPart,
} from '../../conversation/message.ts'
import { toAssistantPart } from '../content/parts.ts'
import { isJsonObject, type JsonObject } from '../json/object.ts'
import { isCall, isResponse, isThought, listBlocks, readBlocks, readStoredCall, readStoredResult } from './blocks.ts'
import type { StoredRecord } from './records.ts'

export interface LiveMessages {
  readonly messages: readonly Message[]
  readonly model?: string
}

/**
 * What Gemini CLI sends when it resumes. Results stand both with their call and in a message of their own: they are
 * read once, with the call.
 */
export function readMessages(records: readonly StoredRecord[]): LiveMessages {
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
  return { messages, ...(model !== undefined && { model }) }
}

/** Answers with nothing in between are one turn of the model, which is what is sent. */
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
  // Once resumed, an answer holds its calls twice.
  const isWhole = blocks.some((block) => isCall(block) || isThought(block))
  const spoken = readBlocks(blocks, record)
    .filter((part) => part.type !== 'text' || part.text.trim() !== '')
    .map(toAssistantPart)
  const parts = isWhole ? spoken : [...spoken, ...calls.flatMap((call) => readStoredCall(call, record))]
  const asked = new Set(parts.flatMap((part) => (part.type === 'tool-call' ? [part.callId] : [])))
  const results = calls
    .flatMap((call) => readStoredResult(call, record) ?? [])
    .filter(({ callId }) => asked.has(callId))
  for (const { callId } of results) asked.delete(callId)
  const messages: Message[] = []
  if (parts.length > 0) messages.push({ role: 'assistant', origin: findAnswerOrigin(parts), parts, records: [record] })
  if (results.length > 0) messages.push({ role: 'tool', origin: 'environment', parts: results, records: [record] })
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
  const results: ToolResultPart[] = []
  const words: ContentPart[] = []
  for (const part of parts) {
    if (part.type === 'tool-result' && open.delete(part.callId)) results.push(part)
    else if (isContentPart(part)) words.push(part)
  }
  const messages: Message[] = []
  if (results.length > 0) messages.push({ role: 'tool', origin: 'environment', parts: results, records: [record] })
  if (words.length > 0) messages.push({ role: 'user', origin: findOrigin(words), parts: words, records: [record] })
  return messages
}

const IGNORED_OPENINGS = ['/', '?', '<session_context>', '<hook_context>']

/** Gemini CLI 0.61 leaves such words out, and tells its surroundings anew. */
export function isIgnored(blocks: readonly unknown[]): boolean {
  const spoken = blocks.map((block) => {
    if (isJsonObject(block) && typeof block.text === 'string' && !isResponse(block)) return block.text
    return '[block]'
  })
  const text = spoken.join('').trim()
  return text === '' || IGNORED_OPENINGS.some((opening) => text.startsWith(opening))
}

/** The summary of a compaction by Gemini CLI stands in the person's place. */
function findOrigin(parts: readonly ContentPart[]): Origin {
  const [first] = parts
  const isSnapshot = first?.type === 'text' && first.text.trimStart().startsWith('<state_snapshot>')
  return isSnapshot ? 'synthetic' : findUserOrigin(parts)
}
