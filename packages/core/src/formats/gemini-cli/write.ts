/**
 * Writes a session that Gemini CLI resumes with exactly the given messages. Every result is written
 * once, with its call.
 */
import { toJsonText } from '../../conversation/json-text.ts'
import { isSameList } from '../../conversation/lists.ts'
import type {
  AssistantMessage,
  Conversation,
  Message,
  Part,
  ToolCallPart,
  ToolResultPart,
} from '../../conversation/message.ts'
import type { NewSession } from '../shared/format.ts'
import { createIds } from '../shared/ids.ts'
import { isJsonObject, type JsonObject, keepSameList, withMembers } from '../shared/json.ts'
import { type OutputPiece, readLines, rewriteSpan, spliceLine } from '../shared/lines.ts'
import { groupByRecord, isNativeBlock, placeAmong } from '../shared/records.ts'
import { rewriteJson } from '../shared/rewrite.ts'
import { refuseSystemMessage } from '../shared/session-format.ts'
import { toInputObject } from '../shared/tool-calls.ts'
import { listCarried } from './carried.ts'
import {
  encodeBlock,
  encodeResult,
  isCall,
  isThought,
  listBlocks,
  listCalls,
  listOwn,
} from './read.ts'
import { FORMAT_NAME, type GeminiCliDocument, type GeminiRecord } from './records.ts'

interface GeminiItem {
  readonly value: JsonObject
  readonly before?: GeminiRecord
}

/** Everything under another id, with the title. For a conversation without edits. */
export function* cloneSession(
  { source, storage }: GeminiCliDocument,
  newSession: NewSession,
): Generator<OutputPiece> {
  const { body, lineBreak } = storage
  if (body) {
    yield rewriteJson(source.readText(0, source.length), body, {
      ...body,
      ...renderNames(newSession),
    })
    return
  }
  const id = JSON.stringify(newSession.sessionId)
  for (const { start, end, value } of readLines(source, FORMAT_NAME)) {
    if (!isJsonObject(value)) continue
    const paths = value.id === undefined ? [['sessionId'], ['$set', 'sessionId']] : []
    yield* spliceLine(
      source,
      { start, end },
      paths.map((path) => ({ path, json: id })),
    )
    yield lineBreak
  }
  yield toJsonText({ $set: renderNames(newSession) }) + lineBreak
}

export function* writeSession(
  document: GeminiCliDocument,
  conversation: Pick<Conversation, 'messages' | 'model'>,
  newSession: NewSession | undefined,
): Generator<OutputPiece> {
  const { source, storage } = document
  const { body, facts, lineBreak } = storage
  const written = writeRecords(document, conversation, newSession)
  const carried = listCarried(document, conversation.messages, newSession !== undefined)
  const items = placeAmong<GeminiItem>(written, carried, findRecord)
  if (body) {
    const names = newSession ? renderNames(newSession) : {}
    const after = { ...body, ...names, messages: [...items].map(({ value }) => value) }
    yield rewriteJson(source.readText(0, source.length), body, after)
    return
  }
  if (newSession) {
    const known = withMembers(facts, { memoryScratchpad: undefined })
    yield toJsonText({ ...known, ...renderNames(newSession) }) + lineBreak
  }
  for (const { value, before } of items) {
    yield before ? rewriteSpan(source, before.span, before.value, value) : toJsonText(value)
    yield lineBreak
  }
}

/** The list of sessions is sorted by their start time. A new session belongs on top. */
function renderNames({ sessionId, timestamp, title }: NewSession): JsonObject {
  return { sessionId, startTime: timestamp, lastUpdated: timestamp, summary: title }
}

function findRecord({ before }: GeminiItem): number | undefined {
  return before?.record
}

interface GeminiDraft {
  readonly message: Message
  readonly results: Map<string, ToolResultPart>
}

function writeRecords(
  { source, storage, messages: originals }: GeminiCliDocument,
  { messages, model: newestModel = '' }: Pick<Conversation, 'messages' | 'model'>,
  newSession: NewSession | undefined,
): GeminiItem[] {
  const stored = new Map(storage.records.map((record) => [record.record, record]))
  const untouched = new Set(originals.flatMap(({ parts }): readonly Part[] => parts))
  const newest = storage.records.at(-1)?.value.timestamp
  const timestamp =
    newSession?.timestamp ?? (typeof newest === 'string' ? newest : '1970-01-01T00:00:00.000Z')
  const createId = createIds(newSession?.createId, source.length)
  return draftRecords(messages).map(({ message, results }): GeminiItem => {
    const before = stored.get(message.records?.[0] ?? -1)
    if (!before) {
      const base = { id: createId(), timestamp }
      if (message.role !== 'assistant') return { value: createUserRecord(base, message) }
      const { model = newestModel } =
        storage.records.findLast(({ value }) => value.type === 'gemini')?.value ?? {}
      return { value: createAnswerRecord(base, model, message, results) }
    }
    const value =
      message.role === 'assistant'
        ? changeAnswerRecord(before.value, message, results, untouched)
        : changeUserRecord(before.value, message)
    // These counts are of a request that is larger than any in the new session.
    return {
      before,
      value: newSession && value.tokens ? withMembers(value, { tokens: undefined }) : value,
    }
  })
}

/**
 * One draft for each record. An answer holds the results of its calls, wherever they are in the
 * conversation.
 */
function draftRecords(messages: readonly Message[]): GeminiDraft[] {
  const drafts: GeminiDraft[] = []
  const askedBy = new Map<string, GeminiDraft>()
  for (const message of messages) {
    if (message.role === 'system') throw refuseSystemMessage(FORMAT_NAME, 'Gemini CLI')
    if (message.role === 'tool') {
      for (const part of message.parts) {
        // These files cannot hold a result without its call, and no API accepts one.
        if (part.type === 'tool-result') askedBy.get(part.callId)?.results.set(part.callId, part)
      }
      continue
    }
    for (const stored of splitByRecord(message)) {
      const draft: GeminiDraft = { message: stored, results: new Map() }
      drafts.push(draft)
      for (const part of stored.parts)
        if (part.type === 'tool-call') askedBy.set(part.callId, draft)
    }
  }
  return drafts
}

function splitByRecord(message: Message): Message[] {
  const { records = [] } = message
  if (message.role !== 'assistant' || records.length < 2) return [message]
  return [...groupByRecord(message.parts, records)].map(([record, parts]) => ({
    ...message,
    parts,
    records: [record],
  }))
}

type ResultParts = ReadonlyMap<string, ToolResultPart>

/** The user's words. Leaves out results in the same message. */
function changeUserRecord(value: JsonObject, { parts }: Message): JsonObject {
  const content = encodeContent(parts, value.content)
  return content === value.content
    ? value
    : withMembers(value, { content, displayContent: undefined })
}

function changeAnswerRecord(
  value: JsonObject,
  { parts }: AssistantMessage,
  results: ResultParts,
  untouched: ReadonlySet<Part>,
): JsonObject {
  // After a resume, the content contains the calls too.
  const isWhole = listBlocks(value.content).some((block) => isCall(block) || isThought(block))
  const spoken = parts.filter(
    (part) => part.type !== 'reasoning' && (isWhole || part.type !== 'tool-call'),
  )
  const content = encodeContent(spoken, value.content)
  const asked = parts.filter((part) => part.type === 'tool-call')
  const before = listCalls(value)
  const known = new Map(before.map((call) => [call.id, call]))
  const calls = asked.map((part) => {
    const result = results.get(part.callId)
    const call = known.get(part.callId)
    if (!call) return createCall(part, result, value.timestamp)
    const args = untouched.has(part) ? call.args : toInputObject(part.input)
    return changeResult(args === call.args ? call : { ...call, args }, result, untouched)
  })
  const toolCalls = isSameList(calls, before) ? value.toolCalls : calls
  return content === value.content && toolCalls === value.toolCalls
    ? value
    : { ...value, content, toolCalls }
}

/** `resultDisplay` repeats the result for the screen. */
function changeResult(
  call: JsonObject,
  result: ToolResultPart | undefined,
  untouched: ReadonlySet<Part>,
): JsonObject {
  if (!result) return withMembers(call, { result: undefined, resultDisplay: undefined })
  if (!untouched.has(result) || typeof call.result === 'undefined') {
    return withMembers(call, { result: encodeResult(result, call.name), resultDisplay: undefined })
  }
  if (!Array.isArray(call.result)) return call
  const own = keepSameList(listOwn(call.result, result.callId), call.result)
  return own === call.result ? call : { ...call, result: own }
}

function createCall(
  { callId: id, name, input }: ToolCallPart,
  result: ToolResultPart | undefined,
  timestamp: unknown,
): JsonObject {
  const status = !result ? 'cancelled' : result.isError ? 'error' : 'success'
  return {
    id,
    name,
    args: toInputObject(input),
    ...(result && { result: encodeResult(result, name) }),
    status,
    timestamp,
  }
}

function encodeContent(parts: readonly Part[], before: unknown): unknown {
  const [first, second] = parts
  const isText = first === undefined || (first.type === 'text' && second === undefined)
  if (isText && (typeof before === 'string' || before === undefined || before === null)) {
    // A blank text is not a part.
    const text = first?.type === 'text' ? first.text : ''
    return typeof before === 'string' && (text === before || (text === '' && before.trim() === ''))
      ? before
      : text
  }
  const thoughts = listBlocks(before).filter(isThought)
  const blocks = [...thoughts, ...parts.flatMap((part) => encodeBlock(part) ?? [])]
  if (!Array.isArray(before)) {
    const isOnly = blocks.length === 1 && blocks[0] === before
    return isOnly ? before : blocks
  }
  const filled = before.filter(
    (block) => isThought(block) || parts.some((part) => isBlockOf(part, block)),
  )
  return isSameList(blocks, filled) && filled.length === before.length ? before : blocks
}

function isBlockOf(part: Part, block: unknown): boolean {
  return isNativeBlock(part.native) && part.native.block === block
}

function createUserRecord(base: JsonObject, { parts }: Message): JsonObject {
  return { ...base, type: 'user', content: parts.flatMap((part) => encodeBlock(part) ?? []) }
}

function createAnswerRecord(
  base: JsonObject,
  model: unknown,
  { parts }: AssistantMessage,
  results: ResultParts,
): JsonObject {
  const [first] = parts
  const spoken = parts.filter((part) => part.type !== 'tool-call' && part.type !== 'reasoning')
  const isText = spoken.length === 1 && first?.type === 'text'
  const content = isText ? first.text : spoken.flatMap((part) => encodeBlock(part) ?? [])
  const asked = parts.filter((part) => part.type === 'tool-call')
  const toolCalls = asked.map((part) => createCall(part, results.get(part.callId), base.timestamp))
  return {
    ...base,
    type: 'gemini',
    content,
    thoughts: [],
    ...(toolCalls.length > 0 && { toolCalls }),
    model,
  }
}
