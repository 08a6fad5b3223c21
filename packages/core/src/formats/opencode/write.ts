/**
 * The records of an edited session. If the records of a compaction stay, every record stays, and
 * new records follow the record of the message before them. A new session contains what its agent
 * would send, in that order. Other records are left out:
 *
 *   read      old   old   compaction   summary   a   b   c
 *   in place  old   old   compaction   summary   new   c
 *   unrolled              question     summary   new   c
 */

import { addTo, isSameList } from '../../conversation/lists.ts'
import type { Message, Part } from '../../conversation/message.ts'
import {
  isJsonObject,
  type JsonObject,
  readMember,
  readString,
  withMembers,
} from '../shared/json.ts'
import { findBesideKept, placeAmong } from '../shared/records.ts'
import { matchResults } from '../shared/tool-calls.ts'
import { encodeParts } from './encode-parts.ts'
import { COMPACTION_TEXT, readMessages } from './parts.ts'
import {
  createDefaults,
  findCompactionPart,
  isSummaryRecord,
  isUserRecord,
  type SessionRecord,
} from './records.ts'

export interface ParsedSession {
  readonly session: unknown
  readonly records: readonly SessionRecord[]
  /** Positions of the records that are sent, in the order sent. */
  readonly live: readonly number[]
  readonly messages: readonly Message[]
}

/** The records that hold `messages`. `isNew` if they become a separate session. */
export function writeRecords(
  parsed: ParsedSession,
  messages: readonly Message[],
  isNew: boolean,
): SessionRecord[] {
  const drafts = groupByRecord(messages)
  const written = encodeDrafts(parsed, drafts, messages)
  const kept = new Map(drafts.map(({ source }, index) => [source, written[index]]))
  const isWhole = parsed.live.every(
    (index) => !isOfCompaction(parsed.records[index]) || isOfCompaction(kept.get(index)),
  )
  return isNew || !isWhole
    ? unroll(placeUnsent(parsed, drafts, written, messages))
    : placeInPlace(parsed, drafts, written)
}

interface OpenCodeDraft {
  readonly source: number | undefined
  readonly messages: Message[]
}

function groupByRecord(messages: readonly Message[]): OpenCodeDraft[] {
  const drafts: OpenCodeDraft[] = []
  const seen = new Set<number>()
  for (const message of messages) {
    const last = drafts.at(-1)
    const record = message.records?.[0]
    // Results belong to the record of their calls, even if precis wrote them.
    if (last && (message.role === 'tool' || (record !== undefined && last.source === record))) {
      last.messages.push(message)
      continue
    }
    // If something was inserted into a record, its rest continues in a new record.
    const source = record === undefined || seen.has(record) ? undefined : record
    if (source !== undefined) seen.add(source)
    drafts.push({ source, messages: [message] })
  }
  return drafts
}

function isOfCompaction(record: SessionRecord | undefined): boolean {
  if (!record) return false
  return (
    isSummaryRecord(record) || (isUserRecord(record) && findCompactionPart(record) !== undefined)
  )
}

function encodeDrafts(
  parsed: ParsedSession,
  drafts: readonly OpenCodeDraft[],
  messages: readonly Message[],
): readonly SessionRecord[] {
  const original = new Map<number | undefined, Message[]>()
  for (const message of parsed.messages) addTo(original, message.records?.[0], message)
  const results = matchResults(messages)
  const defaults = createDefaults(parsed.session, parsed.records)
  const encode = (
    own: readonly Message[],
    record?: SessionRecord,
    previous?: SessionRecord,
  ): SessionRecord => {
    const isUser = own.every(({ role }) => role !== 'assistant')
    const isSynthetic = isUser && own.every(({ origin }) => origin !== 'user')
    const timeMs = readTime(record ?? previous) ?? defaults.timeMs
    const parts = encodeParts(
      own.flatMap((message): readonly Part[] => message.parts),
      record,
      { results, isSynthetic, timeMs },
    )
    if (record) return parts === record.parts ? record : { ...record, parts }
    return { info: isUser ? defaults.createUser(timeMs) : defaults.createAssistant(timeMs), parts }
  }
  const written: SessionRecord[] = []
  for (const { source, messages: own } of drafts) {
    const record = source === undefined ? undefined : parsed.records[source]
    const isSame = record && isSameList(original.get(source) ?? [], own)
    written.push(isSame ? record : encode(own, record, written.at(-1)))
  }
  return written
}

/** Puts live records without sent content back next to the messages before them. */
function placeUnsent(
  { records, live, messages: originals }: ParsedSession,
  drafts: readonly OpenCodeDraft[],
  written: readonly SessionRecord[],
  messages: readonly Message[],
): SessionRecord[] {
  const ranks = new Map(live.map((index, rank) => [index, rank]))
  const unsent = [...findBesideKept(live, originals, messages)].flatMap((source) => {
    const record = records[source]
    return record ? [{ source, record }] : []
  })
  const items = written.map((record, index) => ({ source: drafts[index]?.source, record }))
  const placed = placeAmong<{ source: number | undefined; record: SessionRecord }>(
    items,
    unsent,
    ({ source = -1 }) => ranks.get(source),
  )
  return [...placed].map(({ record }) => record)
}

function placeInPlace(
  { records, messages }: ParsedSession,
  drafts: readonly OpenCodeDraft[],
  written: readonly SessionRecord[],
): SessionRecord[] {
  const after = new Map<number, SessionRecord[]>()
  const changed = new Map<number, SessionRecord>()
  let previous = -1
  for (const [index, { source }] of drafts.entries()) {
    const record = written[index]
    if (!record) continue
    if (source !== undefined) {
      changed.set(source, record)
      previous = source
      continue
    }
    addTo(after, previous, record)
  }
  const sent = new Set(messages.map((message) => message.records?.[0]))
  const placed = records.flatMap((record, index) => {
    const own = changed.get(index)
    return [...(own ? [own] : sent.has(index) ? [] : [record]), ...(after.get(index) ?? [])]
  })
  return nameNew([...(after.get(-1) ?? []), ...placed])
}

/**
 * The records without compactions, so that all are sent. Each has at least the time of the record
 * before it.
 */
function unroll(records: readonly SessionRecord[]): SessionRecord[] {
  let latest = 0
  let user: unknown
  return nameNew(records).map((record) => {
    latest = Math.max(latest, readTime(record) ?? 0)
    if (isUserRecord(record) && readMessages(record, 0).length > 0) user = record.info.id
    const parts = record.parts.some(isCompaction) ? record.parts.map(spellOut) : record.parts
    const info = changeInfo(record.info, {
      time: atLeast(record.info.time, latest),
      ...(record.info.role === 'assistant' && {
        summary: undefined,
        parentID: user ?? record.info.parentID,
      }),
    })
    return info === record.info && parts === record.parts ? record : { ...record, info, parts }
  })
}

function isCompaction(part: unknown): boolean {
  return readMember(part, 'type') === 'compaction'
}

/** The text that OpenCode sends instead of a compaction. */
function spellOut(part: unknown): unknown {
  if (!isCompaction(part) || !isJsonObject(part)) return part
  const members = { auto: undefined, overflow: undefined, tail_start_id: undefined }
  return withMembers(part, { ...members, type: 'text', text: COMPACTION_TEXT, synthetic: true })
}

function changeInfo(info: JsonObject, members: JsonObject): JsonObject {
  const isSame = Object.keys(members).every((key) => Object.is(readMember(info, key), members[key]))
  return isSame ? info : withMembers(info, members)
}

/** OpenCode sorts by the time of creation. */
function atLeast(time: unknown, latest: number): unknown {
  const created = readMember(time, 'created')
  if (!isJsonObject(time) || (typeof created === 'number' && created >= latest)) return time
  const completed =
    typeof time.completed === 'number' ? { completed: Math.max(time.completed, latest) } : {}
  return { ...time, created: latest, ...completed }
}

function readTime(record: SessionRecord | undefined): number | undefined {
  const created = readMember(record?.info.time, 'created')
  return typeof created === 'number' ? created : undefined
}

/** Adds missing ids, each sorted right after the one before it. */
function nameNew(records: readonly SessionRecord[]): SessionRecord[] {
  const nameNext = createNames('msg_000000000000')
  return records.map((record) => {
    const id = nameNext(readString(record.info, 'id'))
    const parts = nameParts(record.parts, id, record.info.sessionID)
    if (id === record.info.id && parts === record.parts) return record
    return { ...record, info: changeInfo(record.info, { id }), parts }
  })
}

function nameParts(
  parts: readonly unknown[],
  messageID: string,
  sessionID: unknown,
): readonly unknown[] {
  const nameNext = createNames('prt_000000000000')
  const named = parts.map((part) => {
    const known = readString(part, 'id')
    const id = nameNext(known)
    return known === undefined && isJsonObject(part) ? { ...part, id, sessionID, messageID } : part
  })
  return isSameList(named, parts) ? parts : named
}

const COUNT_DIGITS = 6

/** Returns known ids unchanged. New ids sort after the last known id. */
function createNames(first: string): (known: string | undefined) => string {
  let last = first
  let count = 0
  return (known) => {
    if (known === undefined) return `${last}p${(count++).toString(36).padStart(COUNT_DIGITS, '0')}`
    last = known
    count = 0
    return known
  }
}
