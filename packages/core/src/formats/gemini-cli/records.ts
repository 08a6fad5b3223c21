/**
 * Where the messages of a chat are stored. Older versions of Gemini CLI write one object, newer
 * ones a log:
 *
 *   {"sessionId":…,"projectHash":…}      the session
 *   {"id":"a","type":"user",…}           a message
 *   {"id":"b","type":"gemini",…}
 *   {"$set":{"lastUpdated":…}}           changes facts of the session; with `messages`, replaces them all
 *   {"id":"b","type":"gemini",…}         the same message again, in its old place
 *   {"$rewindTo":"b"}                    that message and all after it are removed
 */

import { FormatError } from '../shared/format.ts'
import { isJsonObject, type JsonObject } from '../shared/json.ts'
import { type JsonlSource, readLines } from '../shared/lines.ts'
import { readOnlyObject, type SessionDocument } from '../shared/session-format.ts'
import { findArrayElements, type Span } from '../shared/spans.ts'

export const FORMAT_NAME = 'gemini-cli'

export interface GeminiCliDocument extends SessionDocument {
  readonly storage: GeminiStorage
}

export interface GeminiRecord {
  /**
   * Counts lines, and messages inside lines. In a document of one object, it is the place in its
   * list.
   */
  readonly record: number
  readonly value: JsonObject
  readonly span: Span
}

export interface GeminiStorage {
  /** The whole value of a document that is one object. Undefined for a log. */
  readonly body: JsonObject | undefined
  /** The latest facts of the session, without its messages. */
  readonly facts: JsonObject
  /** Messages that were not removed, in the order of the agent. Includes notices for the screen. */
  readonly records: readonly GeminiRecord[]
  /** Lines of a log that are not messages. Their values may contain messages. */
  readonly carried: readonly GeminiRecord[]
  readonly lineBreak: string
}

/**
 * Throws `FormatError` if there are no facts of a session, or if it is a session of a sub-agent.
 */
export function readStorage(source: JsonlSource): GeminiStorage {
  const storage = readBody(source) ?? readLog(source)
  const { sessionId, projectHash, kind } = storage.facts
  if (
    typeof sessionId !== 'string' ||
    (storage.body === undefined && typeof projectHash !== 'string')
  ) {
    throw refuse('nothing in it tells the id of a session and the project')
  }
  if (kind === 'subagent') {
    throw refuse('it is the transcript of a sub-agent, which cannot be resumed')
  }
  return storage
}

function readBody(source: JsonlSource): GeminiStorage | undefined {
  const body = readOnlyObject(source)
  if (!Array.isArray(body?.messages)) return undefined
  const { messages, ...facts } = body
  const records = messages.flatMap((value: unknown, record): GeminiRecord[] =>
    isJsonObject(value) ? [{ record, value, span: { start: 0, end: 0 } }] : [],
  )
  return { body, facts, records, carried: [], lineBreak: '\n' }
}

interface LogReading {
  readonly source: JsonlSource
  readonly live: GeminiRecord[]
  /** By id. A message that comes again keeps its place. */
  readonly places: Map<string, number>
  readonly carried: GeminiRecord[]
  facts: JsonObject
  count: number
}

function readLog(source: JsonlSource): GeminiStorage {
  const reading: LogReading = {
    source,
    live: [],
    places: new Map(),
    carried: [],
    facts: {},
    count: 0,
  }
  let lineBreak = '\n'
  for (const { start, end, next, value } of readLines(source, FORMAT_NAME)) {
    if (next - end === 2) lineBreak = '\r\n'
    const record = reading.count++
    if (isJsonObject(value)) readLine(reading, { start, end }, record, value)
  }
  const { live, facts, carried } = reading
  return { body: undefined, facts, records: live, carried, lineBreak }
}

function readLine(reading: LogReading, span: Span, record: number, value: JsonObject): void {
  const { carried } = reading
  if (typeof value.$rewindTo === 'string') {
    rewind(reading, reading.places.get(value.$rewindTo))
  } else if (typeof value.id === 'string') {
    addMessage(reading, value.id, { record, value, span })
  } else if (isJsonObject(value.$set)) {
    const { messages, ...facts } = value.$set
    if (Array.isArray(messages)) {
      rewind(reading)
      readNested(reading, span, ['$set', 'messages'], messages)
    }
    reading.facts = { ...reading.facts, ...facts }
    carried.push({ record, span, value })
  } else {
    const { messages, ...facts } = value
    const isSession = typeof value.sessionId === 'string' && typeof value.projectHash === 'string'
    if (isSession) reading.facts = { ...reading.facts, ...facts }
    if (isSession && Array.isArray(messages)) readNested(reading, span, ['messages'], messages)
    carried.push({ record, span, value })
  }
}

function readNested(
  reading: LogReading,
  line: Span,
  path: readonly string[],
  messages: readonly unknown[],
): void {
  const spans = findArrayElements(reading.source.readUnits(line.start, line.end), path) ?? []
  messages.forEach((value, index) => {
    const span = spans[index]
    if (!span || !isJsonObject(value) || typeof value.id !== 'string') return
    const place = { start: line.start + span.start, end: line.start + span.end }
    addMessage(reading, value.id, { record: reading.count++, value, span: place })
  })
}

function addMessage({ live, places }: LogReading, id: string, message: GeminiRecord): void {
  const place = places.get(id) ?? live.length
  places.set(id, place)
  live[place] = message
}

/** An id that no message has means the beginning. */
function rewind({ live, places }: LogReading, start = 0): void {
  for (const { value } of live.splice(start))
    if (typeof value.id === 'string') places.delete(value.id)
}

function refuse(found: string): FormatError {
  return new FormatError(
    'unknown-format',
    `Reading a gemini-cli session: ${found}. Give a session file of ~/.gemini/tmp/<project>/chats.`,
  )
}
