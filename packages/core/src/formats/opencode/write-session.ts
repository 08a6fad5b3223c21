/**
 * The records of an edited session. Where the records of a compaction stay, every record does: new ones stand behind
 * the record of the message before them. A new session is what its agent would send, in that order, and nothing else:
 *
 *   read      old   old   compaction   summary   a   b   c
 *   in place  old   old   compaction   summary   new   c
 *   unrolled              question     summary   new   c
 */
import type { Message, ToolCallPart, ToolResultPart } from '../../conversation/message.ts'
import { matchResults } from '../content/match-results.ts'
import { isJsonObject, type JsonObject, readMember, withMembers } from '../json/object.ts'
import { isSameList } from '../json/same-list.ts'
import { createDefaults, type RecordDefaults } from './record-defaults.ts'
import { findPart, isSummaryRecord, isUserRecord, readString, type SessionRecord } from './records.ts'
import { encodeParts } from './write-parts.ts'

export interface ParsedSession {
  readonly session: unknown
  readonly records: readonly SessionRecord[]
  /** Positions of the records that are sent, in that order. */
  readonly live: readonly number[]
  readonly messages: readonly Message[]
}

/** The records that hold `messages`; `isNew` when they shall become a session of their own. */
export function writeRecords(parsed: ParsedSession, messages: readonly Message[], isNew: boolean): SessionRecord[] {
  const drafts = groupByRecord(messages)
  const written = encodeDrafts(parsed, drafts, messages)
  const kept = new Map(drafts.map(({ source }, index) => [source, written[index]]))
  const isWhole = parsed.live.every(
    (index) => !isOfCompaction(parsed.records[index]) || isOfCompaction(kept.get(index)),
  )
  return isNew || !isWhole ? unroll(written) : placeAmong(parsed, drafts, written)
}

interface Draft {
  readonly source: number | undefined
  readonly messages: Message[]
}

function groupByRecord(messages: readonly Message[]): Draft[] {
  const drafts: Draft[] = []
  const seen = new Set<number>()
  for (const message of messages) {
    const last = drafts.at(-1)
    const record = message.records?.[0]
    // Results belong to the record of their calls, whoever wrote them.
    if (last && (message.role === 'tool' || (record !== undefined && last.source === record))) {
      last.messages.push(message)
      continue
    }
    // A record that something was put into goes on in a new one.
    const source = record === undefined || seen.has(record) ? undefined : record
    if (source !== undefined) seen.add(source)
    drafts.push({ source, messages: [message] })
  }
  return drafts
}

function isOfCompaction(record: SessionRecord | undefined): boolean {
  if (!record) return false
  return isSummaryRecord(record) || (isUserRecord(record) && findPart(record, 'compaction') !== undefined)
}

function encodeDrafts(
  parsed: ParsedSession,
  drafts: readonly Draft[],
  messages: readonly Message[],
): readonly SessionRecord[] {
  const original = new Map<number | undefined, Message[]>()
  for (const message of parsed.messages) {
    const shared = original.get(message.records?.[0])
    if (shared) shared.push(message)
    else original.set(message.records?.[0], [message])
  }
  const results = matchResults(messages)
  const defaults = createDefaults(parsed.session, parsed.records)
  const written: SessionRecord[] = []
  for (const { source, messages: own } of drafts) {
    const record = source === undefined ? undefined : parsed.records[source]
    const isSame = record && isSameList(original.get(source) ?? [], own)
    written.push(isSame ? record : encodeRecord(own, record, { results, defaults, written }))
  }
  return written
}

interface RecordContext {
  readonly results: ReadonlyMap<ToolCallPart, ToolResultPart>
  readonly defaults: RecordDefaults
  /** The records before it. */
  readonly written: readonly SessionRecord[]
}

function encodeRecord(
  messages: readonly Message[],
  record: SessionRecord | undefined,
  { results, defaults, written }: RecordContext,
): SessionRecord {
  const parts = messages.flatMap((message): readonly Message['parts'][number][] => message.parts)
  const isUser = messages.every(({ role }) => role !== 'assistant')
  const isSynthetic = isUser && messages.every(({ origin }) => origin !== 'user')
  const timeMs = readTime(record ?? written.at(-1)) ?? defaults.timeMs
  const encoded = encodeParts(parts, record, { results, isSynthetic, timeMs })
  if (record) return encoded === record.parts ? record : { ...record, parts: encoded }
  return { info: isUser ? defaults.createUser(timeMs) : defaults.createAssistant(timeMs), parts: encoded }
}

function placeAmong(
  { records, messages }: ParsedSession,
  drafts: readonly Draft[],
  written: readonly SessionRecord[],
): SessionRecord[] {
  const behind = new Map<number, SessionRecord[]>()
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
    const added = behind.get(previous)
    if (added) added.push(record)
    else behind.set(previous, [record])
  }
  const said = new Set(messages.map((message) => message.records?.[0]))
  const placed = records.flatMap((record, index) => {
    const own = changed.get(index)
    return [...(own ? [own] : said.has(index) ? [] : [record]), ...(behind.get(index) ?? [])]
  })
  return nameNew([...(behind.get(-1) ?? []), ...placed])
}

/** One line of records that nothing is hidden behind: no compaction cuts it, and each is as late as the one before. */
function unroll(records: readonly SessionRecord[]): SessionRecord[] {
  let latest = 0
  let user: unknown
  return nameNew(records).map((record) => {
    latest = Math.max(latest, readTime(record) ?? 0)
    if (isUserRecord(record)) user = record.info.id
    const parts = record.parts.some(isCompaction) ? record.parts.map(spellOut) : record.parts
    const info = changeInfo(record.info, {
      time: atLeast(record.info.time, latest),
      ...(record.info.role === 'assistant' && { summary: undefined, parentID: user ?? record.info.parentID }),
    })
    return info === record.info && parts === record.parts ? record : { ...record, info, parts }
  })
}

function isCompaction(part: unknown): boolean {
  return readMember(part, 'type') === 'compaction'
}

/** The words that OpenCode says in the place of a compaction. */
function spellOut(part: unknown): unknown {
  if (!isCompaction(part) || !isJsonObject(part)) return part
  const members = { auto: undefined, overflow: undefined, tail_start_id: undefined }
  return withMembers(part, { ...members, type: 'text', text: 'What did we do so far?', synthetic: true })
}

function changeInfo(info: JsonObject, members: JsonObject): JsonObject {
  const isSame = Object.keys(members).every((key) => Object.is(readMember(info, key), members[key]))
  return isSame ? info : withMembers(info, members)
}

/** OpenCode sorts by the time of creation. */
function atLeast(time: unknown, latest: number): unknown {
  const created = readMember(time, 'created')
  if (!isJsonObject(time) || (typeof created === 'number' && created >= latest)) return time
  const completed = typeof time.completed === 'number' ? { completed: Math.max(time.completed, latest) } : {}
  return { ...time, created: latest, ...completed }
}

function readTime(record: SessionRecord | undefined): number | undefined {
  const created = readMember(record?.info.time, 'created')
  return typeof created === 'number' ? created : undefined
}

/** Ids for what has none, each sorted right behind the one before it. */
function nameNew(records: readonly SessionRecord[]): SessionRecord[] {
  const nameNext = createNames('msg_000000000000')
  return records.map((record) => {
    const id = nameNext(readString(record.info, 'id'))
    const parts = nameParts(record.parts, id, record.info.sessionID)
    if (id === record.info.id && parts === record.parts) return record
    return { ...record, info: changeInfo(record.info, { id }), parts }
  })
}

function nameParts(parts: readonly unknown[], messageID: string, sessionID: unknown): readonly unknown[] {
  const nameNext = createNames('prt_000000000000')
  const named = parts.map((part) => {
    const known = readString(part, 'id')
    const id = nameNext(known)
    return known === undefined && isJsonObject(part) ? { ...part, id, sessionID, messageID } : part
  })
  return isSameList(named, parts) ? parts : named
}

const COUNT_DIGITS = 6

/** Gives known ids back, and in between new ones that sort behind the last known one. */
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
