import { FormatError } from '../shared/format.ts'
import { isJsonObject, readMember, readString } from '../shared/json.ts'
import { type JsonlLine, type JsonlSource, readLines } from '../shared/lines.ts'
import type { SessionDocument } from '../shared/session-format.ts'
import { parseTimestamp } from '../shared/timestamp.ts'

export interface ClaudeCodeDocument extends SessionDocument {
  readonly entries: readonly ClaudeEntry[]
  /** Lines of the live branch, in the order the agent sends them. */
  readonly branch: readonly number[]
  /** Lines that could not be read, as messages for the user. */
  readonly warnings: readonly string[]
  readonly renderers: ClaudeEntryList['renderers']
}

/**
 * The facts of a line that are kept in memory. Content is read again when needed, because sessions
 * may be larger than memory.
 */
export interface ClaudeEntry {
  readonly start: number
  readonly end: number
  readonly type: string | undefined
  readonly subtype?: string
  readonly uuid?: string
  readonly parentUuid?: string
  readonly isSidechain: boolean
  readonly timeMs?: number
  /** Identity of the API message that this entry belongs to. */
  readonly messageId?: string
  readonly resultIds?: readonly string[]
  /** The entry that a `last-prompt` resumes from. */
  readonly leafUuid?: string
  readonly preserved?: PreservedEntries
}

/**
 * Entries before a compaction's boundary that it kept verbatim: a list, or a section of the chain.
 */
export interface PreservedEntries {
  /** The entry that is sent before them: the summary. */
  readonly anchorUuid: string
  readonly uuids?: readonly string[]
  readonly headUuid?: string
  readonly tailUuid?: string
}

export interface ClaudeEntryList {
  /** One per line, so positions are line numbers, counted from zero. */
  readonly entries: readonly ClaudeEntry[]
  readonly warnings: readonly string[]
  /** The versions of Claude Code that record the text of each attachment that they send. */
  readonly renderers: ReadonlySet<unknown>
  /** What the lines contain, to read messages from. Empty for a session that is not small. */
  readonly values: readonly unknown[]
}

const SMALL_UNITS = 1 << 24

/** One pass over the document. Throws `FormatError` if it contains nothing by Claude Code. */
export function readEntries(source: JsonlSource): ClaudeEntryList {
  const entries: ClaudeEntry[] = []
  const warnings: string[] = []
  const renderers = new Set<unknown>()
  const values: unknown[] = []
  let known = 0
  for (const line of readLines(source, 'claude-code')) {
    if (line.problem === 'cut-off')
      warnings.push(`Line ${line.index + 1} is cut off; it is carried, not read.`)
    else if (line.problem)
      warnings.push(`Line ${line.index + 1} is not JSON; it is carried, not read.`)
    if (isClaudeCodeEntry(line.value)) known++
    if (Array.isArray(readMember(line.value, 'rendered')))
      renderers.add(readMember(line.value, 'version'))
    entries.push(describeLine(line))
    if (source.length <= SMALL_UNITS) values.push(line.value)
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
  return { entries, warnings, renderers, values }
}

/** Whether the entry is of the session itself, not of a sub-agent. */
export function isOnMainChain(entry: ClaudeEntry | undefined): boolean {
  return entry?.uuid !== undefined && !entry.isSidechain
}

/**
 * Whether Claude Code wrote a line. Such a line names its session, or the message of its title or
 * snapshot.
 */
export function isClaudeCodeEntry(value: unknown): boolean {
  if (!isJsonObject(value) || typeof value.type !== 'string') return false
  return (
    typeof value.sessionId === 'string' ||
    typeof value.leafUuid === 'string' ||
    isJsonObject(value.snapshot) ||
    (typeof value.uuid === 'string' && 'parentUuid' in value)
  )
}

function describeLine({ start, end, value }: JsonlLine): ClaudeEntry {
  if (!isJsonObject(value) || typeof value.type !== 'string') {
    return { start, end, type: undefined, isSidechain: false }
  }
  const resultIds = value.type === 'user' ? findResultIds(readMember(value.message, 'content')) : []
  return {
    start,
    end,
    type: value.type,
    subtype: readString(value, 'subtype'),
    uuid: readString(value, 'uuid'),
    parentUuid: readString(value, 'parentUuid') || undefined,
    isSidechain: value.isSidechain === true,
    timeMs: parseTimestamp(readString(value, 'timestamp') ?? ''),
    messageId: value.type === 'assistant' ? readString(value.message, 'id') : undefined,
    resultIds: resultIds.length > 0 ? resultIds : undefined,
    leafUuid: readString(value, 'leafUuid'),
    preserved: readPreserved(value.compactMetadata),
  }
}

function findResultIds(content: unknown): string[] {
  if (!Array.isArray(content)) return []
  return content.flatMap((block: unknown) =>
    readMember(block, 'type') === 'tool_result' ? (readString(block, 'tool_use_id') ?? []) : [],
  )
}

function readPreserved(metadata: unknown): PreservedEntries | undefined {
  if (!isJsonObject(metadata)) return undefined
  const { preservedMessages: list, preservedSegment: segment } = metadata
  if (isJsonObject(list) && typeof list.anchorUuid === 'string' && Array.isArray(list.uuids)) {
    return {
      anchorUuid: list.anchorUuid,
      uuids: list.uuids.filter((uuid: unknown) => typeof uuid === 'string'),
    }
  }
  if (!isJsonObject(segment)) return undefined
  const { anchorUuid, headUuid, tailUuid } = segment
  if (
    typeof anchorUuid !== 'string' ||
    typeof headUuid !== 'string' ||
    typeof tailUuid !== 'string'
  )
    return undefined
  return { anchorUuid, headUuid, tailUuid }
}
