/**
 * Messages and the records of their document. A record of the Anthropic or Gemini API may hold several messages:
 *
 *   records    user      assistant   user [result a, result b, text]   assistant
 *   messages   user      assistant   tool                     user     assistant
 *
 * A record whose messages are all there, side by side and untouched, is the very object that was read; any other is
 * encoded again from what is left of it.
 */
import type { ContentPart, Conversation, Message, Part, ToolResultPart } from '../conversation/message.ts'
import { FormatError, type FormatName, type FormatOutput } from './format.ts'
import { type JsonDocument, openJsonDocument, writeJsonDocument } from './json-document.ts'
import { isJsonObject, readMember } from './json-object.ts'
import { toJsonText } from './json-text.ts'

export interface RecordFormat {
  readonly name: FormatName
  readonly listKeys: readonly [string, ...string[]]
  /** Keys of the body under which the system prompt lies apart; none when it is a record. */
  readonly systemKeys: readonly string[]
  /** Whether results of parallel calls have to share one record. */
  readonly joinsResults: boolean
  /** The value under the system key; undefined when nothing is left of it. */
  encodeSystem(parts: readonly ContentPart[], native: unknown): unknown
  /** The records of adjacent messages that come from one record, or from none. */
  encodeRecord(messages: readonly Message[], record: unknown): readonly unknown[]
}

/** What `Conversation.document` is for these formats. */
export interface RecordDocument {
  readonly formatName: FormatName
  readonly json: JsonDocument
  /** The messages as they were parsed. */
  readonly messages: readonly Message[]
}

export function serializeRecords(format: RecordFormat, conversation: Conversation): FormatOutput {
  const { json, messages: parsed } = readDocument(format, conversation)
  if (conversation.messages === parsed) return writeJsonDocument(json, json.records)
  const listed: Message[] = []
  const apart: Message[] = []
  for (const message of conversation.messages) {
    // A system prompt from the body stands for an empty list of records, a new one for none.
    const isApart = message.role === 'system' && format.systemKeys.length > 0 && !message.records?.length
    if (isApart) apart.push(message)
    else listed.push(message)
  }
  const records = encodeRecords(format, json, parsed, listed)
  return writeJsonDocument(json, records, encodeBodySystem(format, json, parsed, apart))
}

function readDocument(format: RecordFormat, conversation: Conversation): RecordDocument {
  const { document } = conversation
  if (document === undefined) {
    const json = openJsonDocument({ [format.listKeys[0]]: [] }, format.name, format.listKeys)
    return { formatName: format.name, json, messages: [] }
  }
  if (isRecordDocument(document) && document.formatName === format.name) return document
  throw new FormatError(
    'cannot-serialize',
    `Writing ${format.name}: the conversation was read from another format. Serialize it with the format that parsed it.`,
  )
}

function isRecordDocument(document: unknown): document is RecordDocument {
  return isJsonObject(document) && 'json' in document && 'formatName' in document && Array.isArray(document.messages)
}

function encodeBodySystem(
  format: RecordFormat,
  json: JsonDocument,
  parsed: readonly Message[],
  apart: readonly Message[],
): Record<string, unknown> {
  const original = parsed.filter((message) => message.records?.length === 0)
  if (apart.length === original.length && apart.every((message, index) => message === original[index])) return {}
  const key = format.systemKeys.find((name) => readMember(json.body, name) !== undefined) ?? format.systemKeys[0]
  if (key === undefined) return {}
  if (json.listKey === undefined && apart.length > 0) {
    throw new FormatError(
      'cannot-serialize',
      `Writing ${format.name}: a bare list has no place for a system prompt. Give a request body with "${key}" apart.`,
    )
  }
  const parts = apart.flatMap((message) => message.parts.filter(isContentPart))
  return { [key]: parts.length === 0 ? undefined : format.encodeSystem(parts, readMember(json.body, key)) }
}

interface Group {
  readonly record: number | undefined
  readonly messages: Message[]
}

function encodeRecords(
  format: RecordFormat,
  json: JsonDocument,
  parsed: readonly Message[],
  messages: readonly Message[],
): unknown[] {
  const original = new Map<number, Message[]>()
  for (const message of parsed) {
    const record = message.records?.[0]
    if (record === undefined) continue
    const shared = original.get(record)
    if (shared) shared.push(message)
    else original.set(record, [message])
  }
  return groupByRecord(messages, format.joinsResults).flatMap((group) => {
    const record = group.record === undefined ? undefined : json.records[group.record]
    const whole = group.record === undefined ? undefined : original.get(group.record)
    const isUntouched =
      whole?.length === group.messages.length && whole.every((message, index) => message === group.messages[index])
    return isUntouched ? [record] : format.encodeRecord(group.messages, record)
  })
}

function groupByRecord(messages: readonly Message[], joinsResults: boolean): Group[] {
  const groups: Group[] = []
  for (const message of messages) {
    const record = message.records?.[0]
    const last = groups.at(-1)
    const isSame = record !== undefined && last?.record === record
    const joins =
      joinsResults && record === undefined && message.role === 'tool' && last?.messages.at(-1)?.role === 'tool'
    if (last && (isSame || joins)) last.messages.push(message)
    else groups.push({ record, messages: [message] })
  }
  return groups
}

/** A run of parts of one record in the user role: results, or what a user message may hold. */
export type UserRun =
  | { readonly role: 'tool'; readonly parts: readonly ToolResultPart[] }
  | { readonly role: 'user'; readonly parts: readonly ContentPart[] }

/** Splits at every change between results and the rest, in order; one empty run for no parts, so that nothing is lost. */
export function splitUserParts(parts: readonly Part[]): UserRun[] {
  const runs: UserRun[] = []
  let results: ToolResultPart[] = []
  let content: ContentPart[] = []
  const close = () => {
    if (results.length > 0) runs.push({ role: 'tool', parts: results })
    if (content.length > 0) runs.push({ role: 'user', parts: content })
    results = []
    content = []
  }
  for (const part of parts) {
    if (part.type === 'tool-result') {
      if (content.length > 0) close()
      results.push(part)
    } else {
      if (results.length > 0) close()
      content.push(toContentPart(part))
    }
  }
  close()
  return runs.length > 0 ? runs : [{ role: 'user', parts: [] }]
}

export function isContentPart(part: Part): part is ContentPart {
  return part.type === 'text' || part.type === 'image' || part.type === 'file' || part.type === 'opaque'
}

/** A part in a role that has no such part: carried, not understood. */
export function toContentPart(part: Part): ContentPart {
  if (isContentPart(part)) return part
  return { type: 'opaque', kind: part.type, text: toJsonText(part.native), native: part.native }
}

/** The role of a record. Throws `FormatError` for one outside of `roles`: no provider would take it either. */
export function readRole<Role extends string>(
  record: unknown,
  index: number,
  formatName: FormatName,
  roles: readonly Role[],
): Role {
  const role = readMember(record, 'role')
  const known = roles.find((name) => name === role)
  if (known !== undefined) return known
  const found = isJsonObject(record) ? `role ${toJsonText(role).slice(0, 60)}` : `a ${typeof record}`
  throw new FormatError(
    'malformed',
    `Reading ${formatName}: message ${index} has ${found}. Its role must be ${roles.join(', ')}.`,
  )
}
