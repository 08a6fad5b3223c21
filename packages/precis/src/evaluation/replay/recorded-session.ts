/**
 * A recorded session as its agent could have sent it, had its window been large enough: request by request, the
 * compactions of the agent's own undone.
 *
 *   step 1                      step 2                     step 3
 *   input ──► answer (calls)    input (results) ──► answer  …
 */
import type { Conversation, Message, RequestFormat } from '@precis/core'
import { formats } from '@precis/core/formats'
import { asObject, asText, type JsonObject, parseObject, readLines } from '../../sessions/lines.ts'
import type { LoadedSession } from '../../sessions/load-session.ts'

/** What came since the last answer, and the answer to it; both as the provider's API has them. */
export interface RecordedStep {
  readonly input: readonly object[]
  readonly answer: readonly object[]
  readonly messages: readonly Message[]
  /** When the request was sent; undefined where the format has no times. */
  readonly timeMs: number | undefined
  /** Whether the person said something with it. */
  readonly startsTurn: boolean
}

export interface RecordedSession {
  readonly name: string
  readonly format: string
  readonly requestFormat: RequestFormat
  readonly model: string
  readonly system: unknown
  readonly tools: readonly object[]
  readonly workingDirectory: string
  readonly steps: readonly RecordedStep[]
  /** How often the agent compacted by itself; its summaries are left out. */
  readonly compactions: number
  readonly hasTimes: boolean
}

/** Reads the whole document; messages after the last answer are left out, because nothing was recorded to follow them. */
export function readRecordedSession(session: LoadedSession): RecordedSession {
  const { conversation, format } = session
  const requestFormat = findRequestFormat(conversation, format.name)
  const { timed, compactions } = readTimedMessages(session)
  const apart = timed.filter(({ message }) => isApart(message)).map(({ message }) => message)
  const steps = splitSteps(
    timed.filter(({ message }) => !isApart(message)),
    (messages) => toNatives(requestFormat, conversation, messages),
  )
  return {
    name: session.name,
    format: format.name,
    requestFormat,
    model: conversation.model ?? '',
    system: readSystem(requestFormat, apart),
    tools: readTools(requestFormat, conversation.tools),
    workingDirectory: conversation.workingDirectory ?? '',
    steps,
    compactions,
    hasTimes: steps.some(({ timeMs }) => timeMs !== undefined),
  }
}

interface TimedMessage {
  readonly message: Message
  readonly timeMs: number | undefined
}

interface TimedMessages {
  readonly timed: readonly TimedMessage[]
  readonly compactions: number
}

/** A session of an agent is sent in the format of its provider; anything else in its own. */
function findRequestFormat({ protocol }: Conversation, name: string): RequestFormat {
  return name === 'ai-sdk' || name === 'langchain' ? name : protocol
}

function readTimedMessages(session: LoadedSession): TimedMessages {
  if (session.format.name === 'claude-code') return readClaudeCode(session)
  if (session.format.name === 'codex') return readCodex(session)
  if (session.format.name === 'opencode') return readOpencode(session)
  const timed = session.conversation.messages.map((message) => ({ message, timeMs: undefined }))
  return { timed, compactions: 0 }
}

interface Row {
  readonly line: string
  readonly value: JsonObject
}

function readRows({ document }: LoadedSession): Row[] {
  const rows: Row[] = []
  for (const bytes of readLines(document.source)) {
    const value = parseObject(bytes)
    if (value) rows.push({ line: bytes.toString('utf8'), value })
  }
  return rows
}

/** A compaction begins a new root, so each part between two is read on its own. */
function readClaudeCode(session: LoadedSession): TimedMessages {
  const rows = readRows(session)
  const starts = findCompactions(rows)
  const seen = new Set<string>()
  const timed: TimedMessage[] = []
  for (const [index, start] of [0, ...starts].entries()) {
    const part = rows.slice(start, starts[index] ?? rows.length)
    if (!part.some(({ value }) => value.type === 'user' || value.type === 'assistant')) continue
    for (const { message, timeMs } of parseRows(session, part)) {
      const own = (message.records ?? []).map((record) => part[record]?.value)
      if (own.some((value) => value?.isCompactSummary === true)) continue
      // What is carried over a compaction stands in the file twice.
      const uuid = asText(own[0]?.uuid)
      const key = `${uuid} ${message.role}`
      if (uuid !== undefined && seen.has(key)) continue
      seen.add(key)
      timed.push({ message, timeMs })
    }
  }
  return { timed, compactions: starts.length }
}

function findCompactions(rows: readonly Row[]): number[] {
  const starts: number[] = []
  for (const [index, { value }] of rows.entries()) {
    const isBoundary = value.type === 'system' && value.subtype === 'compact_boundary'
    const follows = rows[(starts.at(-1) ?? -2) + 1] === rows[index]
    if (isBoundary || (value.isCompactSummary === true && !follows)) starts.push(index)
  }
  return starts.filter((start) => start > 0)
}

/** Codex writes the shorter history into one record; without it the rest is the whole history. */
function readCodex(session: LoadedSession): TimedMessages {
  const rows = readRows(session)
  const kept = rows.filter(({ value }) => value.type !== 'compacted')
  return { timed: parseRows(session, kept), compactions: rows.length - kept.length }
}

/** A compaction of OpenCode hides what lies before it: without its records all of that is read again. */
function readOpencode({ document, format }: LoadedSession): TimedMessages {
  const exported = parseObject(Buffer.from(document.source.read(0, document.source.byteLength)))
  const records = Array.isArray(exported?.messages) ? exported.messages.map(asObject) : []
  const kept = records.filter((record) => asObject(record?.info)?.summary !== true && !asksForCompaction(record))
  const timed = format.parse({ info: exported?.info, messages: kept }).messages.map((message) => {
    const time = asObject(asObject(kept[message.records?.[0] ?? -1]?.info)?.time)
    return { message, timeMs: typeof time?.created === 'number' ? time.created : undefined }
  })
  return { timed, compactions: records.filter(asksForCompaction).length }
}

function asksForCompaction(record: JsonObject | undefined): boolean {
  const parts = record?.parts
  return Array.isArray(parts) && parts.some((part) => asObject(part)?.type === 'compaction')
}

function parseRows({ format }: LoadedSession, rows: readonly Row[]): TimedMessage[] {
  const { messages } = format.parse(`${rows.map(({ line }) => line).join('\n')}\n`)
  return messages.map((message) => {
    const timeMs = Date.parse(asText(rows[message.records?.[0] ?? -1]?.value.timestamp) ?? '')
    return { message, timeMs: Number.isNaN(timeMs) ? undefined : timeMs }
  })
}

function splitSteps(
  timed: readonly TimedMessage[],
  encode: (messages: readonly Message[]) => readonly object[],
): RecordedStep[] {
  const steps: RecordedStep[] = []
  let start = 0
  while (start < timed.length) {
    let middle = start
    while (middle < timed.length && timed[middle]?.message.role !== 'assistant') middle++
    let end = middle
    while (end < timed.length && timed[end]?.message.role === 'assistant') end++
    if (middle === end) break
    const input = timed.slice(start, middle)
    const answer = timed.slice(middle, end).map(({ message }) => message)
    steps.push({
      input: encode(input.map(({ message }) => message)),
      answer: encode(answer),
      messages: [...input.map(({ message }) => message), ...answer],
      timeMs: input.at(-1)?.timeMs ?? timed[middle]?.timeMs,
      startsTurn: input.some(({ message }) => message.role === 'user' && message.origin === 'user'),
    })
    start = end
  }
  return steps
}

/** The name of the list of messages in a request. */
export function listKeyOf(format: RequestFormat): string {
  return LIST_KEYS[format] ?? 'messages'
}

const LIST_KEYS: Readonly<Partial<Record<RequestFormat, string>>> = {
  'openai-responses': 'input',
  'gemini-contents': 'contents',
}

function toNatives(format: RequestFormat, conversation: Conversation, messages: readonly Message[]): readonly object[] {
  if (messages.length === 0) return []
  const { document: _, ...facts } = conversation
  const fresh = messages.map(({ records: _records, ...message }) => message as Message)
  const body = asObject(formats[format].serialize({ ...facts, messages: fresh }))
  const natives = body?.[listKeyOf(format)]
  return Array.isArray(natives) ? natives : []
}

/** A system prompt that lies apart stands in no record of the list. */
function isApart({ role, records }: Message): boolean {
  return role === 'system' && records?.length === 0
}

function readSystem(format: RequestFormat, apart: readonly Message[]): unknown {
  const texts = apart.flatMap(({ parts }) => parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])))
  if (texts.length === 0) return undefined
  const text = texts.join('\n\n')
  return format === 'gemini-contents' ? { parts: [{ text }] } : text
}

function readTools(format: RequestFormat, tools: readonly string[]): readonly object[] {
  const schemas = tools.map((text) => asObject(JSON.parse(text))).filter((tool) => tool !== undefined)
  return format === 'gemini-contents' && schemas.length > 0 ? [{ functionDeclarations: schemas }] : schemas
}
