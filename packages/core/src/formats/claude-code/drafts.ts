import type { Message, Part } from '../../conversation/message.ts'
import { isSameList } from '../json/same-list.ts'
import { isNativeBlock } from './native-block.ts'

/** An entry to be written. */
export type Draft = KeptDraft | NewDraft

export interface KeptDraft {
  readonly type: 'kept'
  /** Line of the entry it was. */
  readonly record: number
  /** The parts it holds now, of one message or two; undefined when they are what they were. */
  readonly parts: readonly Part[] | undefined
  /** Those of them that nobody edited. */
  readonly untouched: ReadonlySet<Part>
}

interface NewDraft {
  readonly type: 'new'
  readonly message: Message
}

/**
 * Splits messages into the entries that hold them. One message may span several entries (an answer), and one entry
 * may hold two messages (results, then words).
 */
export function draftEntries(messages: readonly Message[], originals: readonly Message[]): Draft[] {
  const originalParts = groupByRecord(originals)
  const drafts: Draft[] = []
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index]!
    if (!message.records || message.records.length === 0) {
      drafts.push({ type: 'new', message })
      continue
    }
    const parts: Part[] = [...message.parts]
    const [record] = message.records
    const following = messages[index + 1]
    if (message.role === 'tool' && following?.role === 'user' && following.records?.[0] === record) {
      parts.push(...following.parts)
      index++
    }
    for (const [position, group] of splitByRecord(parts, message.records)) {
      const original = originalParts.get(position) ?? []
      const changed = isSameList(original, group) ? undefined : group
      drafts.push({ type: 'kept', record: position, parts: changed, untouched: new Set(original) })
    }
  }
  return drafts
}

function groupByRecord(messages: readonly Message[]): Map<number, Part[]> {
  const groups = new Map<number, Part[]>()
  for (const message of messages) {
    for (const [record, parts] of splitByRecord(message.parts, message.records ?? [])) {
      const group = groups.get(record)
      if (group) group.push(...parts)
      else groups.set(record, parts)
    }
  }
  return groups
}

/** A part that comes from no entry goes with the part before it. Entries left without parts are gone. */
function splitByRecord(parts: readonly Part[], records: readonly number[]): Map<number, Part[]> {
  const allowed = new Set(records)
  const groups = new Map<number, Part[]>()
  let record = parts.map(readRecord).find((found) => found !== undefined && allowed.has(found)) ?? records[0]
  for (const part of parts) {
    const own = readRecord(part)
    if (own !== undefined && allowed.has(own)) record = own
    if (record === undefined) continue
    const group = groups.get(record)
    if (group) group.push(part)
    else groups.set(record, [part])
  }
  return groups
}

function readRecord(part: Part): number | undefined {
  return isNativeBlock(part.native) ? part.native.record : undefined
}
