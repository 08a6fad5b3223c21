/**
 * The lines of a transcript of Cursor, which have no ids, no times and no results of tools:
 *
 *   {"role":"user","message":{"content":[{"type":"text","text":"<user_query>…</user_query>"}]}}
 *   {"role":"assistant","message":{"content":[{"type":"text",…},{"type":"tool_use","name":…}]}}
 *   {"type":"turn_ended","status":"success"}
 */
import type { Message, Part, ToolCallPart, ToolResultPart } from '../../conversation/message.ts'
import { parseBlocks } from '../anthropic-messages/anthropic-messages.ts'
import { FormatError } from '../shared/format.ts'
import { readMember, readString } from '../shared/json.ts'
import { type JsonlSource, readLines } from '../shared/lines.ts'
import { createAnswer, createResults, listFilled, splitUserParts } from '../shared/parts.ts'
import { createSessionFormat, readFirstLine } from '../shared/session-format.ts'

const FORMAT_NAME = 'cursor'

/**
 * Transcripts of Cursor: `~/.cursor/projects/<project>/agent-transcripts/<id>/<id>.jsonl`. Cursor
 * never reads them again, so precis writes none.
 */
export const cursor = createSessionFormat({
  name: FORMAT_NAME,
  detect(input) {
    const first = readFirstLine(input)
    return isMessageLine(first) || isTurnEnd(first) ? 1 : 0
  },
  read: (source) => ({
    conversation: { protocol: 'anthropic-messages', messages: readTranscript(source) },
    rest: {},
  }),
})

function isMessageLine(value: unknown): boolean {
  const role = readMember(value, 'role')
  const content = readMember(readMember(value, 'message'), 'content')
  const isMessage = Array.isArray(content) || typeof content === 'string'
  return (
    (role === 'user' || role === 'assistant') &&
    isMessage &&
    readMember(value, 'type') === undefined
  )
}

const isTurnEnd = (value: unknown): boolean => readMember(value, 'type') === 'turn_ended'

/** Throws `FormatError` if no line is a message. */
function readTranscript(source: JsonlSource): Message[] {
  const messages: Message[] = []
  for (const { index, value } of readLines(source, FORMAT_NAME))
    if (isMessageLine(value)) messages.push(...readMessages(value, index))
  if (messages.length > 0) return messages
  throw new FormatError(
    'unknown-format',
    `Reading a ${FORMAT_NAME} session: none of its lines is a message of Cursor. Give a file below ~/.cursor/projects/<project>/agent-transcripts.`,
  )
}

function readMessages(line: unknown, record: number): Message[] {
  const parts = parseBlocks(readMember(readMember(line, 'message'), 'content'))
  if (readMember(line, 'role') === 'user')
    return splitUserParts(parts.flatMap(splitWords), [record])
  const named = parts.map((part, index) => nameCall(part, `cursor_${record}_${index}`))
  const unanswered = named.filter(
    (part): part is ToolCallPart => part.type === 'tool-call' && !parts.includes(part),
  )
  const results = createResults(unanswered.map(createResult), [record])
  return [createAnswer(named, [record]), ...listFilled(results)]
}

/** Cursor gives its calls no ids. */
function nameCall(part: Part, callId: string): Part {
  const { native } = part
  const name = readString(native, 'name')
  return part.type === 'opaque' && part.kind === 'tool_use' && name !== undefined
    ? { type: 'tool-call', callId, name, input: readMember(native, 'input'), native }
    : part
}

const NO_RESULT = '[Cursor keeps no results of tools in its transcripts.]'

/** A call needs a result, and nothing is known of it. */
function createResult({ callId, name }: ToolCallPart): ToolResultPart {
  const output = [{ type: 'text', text: NO_RESULT } as const]
  return { type: 'tool-result', callId, name, output, isError: false }
}

const OPENING = '<user_query>'
const CLOSING = '</user_query>'

/** The words of the user are a text of their own. What is before and after them is Cursor's. */
function splitWords(part: Part): Part[] {
  if (part.type !== 'text') return [part]
  const { text, native } = part
  const start = text.indexOf(OPENING)
  const end = text.lastIndexOf(CLOSING)
  if (start < 0 || end < start) return [part]
  const words = text.slice(start + OPENING.length, end)
  const pieces = [
    text.slice(0, start).trim(),
    words.trim(),
    text.slice(end + CLOSING.length).trim(),
  ]
  return pieces.flatMap((piece) => (piece === '' ? [] : [{ type: 'text', text: piece, native }]))
}
