import { parseTimestamp } from '../content/parse-timestamp.ts'
import { FormatError } from '../format.ts'
import { type JsonlLine, type JsonlSource, readLines } from '../json/lines.ts'
import { isJsonObject, type JsonObject } from '../json/object.ts'

/** What is remembered of every line, so that a session of any size can be searched without its content in memory. */
export interface Entry {
  readonly start: number
  /** Without the line break. */
  readonly end: number
  /** The native type; undefined for a blank, malformed or foreign line. */
  readonly type: string | undefined
  readonly subtype?: string
  readonly uuid?: string
  readonly parentUuid?: string
  readonly isSidechain: boolean
  /** Milliseconds since 1970. */
  readonly timeMs?: number
  /** Identity of the API message that this entry is a part of. */
  readonly messageId?: string
  /** The calls that a user entry answers. */
  readonly resultIds?: readonly string[]
  /** The entry that this one points at without being its child: `leafUuid` or `messageId` of an envelope. */
  readonly pointsAt?: string
  readonly preserved?: PreservedEntries
}

/** Entries that a compaction kept verbatim although they stand before its boundary: a list, or a stretch of the chain. */
export interface PreservedEntries {
  /** The entry they are sent after: the summary. */
  readonly anchorUuid: string
  readonly uuids?: readonly string[]
  readonly headUuid?: string
  readonly tailUuid?: string
}

export interface EntryList {
  /** One for each line: positions are line numbers from zero. */
  readonly entries: readonly Entry[]
  readonly warnings: readonly string[]
}

/** One pass over the document. Throws `FormatError` when nothing in it is of Claude Code. */
export function readEntries(source: JsonlSource): EntryList {
  const entries: Entry[] = []
  const warnings: string[] = []
  let known = 0
  for (const line of readLines(source, 'claude-code')) {
    if (line.problem === 'cut-off') warnings.push(`Line ${line.index + 1} is cut off; it is carried, not read.`)
    else if (line.problem) warnings.push(`Line ${line.index + 1} is not JSON; it is carried, not read.`)
    const entry = describeLine(line)
    if (isClaudeCodeEntry(line.value)) known++
    entries.push(entry)
  }
  if (known === 0) {
    throw new FormatError(
      'unknown-format',
      `Reading a claude-code session: none of its ${entries.length} lines has the type and sessionId of a Claude Code entry. Give a file of ~/.claude/projects.`,
    )
  }
  if (entries.some((entry) => entry.uuid && entry.isSidechain) && !entries.some(isOnMainChain)) {
    throw new FormatError(
      'unknown-format',
      'Reading a claude-code session: it holds side-chain entries only, so it is the transcript of a sub-agent and cannot be resumed. Give the session that started it.',
    )
  }
  return { entries, warnings }
}

/** The whole value of an entry's line, read again. */
export function readEntry(source: JsonlSource, entry: Entry): JsonObject {
  const value: unknown = JSON.parse(source.readText(entry.start, entry.end))
  return isJsonObject(value) ? value : {}
}

/** Whether the entry is of the session itself, not of a sub-agent. */
export function isOnMainChain(entry: Entry | undefined): boolean {
  return entry?.uuid !== undefined && !entry.isSidechain
}

/** Whether a line looks like Claude Code wrote it: a session's line says whose session, a title or snapshot of what. */
export function isClaudeCodeEntry(value: unknown): boolean {
  if (!isJsonObject(value) || typeof value.type !== 'string') return false
  return (
    typeof value.sessionId === 'string' ||
    typeof value.leafUuid === 'string' ||
    isJsonObject(value.snapshot) ||
    (typeof value.uuid === 'string' && 'parentUuid' in value)
  )
}

function describeLine({ start, end, value }: JsonlLine): Entry {
  const place = { start, end }
  if (!isJsonObject(value) || typeof value.type !== 'string') {
    return { ...place, type: undefined, isSidechain: false }
  }
  const message = isJsonObject(value.message) ? value.message : undefined
  const preserved = readPreserved(value.compactMetadata)
  const resultIds = value.type === 'user' ? findResultIds(message?.content) : []
  const pointsAt = readString(value.leafUuid) ?? readString(value.messageId)
  const timeMs = parseTimestamp(readString(value.timestamp) ?? '')
  return {
    ...place,
    type: value.type,
    ...(typeof value.subtype === 'string' && { subtype: value.subtype }),
    ...(typeof value.uuid === 'string' && { uuid: value.uuid }),
    ...(typeof value.parentUuid === 'string' && value.parentUuid !== '' && { parentUuid: value.parentUuid }),
    isSidechain: value.isSidechain === true,
    ...(timeMs !== undefined && { timeMs }),
    ...(value.type === 'assistant' && typeof message?.id === 'string' && { messageId: message.id }),
    ...(resultIds.length > 0 && { resultIds }),
    ...(pointsAt !== undefined && { pointsAt }),
    ...(preserved && { preserved }),
  }
}

function findResultIds(content: unknown): string[] {
  if (!Array.isArray(content)) return []
  return content.flatMap((block: unknown) =>
    isJsonObject(block) && block.type === 'tool_result' && typeof block.tool_use_id === 'string'
      ? [block.tool_use_id]
      : [],
  )
}

function readPreserved(metadata: unknown): PreservedEntries | undefined {
  if (!isJsonObject(metadata)) return undefined
  const { preservedMessages: list, preservedSegment: segment } = metadata
  if (isJsonObject(list) && typeof list.anchorUuid === 'string' && Array.isArray(list.uuids)) {
    return { anchorUuid: list.anchorUuid, uuids: list.uuids.filter((uuid: unknown) => typeof uuid === 'string') }
  }
  if (!isJsonObject(segment)) return undefined
  const { anchorUuid, headUuid, tailUuid } = segment
  if (typeof anchorUuid !== 'string' || typeof headUuid !== 'string' || typeof tailUuid !== 'string') return undefined
  return { anchorUuid, headUuid, tailUuid }
}

function readString(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
