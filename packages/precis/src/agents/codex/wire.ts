/**
 * Codex asks for a compaction in one of three ways, each named in a header of the request. Its
 * provider compacts by `responses` ending in a trigger (observed with 0.169.0), or in older
 * versions by `responses/compact`. For providers not named OpenAI, Codex uses its own prompt. After
 * the first two, its history permanently contains an item that only the provider can read.
 */
import { createItemEvents, createResponse, type TextAnswer } from '@precis/core/apis'
import { encodeOwnCompaction, readOwnCompaction } from '@precis/core/formats'
import { asObject, type JsonObject } from '../../files/lines.ts'
import { SERVER_NAME } from '../shared/entry.ts'
import {
  asObjects,
  readHeader,
  readIdHeader,
  readOnlyText,
  readPathname,
} from '../shared/request-text.ts'
import type { AgentWire, CompactionRequest, RequestHeaders, WireRequest } from '../shared/wire.ts'
import { launch, listGatewayEntries } from './launch.ts'

const TRIGGER = 'compaction_trigger'
const PROMPT = 'You are performing a CONTEXT CHECKPOINT COMPACTION.'
const OWN_MARK = 'precis-compaction-1:'
const HANDED_ON_BEGINNING =
  'Another language model started to solve this problem and produced a summary of its thinking process.'
const COMPACTION = 'compaction'

export const wire: AgentWire = {
  readSession,
  marks: [TRIGGER, PROMPT],
  announcesCompaction: (headers) => readTurn(headers)?.request_kind === COMPACTION,
  readCompaction,
  unwrapSummary,
  restoreMessage,
  summaryMarks: [OWN_MARK, HANDED_ON_BEGINNING],
  // Tools of a server are members of a namespace.
  recallMark: `"name":"mcp__${SERVER_NAME}"`,
  launch,
  listGatewayEntries,
}

/** A subagent is a separate thread. */
function readSession(headers: RequestHeaders): string | undefined {
  const isOwn =
    readHeader(headers, 'originator')?.startsWith('codex') || readTurn(headers) !== undefined
  if (!isOwn) return undefined
  return (
    readIdHeader(headers, 'thread-id') ??
    readIdHeader(headers, 'session-id') ??
    readIdHeader(headers, 'session_id')
  )
}

function readTurn(headers: RequestHeaders): JsonObject | undefined {
  const metadata = readHeader(headers, 'x-codex-turn-metadata')
  if (metadata === undefined) return undefined
  try {
    const turn: unknown = JSON.parse(metadata)
    return asObject(turn)
  } catch {
    return undefined
  }
}

function readCompaction({ api, path, headers, body }: WireRequest): CompactionRequest | undefined {
  const items = asObjects(body.input)
  if (api !== 'openai-responses' || !items || readSession(headers) === undefined) return undefined
  const wrapSummary = (summary: string) => summary
  if (readPathname(path).endsWith('/responses/compact')) {
    const isWhole =
      items.length > 0 && body.stream !== true && items.every(({ type }) => type !== TRIGGER)
    return isWhole ? { messages: items, wrapSummary, createAnswer: createCompacted } : undefined
  }
  const turn = readTurn(headers)
  const isDue =
    turn?.request_kind === COMPACTION &&
    readPathname(path).endsWith('/responses') &&
    body.stream === true
  const messages = items.slice(0, -1)
  const last = items.at(-1)
  if (!isDue || messages.length === 0 || messages.some(({ type }) => type === TRIGGER))
    return undefined
  if (last?.type === TRIGGER) return { messages, wrapSummary, createAnswer: createCompactionItem }
  return isPrompt(last) && !hasTools(body) ? { messages, wrapSummary } : undefined
}

// Words after the first sentence change with its versions. The header already showed that this is a
// compaction.
function isPrompt(item: JsonObject | undefined): boolean {
  return item?.role === 'user' && readOnlyText(item.content)?.startsWith(PROMPT) === true
}

function hasTools({ tools }: JsonObject): boolean {
  return tools !== undefined && (!Array.isArray(tools) || tools.length > 0)
}

function createItem({ id, text }: TextAnswer): JsonObject {
  return { type: 'compaction', id: `cmp_${id}`, encrypted_content: encodeOwnCompaction(text) }
}

function createCompactionItem(answer: TextAnswer) {
  const item = createItem(answer)
  return { body: createResponse(answer, [item]), events: createItemEvents(answer, item) }
}

/** Never streamed (developers.openai.com/api/reference, responses/compact). */
function createCompacted(answer: TextAnswer) {
  const body = { ...createResponse(answer, [createItem(answer)]), object: 'response.compaction' }
  return { body, events: [] }
}

const RESTORED = 'The conversation before this was compacted. What it came to:\n'
// Its last words change with its versions.
const HANDED_ON = /^[^\n]*\n/

/**
 * An item of precis as a message that any provider can read. An item of a provider only works with
 * that provider.
 */
function restoreMessage(message: JsonObject): JsonObject | undefined {
  const summary = readOwnCompaction(message)
  if (summary === undefined) return undefined
  return {
    type: 'message',
    role: 'user',
    content: [{ type: 'input_text', text: RESTORED + summary }],
  }
}

function unwrapSummary(text: string): string | undefined {
  if (text.startsWith(RESTORED)) return text.slice(RESTORED.length)
  if (!text.startsWith(HANDED_ON_BEGINNING)) return undefined
  const [beginning] = HANDED_ON.exec(text) ?? []
  return beginning === undefined ? undefined : text.slice(beginning.length)
}
