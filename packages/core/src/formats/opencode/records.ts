/**
 * An export of OpenCode, as its store holds it:
 *
 *   { info: session, messages: [ { info: message, parts: [ part, … ] }, … ] }
 *
 * One entry of `messages` is a record. An answer holds one part for a call and its result, and in old versions several
 * steps, each begun by a part of its own.
 */
import { FormatError } from '../format.ts'
import type { JsonDocument } from '../json/document.ts'
import { isJsonObject, type JsonObject, readMember } from '../json/object.ts'

export const FORMAT_NAME = 'opencode'

/** An entry of the export, whatever else is in it. */
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

export function readString(value: unknown, key: string): string | undefined {
  const member = readMember(value, key)
  return typeof member === 'string' ? member : undefined
}

export function isUserRecord({ info }: SessionRecord): boolean {
  return info.role === 'user'
}

export function findPart(record: SessionRecord, type: string): unknown {
  return record.parts.find((part) => readMember(part, 'type') === type)
}

/** Whether it is the summary that ends a compaction. */
export function isSummaryRecord({ info }: SessionRecord): boolean {
  return info.role === 'assistant' && info.summary === true && Boolean(info.finish) && !info.error
}
