import type { Message } from '../../conversation/message.ts'
import { isJsonObject, type JsonObject, withMembers } from '../shared/json.ts'
import { findBesideKept, findGoneCalls, namesAny } from '../shared/records.ts'
import { isResponse, listBlocks } from './read.ts'
import type { GeminiCliDocument, GeminiRecord } from './records.ts'

interface KeptRecord {
  readonly value: JsonObject
  readonly before: GeminiRecord
}

/**
 * Records that are not messages but are kept in a changed session. These are notices and unsent
 * words next to a kept message, and lines of a log without messages. The first line of a new
 * session holds its own facts. A record is removed if it names a removed message or call.
 */
export function listCarried(
  document: GeminiCliDocument,
  messages: readonly Message[],
  isNew: boolean,
): KeptRecord[] {
  const { storage, messages: originals } = document
  const beside = findBesideKept(
    storage.records.map(({ record }) => record),
    originals,
    messages,
  )
  // Leaves out the second copies of results, which would be sent again.
  const unsent = storage.records.filter(({ record, value }) => beside.has(record) && !isCopy(value))
  const lines = isNew ? storage.carried.filter(({ value }) => !hasFacts(value)) : storage.carried
  const kept = new Set(messages.flatMap(({ records = [] }) => records))
  const gone = findGoneCalls(originals, messages)
  for (const { record, value } of storage.records)
    if (typeof value.id === 'string' && !kept.has(record) && !beside.has(record)) gone.add(value.id)
  return [
    ...lines.map((before) => ({ before, value: withoutMessages(before.value) })),
    ...unsent.map((before) => ({ before, value: before.value })),
  ]
    .filter(({ value }) => !namesAny(value, gone))
    .sort((a, b) => a.before.record - b.before.record)
}

function hasFacts({ sessionId, $set }: JsonObject): boolean {
  return typeof sessionId === 'string' || isJsonObject($set)
}

function isCopy({ type, content }: JsonObject): boolean {
  return type === 'user' && listBlocks(content).some(isResponse)
}

function withoutMessages(value: JsonObject): JsonObject {
  const { messages, $set: set } = value
  if (isJsonObject(set) && Array.isArray(set.messages))
    return { ...value, $set: withMembers(set, { messages: undefined }) }
  return Array.isArray(messages) ? withMembers(value, { messages: undefined }) : value
}
