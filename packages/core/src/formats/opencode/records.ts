/**
 * An export of OpenCode, as its store holds it:
 *
 *   { info: session, messages: [ { info: message, parts: [ part, … ] }, … ] }
 *
 * One entry of `messages` is a record. One part of an answer holds a call and its result. In old
 * versions an answer holds several steps, and a separate part begins each step.
 */

import type { JsonDocument } from '../shared/document.ts'
import { FormatError } from '../shared/format.ts'
import { isJsonObject, type JsonObject, readMember, readString } from '../shared/json.ts'

export const FORMAT_NAME = 'opencode'

/** An entry of the export. It may have other members. */
export interface SessionRecord extends JsonObject {
  readonly info: JsonObject
  readonly parts: readonly unknown[]
}

/** The records of an export. Throws `FormatError` for anything else with a list of messages. */
export function readRecords({ body, listKey, records }: JsonDocument): SessionRecord[] {
  if (listKey === undefined || !isJsonObject(readMember(body, 'info'))) {
    throw new FormatError(
      'unknown-format',
      'Reading an opencode session: found no session under "info". Give what "opencode export" prints.',
    )
  }
  return records.map((record, index) => {
    if (isSessionRecord(record)) return record
    throw new FormatError(
      'malformed',
      `Reading an opencode session: message ${index} has no "info" with a role, or no list of "parts". Export the session again.`,
    )
  })
}

function isSessionRecord(record: unknown): record is SessionRecord {
  const role = readMember(readMember(record, 'info'), 'role')
  return (role === 'user' || role === 'assistant') && Array.isArray(readMember(record, 'parts'))
}

export function isUserRecord({ info }: SessionRecord): boolean {
  return info.role === 'user'
}

export function findCompactionPart({ parts }: SessionRecord): unknown {
  return parts.find((part) => readMember(part, 'type') === 'compaction')
}

/** Whether it is the summary at the end of a compaction. */
export function isSummaryRecord({ info }: SessionRecord): boolean {
  return info.role === 'assistant' && info.summary === true && Boolean(info.finish) && !info.error
}

/**
 * Positions of the records that OpenCode sends when it resumes, in the order sent. A compaction is
 * a user record with a part of that type, answered by the summary. If it has a tail, records after
 * the summarized ones stay as they were:
 *
 *   stored   old   old   tail   tail   compaction   summary   next
 *   sent                        compaction   summary   tail   tail   next
 *
 * Undone records stay stored until the next request. Failed answers stay forever.
 */
export function findLiveRecords(records: readonly SessionRecord[], session: unknown): number[] {
  const taken = takeFromNewest(records, findRevertedAt(records, session))
  return moveTail(records, taken).filter((index) => !hasFailed(records[index]))
}

/**
 * Positions of all records that were not undone and did not fail, including records that a
 * compaction replaces.
 */
export function findKeptRecords(records: readonly SessionRecord[], session: unknown): number[] {
  const end = findRevertedAt(records, session)
  return records.flatMap((record, index) => (index < end && !hasFailed(record) ? [index] : []))
}

/** The first record that the user undid, or the end if there is none. */
function findRevertedAt(records: readonly SessionRecord[], session: unknown): number {
  const revert = readMember(session, 'revert')
  const messageId = readString(revert, 'messageID')
  if (messageId === undefined) return records.length
  const index = records.findIndex(({ info }) => info.id === messageId)
  if (index < 0) return records.length
  return readMember(revert, 'partID') === undefined ? index : index + 1
}

/** The records, without the parts of one record that the user undid. */
export function withoutRevertedParts(
  records: readonly SessionRecord[],
  session: unknown,
): readonly SessionRecord[] {
  const revert = readMember(session, 'revert')
  const partId = readMember(revert, 'partID')
  if (partId === undefined) return records
  const index = records.findIndex(({ info }) => info.id === readMember(revert, 'messageID'))
  const record = records[index]
  const end = record?.parts.findIndex((part) => readMember(part, 'id') === partId) ?? -1
  return record && end >= 0
    ? records.with(index, { ...record, parts: record.parts.slice(0, end) })
    : records
}

function takeFromNewest(records: readonly SessionRecord[], end: number): number[] {
  const taken: number[] = []
  const summarized = new Set<unknown>()
  let tailStart: unknown
  for (let index = end - 1; index >= 0; index--) {
    const record = records[index]
    if (!record) continue
    taken.push(index)
    if (tailStart !== undefined) {
      if (record.info.id === tailStart) break
      continue
    }
    if (isSummaryRecord(record)) summarized.add(record.info.parentID)
    const compaction =
      isUserRecord(record) && summarized.has(record.info.id)
        ? findCompactionPart(record)
        : undefined
    if (compaction === undefined) continue
    tailStart = readString(compaction, 'tail_start_id')
    if (tailStart === undefined || tailStart === record.info.id) break
  }
  return taken.reverse()
}

function moveTail(records: readonly SessionRecord[], taken: readonly number[]): readonly number[] {
  const boundary = taken.findLastIndex((index) => readTailStart(records[index]) !== undefined)
  const record = records[taken[boundary] ?? -1]
  if (!record) return taken
  const summary = taken.findIndex((index, at) => {
    const info = records[index]?.info
    return (
      at > boundary &&
      info?.role === 'assistant' &&
      Boolean(info.summary) &&
      info.parentID === record.info.id
    )
  })
  const tailStart = readTailStart(record)
  const tail = taken.findIndex((index) => records[index]?.info.id === tailStart)
  if (tail < 0 || tail >= boundary || summary < 0) return taken
  return [
    ...taken.slice(boundary, summary + 1),
    ...taken.slice(tail, boundary),
    ...taken.slice(summary + 1),
  ]
}

function readTailStart(record: SessionRecord | undefined): string | undefined {
  return record && isUserRecord(record)
    ? readString(findCompactionPart(record), 'tail_start_id')
    : undefined
}

/**
 * An answer with an error is not sent. An answer that the user interrupted is sent up to that
 * point.
 */
function hasFailed(record: SessionRecord | undefined): boolean {
  if (!record || isUserRecord(record) || !isJsonObject(record.info.error)) return false
  if (record.info.error.name !== 'MessageAbortedError') return true
  return !record.parts.some(
    (part) => !['step-start', 'reasoning'].includes(readString(part, 'type') ?? ''),
  )
}

/** Values that OpenCode requires of a record, taken from other records. */
export interface RecordDefaults {
  /** Milliseconds since 1970, for a new record at the beginning. */
  readonly timeMs: number
  /** The `info` of a new record, without its id. */
  createUser(timeMs: number): JsonObject
  createAssistant(timeMs: number): JsonObject
  /** Values that OpenCode requires now and that older versions did not write. */
  findMissing(info: JsonObject): JsonObject
}

const ASKED_OF_USERS = ['agent', 'model']
const ASKED_OF_ANSWERS = ['agent', 'mode', 'path', 'cost', 'tokens', 'modelID', 'providerID']

export const NO_TOKENS = { input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } }

export function createDefaults(
  session: unknown,
  records: readonly SessionRecord[],
): RecordDefaults {
  const user = records.findLast(isUserRecord)?.info
  const assistant = records.findLast((record) => !isUserRecord(record))?.info
  const sessionID = readMember(session, 'id')
  const used = readMember(session, 'model')
  const providerID = readString(assistant, 'providerID') ?? readString(used, 'providerID') ?? ''
  const modelID = readString(assistant, 'modelID') ?? readString(used, 'id') ?? ''
  const agent = readString(user, 'agent') ?? readString(session, 'agent') ?? 'build'
  const directory = readString(session, 'directory') ?? '/'
  const firstTime = readMember(records[0]?.info.time ?? readMember(session, 'time'), 'created')
  const createUser = (timeMs: number): JsonObject => ({
    role: 'user',
    time: { created: timeMs },
    agent,
    model: user?.model ?? { providerID, modelID },
    sessionID,
  })
  const createAssistant = (timeMs: number): JsonObject => ({
    parentID: readString(user, 'id') ?? 'msg_000000000000',
    role: 'assistant',
    mode: readString(assistant, 'mode') ?? agent,
    agent,
    path: assistant?.path ?? { cwd: directory, root: directory },
    cost: 0,
    tokens: NO_TOKENS,
    modelID,
    providerID,
    time: { created: timeMs, completed: timeMs },
    finish: 'stop',
    sessionID,
  })
  return {
    timeMs: typeof firstTime === 'number' ? firstTime : 0,
    createUser,
    createAssistant,
    findMissing: (info) => {
      const isUser = info.role === 'user'
      const whole = isUser ? createUser(0) : { ...createAssistant(0), agent: info.mode ?? agent }
      const asked = isUser ? ASKED_OF_USERS : ASKED_OF_ANSWERS
      const missing = asked.filter((key) => readMember(info, key) === undefined)
      return Object.fromEntries(missing.map((key) => [key, readMember(whole, key)]))
    },
  }
}
