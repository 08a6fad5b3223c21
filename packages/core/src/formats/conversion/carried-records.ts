/** What a document holds beside its conversation: every agent's own business, and nothing another one could use. */
import type { Conversation } from '../../conversation/message.ts'
import { type JsonlSource, readLines } from '../json/lines.ts'
import { isJsonObject, type JsonObject, readMember } from '../json/object.ts'
import type { LossTable } from './loss.ts'

/** Reads the document again, line by line. Message formats carry nothing. */
export function noteCarriedRecords({ document, messages }: Conversation, losses: LossTable): void {
  const sent = new Set(messages.flatMap(({ records = [] }) => records))
  for (const { record, value } of listRecords(document)) {
    if (sent.has(record)) {
      if (hasUsage(value)) losses.note('token-usage', 'record')
      if (Array.isArray(value.thoughts) && value.thoughts.length > 0) {
        losses.note('reasoning', 'summary for the screen', value.thoughts.length)
      }
    } else if (!isHeader(value)) losses.note('carried-record', describeRecord(value))
  }
}

/** Every session has its own. */
function isHeader(value: JsonObject): boolean {
  return value.type === 'session_meta' || value.type === 'session' || typeof value.projectHash === 'string'
}

interface CarriedRecord {
  readonly record: number
  readonly value: JsonObject
}

function* listRecords(document: unknown): Generator<CarriedRecord> {
  if (!isJsonObject(document)) return
  const { source, storage, records } = document
  // Gemini CLI counts messages inside of lines, OpenCode has one document.
  const known = isJsonObject(storage) ? [storage.carried, storage.records] : [records]
  if (isJsonObject(storage) || (Array.isArray(records) && !isJsonlSource(source))) {
    for (const list of known) yield* listKnown(list)
  } else if (isJsonlSource(source)) {
    for (const { index, value } of readLines(source, 'session')) {
      if (isJsonObject(value)) yield { record: index, value }
    }
  }
}

function* listKnown(list: unknown): Generator<CarriedRecord> {
  if (!Array.isArray(list)) return
  for (const [index, item] of list.entries()) {
    if (!isJsonObject(item)) continue
    if (typeof item.record === 'number' && isJsonObject(item.value)) yield { record: item.record, value: item.value }
    else yield { record: index, value: item }
  }
}

function isJsonlSource(value: unknown): value is JsonlSource {
  return isJsonObject(value) && typeof value.readText === 'function'
}

/** `event_msg token_count`, `system turn_duration`, `assistant (side chain)`. */
function describeRecord(value: JsonObject): string {
  const inner = readMember(value, 'payload') ?? readMember(value, 'info') ?? readMember(value, 'message')
  const type = readName(value.type) ?? Object.keys(value)[0] ?? 'record'
  const detail = readName(value.subtype) ?? readName(readMember(inner, 'type')) ?? readName(readMember(inner, 'role'))
  const name = detail === undefined || detail === type ? type : `${type} ${detail}`
  return value.isSidechain === true ? `${name} (side chain)` : name
}

const LONGEST_NAME = 60

function readName(value: unknown): string | undefined {
  return typeof value === 'string' ? value.slice(0, LONGEST_NAME) : undefined
}

function hasUsage(value: JsonObject): boolean {
  const holders = [value, readMember(value, 'message'), readMember(value, 'info')]
  return holders.some((holder) => isJsonObject(readMember(holder, 'usage') ?? readMember(holder, 'tokens')))
}
