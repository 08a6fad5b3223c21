/**
 * The lines of a session of Qwen Code, each linked to the one before it:
 *
 *   {"uuid":"a","parentUuid":null,"type":"user","message":{"role":"user","parts":[…]},…}
 *   {"uuid":"b","parentUuid":"a","type":"system","subtype":"ui_telemetry",…}
 *   {"uuid":"c","parentUuid":"b","type":"assistant","message":{"role":"model","parts":[…]},…}
 *
 * A line whose parent is an older one begins a branch: the newest line decides which one is sent.
 */
import { FormatError } from '../ground/format.ts'
import { isJsonObject, type JsonObject, readString } from '../ground/json.ts'
import { type JsonlSource, readLines } from '../ground/lines.ts'
import type { SessionDocument } from '../ground/session-format.ts'

export const FORMAT_NAME = 'qwen-code'

export interface Entry {
  readonly line: number
  readonly start: number
  readonly end: number
  readonly uuid: string | undefined
  readonly value: JsonObject
}

export interface EntryList {
  /** All lines that are JSON objects. */
  readonly entries: readonly Entry[]
  /** Those from the root to the newest entry. */
  readonly path: readonly Entry[]
  readonly lineBreak: string
}

export interface QwenCodeDocument extends SessionDocument {
  readonly list: EntryList
}

/** Throws `FormatError` if no line is an entry of Qwen Code. */
export function readEntries(source: JsonlSource): EntryList {
  const entries: Entry[] = []
  let lineBreak = '\n'
  for (const { index: line, start, end, next, value } of readLines(source, FORMAT_NAME)) {
    if (next - end === 2) lineBreak = '\r\n'
    if (!isJsonObject(value)) continue
    entries.push({ line, start, end, uuid: readString(value, 'uuid'), value })
  }
  if (!entries.some(({ value }) => isEntry(value))) {
    throw new FormatError(
      'unknown-format',
      `Reading a ${FORMAT_NAME} session: none of its ${entries.length} lines is an entry of Qwen Code. Give a file of ~/.qwen/projects/<directory>/chats.`,
    )
  }
  return { entries, path: findPath(entries), lineBreak }
}

const TYPES: ReadonlySet<unknown> = new Set(['user', 'assistant', 'tool_result', 'system'])

/** Whether a line is one of Qwen Code, and of no agent with lines alike. */
export function isEntry(value: unknown): boolean {
  if (!isJsonObject(value) || !TYPES.has(value.type)) return false
  const isLinked = typeof value.uuid === 'string' && typeof value.sessionId === 'string'
  const { message, provenance } = value
  return (
    isLinked &&
    (typeof provenance === 'string' || (isJsonObject(message) && Array.isArray(message.parts)))
  )
}

// As 0.24 reads its files: these stand beside the conversation.
const ASIDE =
  /^(?:session_artifact_(?:event|snapshot)|session_sources_snapshot|managed_session_\w{1,40})$/

const isAside = ({ type, subtype }: JsonObject): boolean =>
  type === 'system' && typeof subtype === 'string' && ASIDE.test(subtype)

/** Several lines with one uuid are pieces of one entry. Never follows a circle. */
function findPath(entries: readonly Entry[]): Entry[] {
  const byUuid = new Map<string, Entry[]>()
  for (const entry of entries) {
    if (entry.uuid === undefined || isAside(entry.value)) continue
    const pieces = byUuid.get(entry.uuid)
    if (pieces) pieces.push(entry)
    else byUuid.set(entry.uuid, [entry])
  }
  const path = new Set<readonly Entry[]>()
  let pieces = [...byUuid.values()].findLast((all) => all.at(-1) === findNewest(entries))
  while (pieces && !path.has(pieces)) {
    path.add(pieces)
    pieces = byUuid.get(readString(pieces[0]?.value, 'parentUuid') ?? '')
  }
  return [...path].reverse().flat()
}

const findNewest = (entries: readonly Entry[]): Entry | undefined =>
  entries.findLast(({ uuid, value }) => uuid !== undefined && !isAside(value))
