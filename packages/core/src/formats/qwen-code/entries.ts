/**
 * The lines of a session of Qwen Code, each linked to the line before it:
 *
 *   {"uuid":"a","parentUuid":null,"type":"user","message":{"role":"user","parts":[…]},…}
 *   {"uuid":"b","parentUuid":"a","type":"system","subtype":"ui_telemetry",…}
 *   {"uuid":"c","parentUuid":"b","type":"assistant","message":{"role":"model","parts":[…]},…}
 *
 * A line whose parent is older than the line before it begins a branch. The latest line decides
 * which branch is sent.
 */
import { addTo } from '../../conversation/lists.ts'
import { FormatError } from '../shared/format.ts'
import { isJsonObject, readString } from '../shared/json.ts'
import { type JsonlSource, readLines, splitObjects } from '../shared/lines.ts'
import type { SessionDocument } from '../shared/session-format.ts'

export const FORMAT_NAME = 'qwen-code'

/** The facts of a line that are kept in memory. Most lines are telemetry, and repeat answers. */
export interface QwenEntry {
  /** Its number, as if each object had a line of its own. */
  readonly line: number
  readonly start: number
  readonly end: number
  readonly uuid: string | undefined
  readonly parentUuid: string | undefined
  readonly type: unknown
  readonly subtype: unknown
}

export interface QwenEntryList {
  /** All lines that are JSON objects. */
  readonly entries: readonly QwenEntry[]
  /** The entries from the root to the latest entry. */
  readonly path: readonly QwenEntry[]
  readonly lineBreak: string
}

export interface QwenCodeDocument extends SessionDocument {
  readonly list: QwenEntryList
}

/** Throws `FormatError` if no line is an entry of Qwen Code. */
export function readEntries(source: JsonlSource): QwenEntryList {
  const entries: QwenEntry[] = []
  let lineBreak = '\n'
  let isKnown = false
  let joined = 0
  for (const read of readLines(source, FORMAT_NAME)) {
    if (read.next - read.end === 2) lineBreak = '\r\n'
    // Qwen Code reads them one by one too (`jsonl-utils.ts` of 0.24).
    const objects = read.problem ? [...splitObjects(source, read)] : [read]
    for (const [place, { start, end, value }] of objects.entries()) {
      if (!isJsonObject(value)) continue
      isKnown ||= isEntry(value)
      const uuid = readString(value, 'uuid')
      const parentUuid = readString(value, 'parentUuid')
      const { type, subtype } = value
      const line = read.index + joined + place
      entries.push({ line, start, end, uuid, parentUuid, type, subtype })
    }
    joined += Math.max(objects.length - 1, 0)
  }
  if (!isKnown) {
    throw new FormatError(
      'unknown-format',
      `Reading a ${FORMAT_NAME} session: none of its ${entries.length} lines is an entry of Qwen Code. Give a file of ~/.qwen/projects/<directory>/chats.`,
    )
  }
  return { entries, path: findPath(entries), lineBreak }
}

const TYPES: ReadonlySet<unknown> = new Set(['user', 'assistant', 'tool_result', 'system'])

/** Whether a line is by Qwen Code, and not by an agent with similar lines. */
export function isEntry(value: unknown): boolean {
  if (!isJsonObject(value) || !TYPES.has(value.type)) return false
  const isLinked = typeof value.uuid === 'string' && typeof value.sessionId === 'string'
  const { message, provenance } = value
  return (
    isLinked &&
    (typeof provenance === 'string' || (isJsonObject(message) && Array.isArray(message.parts)))
  )
}

// Qwen Code 0.24 reads its files this way: these types are outside the conversation.
const ASIDE =
  /^(?:session_artifact_(?:event|snapshot)|session_sources_snapshot|managed_session_\w{1,40})$/

const isAside = ({ type, subtype }: QwenEntry): boolean =>
  type === 'system' && typeof subtype === 'string' && ASIDE.test(subtype)

/** Several lines with one uuid are pieces of one entry. Never follows a circle. */
function findPath(entries: readonly QwenEntry[]): QwenEntry[] {
  const byUuid = new Map<string, QwenEntry[]>()
  let newest: string | undefined
  for (const entry of entries) {
    if (entry.uuid === undefined || isAside(entry)) continue
    addTo(byUuid, entry.uuid, entry)
    newest = entry.uuid
  }
  const path = new Set<readonly QwenEntry[]>()
  for (let uuid = newest; uuid !== undefined; ) {
    const pieces = byUuid.get(uuid)
    if (!pieces || path.has(pieces)) break
    path.add(pieces)
    uuid = pieces[0]?.parentUuid
  }
  return [...path].reverse().flat()
}

/** Whether a line may hold a message. Words of a voice session are shown but not sent. */
export const isSent = ({ type, subtype }: Pick<QwenEntry, 'type' | 'subtype'>): boolean =>
  type !== 'system' && subtype !== 'realtime_message'

/** Whether a line replaces everything before it. */
export const isCompression = ({ type, subtype }: Pick<QwenEntry, 'type' | 'subtype'>): boolean =>
  type === 'system' && subtype === 'chat_compression'
