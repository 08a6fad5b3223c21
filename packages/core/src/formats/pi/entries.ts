import { FormatError } from '../shared/format.ts'
import { isJsonObject, type JsonObject, readString } from '../shared/json.ts'
import { type JsonlSource, readLines } from '../shared/lines.ts'
import type { SessionDocument } from '../shared/session-format.ts'

export const FORMAT_NAME = 'pi'
export const ID_DIGITS = 8

const NEWEST_VERSION = 3
const FIRST_VERSION_WITH_IDS = 2

/** The facts of a line that are kept in memory. The content of unsent branches is not kept. */
export interface PiSessionEntry {
  readonly line: number
  readonly start: number
  readonly end: number
  readonly type: string
  readonly id: string | undefined
  readonly parentId: string | undefined
  /**
   * For a compaction: the oldest entry that it kept, by its id or by its place among the JSON
   * lines.
   */
  readonly firstKept: string | number | undefined
  /** The id of the earlier entry that a `context_edit` hides or replaces. */
  readonly targetId: string | undefined
  /** Whether it is a part of the system prompt. pi replays these parts apart from the messages. */
  readonly isSystem: boolean
}

export interface PiEntryList {
  readonly header: PiSessionEntry
  readonly headerValue: JsonObject
  /** Whether entries are linked by id. Before version 2, each entry follows the one before it. */
  readonly hasIds: boolean
  /** All entries except the header, by line. */
  readonly entries: readonly PiSessionEntry[]
  readonly lineBreak: string
}

export interface PiDocument extends SessionDocument {
  readonly list: PiEntryList
  readonly path: readonly PiSessionEntry[]
  /** The part of the path that pi reads to send. */
  readonly live: ReadonlySet<PiSessionEntry>
  /** Values of the sent entries, in the form in which they are sent, by line. */
  readonly values: ReadonlyMap<number, JsonObject>
  /** The edit of each entry that is hidden or sent with changed content, by line. */
  readonly edits: ReadonlyMap<number, PiSessionEntry>
}

/**
 * One pass over the document. Throws `FormatError` if it is not a session, or its version is
 * unknown.
 */
export function readEntries(source: JsonlSource): PiEntryList {
  const entries: PiSessionEntry[] = []
  let lineBreak = '\n'
  let header: PiSessionEntry | undefined
  let headerValue: JsonObject = {}
  for (const { index, start, end, next, value } of readLines(source, FORMAT_NAME)) {
    if (next - end === 2) lineBreak = '\r\n'
    if (!isJsonObject(value) || typeof value.type !== 'string') continue
    const entry: PiSessionEntry = {
      line: index,
      start,
      end,
      type: value.type,
      id: readString(value, 'id'),
      parentId: readString(value, 'parentId'),
      firstKept: readFirstKept(value),
      targetId: value.type === 'context_edit' ? readString(value, 'targetId') : undefined,
      isSystem: value.type === 'message' && readString(value.message, 'role') === 'system',
    }
    if (header) entries.push(entry)
    else {
      assertHeader(value)
      header = entry
      headerValue = value
    }
  }
  if (!header) throw refuse('none of its lines is a JSON object with a type')
  return {
    header,
    headerValue,
    hasIds: readVersion(headerValue) >= FIRST_VERSION_WITH_IDS,
    entries,
    lineBreak,
  }
}

/** Whether a line opens a session of pi. */
export function isHeader(value: unknown): boolean {
  return (
    isJsonObject(value) &&
    value.type === 'session' &&
    typeof value.id === 'string' &&
    typeof value.cwd === 'string'
  )
}

/** Lines from the root to the latest entry, where pi continues. Never follows a circle. */
export function findPath({ entries, hasIds }: PiEntryList): PiSessionEntry[] {
  if (!hasIds) return [...entries]
  const byId = new Map<string, PiSessionEntry>()
  for (const entry of entries) if (entry.id !== undefined) byId.set(entry.id, entry)
  const path = new Set<PiSessionEntry>()
  let entry = entries.findLast(({ id }) => id !== undefined)
  while (entry && !path.has(entry)) {
    path.add(entry)
    entry = entry.parentId === undefined ? undefined : byId.get(entry.parentId)
  }
  return [...path].reverse()
}

/**
 * The part of the path that is sent: the latest compaction first, then the earlier entries that it
 * kept. An older compaction among them is not sent.
 *
 *   path   a ── b ── c ── compaction (first kept: b) ── d
 *   sent   compaction · b · c · d
 */
export function findLive(
  path: readonly PiSessionEntry[],
  { hasIds }: PiEntryList,
): PiSessionEntry[] {
  const position = path.findLastIndex(({ type }) => type === 'compaction')
  const compaction = path[position]
  if (!compaction) return [...path]
  const { firstKept } = compaction
  const before = path.slice(0, position)
  const isFirstKept = hasIds
    ? ({ id }: PiSessionEntry) => id !== undefined && id === firstKept
    : // Places were counted in the list of all lines, the header being the first.
      (_: PiSessionEntry, index: number) => index + 1 === firstKept
  const first = before.findIndex(isFirstKept)
  const kept = first < 0 ? [] : before.slice(first).filter(({ type }) => type !== 'compaction')
  return [compaction, ...kept, ...path.slice(position + 1)]
}

/** The latest `context_edit` that names an entry, by the line of that entry. */
export function findEdits(live: readonly PiSessionEntry[]): Map<number, PiSessionEntry> {
  const byTarget = new Map<string, PiSessionEntry>()
  for (const entry of live) if (entry.targetId !== undefined) byTarget.set(entry.targetId, entry)
  const edits = new Map<number, PiSessionEntry>()
  if (byTarget.size === 0) return edits
  for (const { id, line } of live) {
    const edit = id === undefined ? undefined : byTarget.get(id)
    if (edit) edits.set(line, edit)
  }
  return edits
}

function readFirstKept({
  firstKeptEntryId: id,
  firstKeptEntryIndex: index,
}: JsonObject): PiSessionEntry['firstKept'] {
  if (typeof id === 'string') return id
  return typeof index === 'number' ? index : undefined
}

function readVersion({ version }: JsonObject): number {
  return typeof version === 'number' ? version : 1
}

function assertHeader(value: JsonObject): void {
  if (!isHeader(value))
    throw refuse('it does not begin with an entry of type "session" that has an id and a folder')
  if (readVersion(value) <= NEWEST_VERSION) return
  throw new FormatError(
    'unknown-version',
    `Reading a pi session: it is of version ${readVersion(value)}; versions 1 to ${NEWEST_VERSION} are known. Get a newer precis.`,
  )
}

function refuse(found: string): FormatError {
  return new FormatError(
    'unknown-format',
    `Reading a pi session: ${found}. Give a file of ~/.pi/agent/sessions.`,
  )
}
