/**
 * The conversation as Claude Code hands it to a mod: one row for each block of a message
 * (`session.compact`, tried with 2.1.332). Thinking is an answer without text and calls. Images,
 * documents and reminders are not in rows.
 *
 *   user "fix it" ─ assistant "" ─ assistant call a ─ assistant call b ─ user result a ─ user result b
 *   ▲ handle         ▲ thinking    └──── one message ────┘              └──── one message ────┘
 *
 * Only rows that are no answer and no result go back with their handle. A session loads every other
 * row twice, or loads the history of before the compaction again. All other rows are written from
 * scratch, one for each message, because rows of one message lose results of parallel calls.
 */
import { checkValue } from '../../conversation/check-options.ts'
import { toJsonText } from '../../conversation/json-text.ts'
import {
  type AssistantMessage,
  type ContentPart,
  type Conversation,
  type Message,
  type Origin,
  renderPart,
  type ToolResultPart,
} from '../../conversation/message.ts'
import { isSummaryText } from '../../conversation/summary-message.ts'
import { FormatError } from '../shared/format.ts'
import { type JsonObject, readMember, readString, toObject } from '../shared/json.ts'
import { createAnswer, createResults, nameResult } from '../shared/parts.ts'
import { findEntryOrigin } from './entry-origin.ts'

/** A row, in the agent's own names. */
export interface SessionRow {
  readonly role: 'user' | 'assistant'
  readonly text: string
  readonly toolUses: readonly RowCall[]
  readonly toolResults?: readonly RowResult[]
  /** The agent's own message, with all that a row does not show. */
  readonly handle?: string
}

interface RowCall {
  readonly tool_use_id: string
  readonly tool: string
  readonly input: unknown
}

interface RowResult {
  readonly tool_use_id: string
  readonly text: string
  readonly isError?: boolean
  /** What the tool gave the agent. The agent ignores it on the way back. */
  readonly result?: unknown
}

/** What no row can bring back. */
export interface UnkeptParts {
  /** Blocks of the model's thinking. */
  readonly reasoning: number
  /** Images and documents in results of tools. */
  readonly media: number
}

export interface SessionRows {
  readonly conversation: Conversation
  readonly unkept: UnkeptParts
}

export interface RowsContext {
  readonly model?: string
  readonly workingDirectory?: string
}

interface RowsDocument {
  readonly formatName: 'claude-code-rows'
  /** The rows of messages that go back as they are, if nothing changes them. */
  readonly whole: ReadonlyMap<Message, SessionRow>
}

/** Throws `FormatError` for anything that is not a row. */
export function readRows(given: readonly unknown[], context: RowsContext = {}): SessionRows {
  checkValue('Reading rows', 'rows', given, { allowed: 'a list of rows', accepts: Array.isArray })
  // A hole of the list is no row either.
  const rows = Array.from(given, toRow)
  const names = new Map(
    rows.flatMap(({ toolUses }) => toolUses.map((use) => [use.tool_use_id, use.tool] as const)),
  )
  const messages: Message[] = []
  const whole = new Map<Message, SessionRow>()
  let reasoning = 0
  let media = 0
  for (const { kind, records } of groupRows(rows)) {
    const group = records.map((record) => rows[record]!)
    if (kind === 'answer') {
      const answers = group.map(readAnswer)
      const parts = answers.flat()
      reasoning += answers.filter((answer) => answer.length === 0).length
      if (parts.length > 0) messages.push(createAnswer(parts, records))
    } else if (kind === 'results') {
      const results = group.flatMap(({ toolResults = [] }) => toolResults)
      media += results.filter(hasMedia).length
      const parts = results.map((result) => nameResult(readResult(result), names))
      messages.push(createResults(parts, records))
      const texts = group.flatMap(({ text }) => (text.trim() === '' ? [] : [text]))
      if (texts.length > 0) messages.push(createWords(texts, 'environment', records))
    } else {
      const message = readWords(rows, records[0]!)
      const isOfHost = records[0] === 0 && message.origin === 'synthetic'
      const verified = isOfHost ? splitVerified(group[0]!) : undefined
      whole.set(message, group[0]!)
      messages.push(...(verified ?? [message]))
    }
  }
  const document: RowsDocument = { formatName: 'claude-code-rows', whole }
  return {
    conversation: { protocol: 'anthropic-messages', messages, tools: [], ...context, document },
    unkept: { reasoning, media },
  }
}

/** The rows that stay in the running session and in one that is resumed from its file. */
export function writeRows({ messages, document }: Conversation): SessionRow[] {
  const { whole } = document as RowsDocument
  const rows: SessionRow[] = []
  for (const message of messages) {
    const row = whole.get(message) ?? writeRow(message)
    const last = rows.at(-1)
    const joined = last && whole.get(message) === undefined ? joinRows(last, row) : undefined
    if (joined) rows[rows.length - 1] = joined
    else rows.push(row)
  }
  return rows
}

function toRow(value: unknown): SessionRow {
  const row = toObject(value)
  const { role, text, toolUses, toolResults = [] } = row
  const isRow = (role === 'user' || role === 'assistant') && typeof text === 'string'
  if (!isRow || !isListOfIds(toolUses) || !isListOfIds(toolResults)) {
    throw new FormatError(
      'malformed',
      `Reading the rows of a Claude Code session: found ${describe(row)}. Update precis, or let the agent compact itself.`,
    )
  }
  return value as SessionRow
}

const isListOfIds = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.every((item: unknown) => readString(item, 'tool_use_id') !== undefined)

const describe = ({ role, text }: JsonObject): string =>
  `a row with the role ${toJsonText(role).slice(0, 40)} and a text of the type ${typeof text}`

interface RowGroup {
  readonly kind: 'answer' | 'results' | 'words'
  readonly records: number[]
}

/** Neighboring answers are one message, and so are neighboring results. */
function groupRows(rows: readonly SessionRow[]): RowGroup[] {
  const groups: RowGroup[] = []
  for (const [record, row] of rows.entries()) {
    const kind = row.role === 'assistant' ? 'answer' : row.toolResults?.length ? 'results' : 'words'
    const last = groups.at(-1)
    if (last?.kind === kind && kind !== 'words') last.records.push(record)
    else groups.push({ kind, records: [record] })
  }
  return groups
}

function readAnswer({ text, toolUses }: SessionRow): AssistantMessage['parts'][number][] {
  return [
    ...(text.trim() === '' ? [] : [{ type: 'text', text } as const]),
    ...toolUses.map(({ tool_use_id: callId, tool: name, input }) => {
      return { type: 'tool-call', callId, name, input } as const
    }),
  ]
}

// As strategies write it, so that it is known again.
const CLEARED_MEDIA = '[image of a result: cleared]'

function readResult(result: RowResult): ToolResultPart {
  const { tool_use_id: callId, text, isError = false } = result
  const texts = [text, ...(hasMedia(result) ? [CLEARED_MEDIA] : [])].filter((line) => line !== '')
  const output = texts.map((line) => ({ type: 'text', text: line }) as const)
  return { type: 'tool-result', callId, output, isError }
}

/**
 * Tools of the agent and of servers say `image`. A shell command reports that its output is an
 * image.
 */
function hasMedia({ result }: RowResult): boolean {
  const blocks: readonly unknown[] = Array.isArray(result) ? result : [result]
  return blocks.some(
    (block) => MEDIA.has(readString(block, 'type') ?? '') || readMember(block, 'isImage') === true,
  )
}

const MEDIA: ReadonlySet<string> = new Set(['image', 'document', 'pdf', 'parts'])

/**
 * The first row may be the summary of an earlier compaction by precis. Anywhere else, a summary is
 * text that the user pasted.
 */
function readWords(rows: readonly SessionRow[], record: number): Message {
  const { text } = rows[record]!
  if (record === 0 && isSummaryText(text)) return createWords([text], 'synthetic', [record])
  const following = rows[record + 1]
  const content = following && !following.toolResults?.length ? following.text : undefined
  const texts = text.trim() === '' ? [] : [text]
  const origin = findEntryOrigin({}, texts, { message: { content } })
  return createWords([text], origin, [record])
}

/** A summary of the agent, after which precis put what it lost: two messages. */
function splitVerified({ text }: SessionRow): Message[] | undefined {
  const start = text.lastIndexOf('<conversation-summary ')
  if (start <= 0 || !isSummaryText(text.slice(start))) return undefined
  return [text.slice(0, start), text.slice(start)].map((part) =>
    createWords([part], 'synthetic', [0]),
  )
}

function createWords(
  texts: readonly string[],
  origin: Origin,
  records: readonly number[],
): Message {
  const parts = texts.map((text): ContentPart => {
    // The user attached an image or a document and wrote nothing.
    return text.trim() === ''
      ? { type: 'opaque', kind: 'attachment', text }
      : { type: 'text', text }
  })
  return { role: 'user', origin, parts, records }
}

function writeRow(message: Message): SessionRow {
  if (message.role === 'tool') {
    const toolResults = message.parts.flatMap((part) => {
      if (part.type !== 'tool-result') return []
      const { callId, output, isError } = part
      return [{ tool_use_id: callId, text: output.map(renderPart).join('\n'), isError }]
    })
    return { role: 'user', text: '', toolUses: [], toolResults }
  }
  const text = message.parts
    .flatMap((part) =>
      part.type === 'tool-call' || part.type === 'reasoning' ? [] : [renderPart(part)],
    )
    .join('\n')
  if (message.role !== 'assistant') return { role: 'user', text, toolUses: [] }
  const toolUses = message.parts.flatMap((part) => {
    if (part.type !== 'tool-call') return []
    return [{ tool_use_id: part.callId, tool: part.name, input: part.input }]
  })
  return { role: 'assistant', text, toolUses }
}

/** Undefined if they are not of one message. */
function joinRows(left: SessionRow, right: SessionRow): SessionRow | undefined {
  if (left.role === 'assistant' && right.role === 'assistant') {
    const text = [left.text, right.text].filter((words) => words !== '').join('\n')
    return { role: 'assistant', text, toolUses: [...left.toolUses, ...right.toolUses] }
  }
  if (!left.toolResults || !right.toolResults || left.handle !== undefined) return undefined
  return { ...left, toolResults: [...left.toolResults, ...right.toolResults] }
}
