/**
 * The compactions in a session of Claude Code. Versions record different things:
 *
 *   a mod     boundary { … } · summary { rowSource: "hook" } · messages that it kept
 *   verified  boundary { … } · summary { content: [the agent's, what it lost by precis] } · messages
 *   2.1.329   boundary { trigger, preTokens, postTokens, durationMs, … } · summary · files
 *   before    boundary { trigger, preTokens } · summary
 *   1.0       summary, at the root of a new chain
 */
import { isSummaryText } from '@precis/core/conversation'
import type { ByteSource } from '@precis/core/formats'
import {
  asCount,
  asObject,
  asText,
  holdsText,
  type JsonObject,
  parseObject,
  readLines,
} from '../../files/lines.ts'
import type { RecordedCompaction } from '../shared/agent.ts'
import { estimateDuration, estimated, recorded } from '../shared/measured.ts'
import { readPrompt, readTime } from '../shared/session-lines.ts'
import { readWrittenSummary } from '../shared/written-summary.ts'
import { isCompaction, isWrittenByMod } from './timeline.ts'
import { wire } from './wire.ts'

const BEGINNINGS = ['"compact_boundary"', '"isCompactSummary"']

export function readCompactions(source: ByteSource): RecordedCompaction[] {
  if (!holdsText(source, BEGINNINGS)) return []
  const found: RecordedCompaction[] = []
  let open: RecordedCompaction | undefined
  // Only few lines are parsed. Most are large and have nothing about a compaction.
  let timed: Buffer | undefined
  let used: Buffer | undefined
  let before: JsonObject | undefined
  let isBegun = false
  let keepsNothing = false
  let record = -1
  const close = () => {
    if (open) found.push(keepsNothing ? { ...open, isWhole: true } : open)
    open = undefined
  }
  for (const line of readLines(source)) {
    record++
    const mayBegin = BEGINNINGS.some((text) => line.includes(text))
    const entry = mayBegin || open ? parseObject(line) : undefined
    if (entry && isBegun && isCompaction(entry, before)) {
      close()
      open = begin(entry, record, { timed, used })
      const metadata = asObject(entry.compactMetadata) ?? {}
      keepsNothing = KEEPING.every((name) => metadata[name] === undefined)
    }
    if (entry && open) {
      open = goOn(open, entry, record)
      if (isOver(open, entry, record)) close()
    }
    before = entry
    isBegun ||= line.includes('"type":"user"') || line.includes('"type":"assistant"')
    if (line.includes('"timestamp"')) timed = line
    if (line.includes('"usage"')) used = line
  }
  close()
  return found
}

// Each names entries from before the boundary that are sent again.
const KEEPING = ['preservedMessages', 'preservedSegment']

interface LinesBefore {
  readonly timed: Buffer | undefined
  readonly used: Buffer | undefined
}

function begin(
  entry: JsonObject,
  record: number,
  { timed, used }: LinesBefore,
): RecordedCompaction {
  const metadata = asObject(entry.compactMetadata) ?? {}
  const timeMs = readTime(entry.timestamp)
  const trigger =
    metadata.trigger === 'auto' ? 'automatic' : metadata.trigger === 'manual' ? 'manual' : undefined
  const beforeMs = timed && readTime(parseObject(timed)?.timestamp)
  return {
    record,
    lastRecord: record,
    time: timeMs === undefined ? undefined : new Date(timeMs),
    trigger,
    // The record before a command may be older by a pause of the user.
    durationMs:
      recorded(asCount(metadata.durationMs)) ??
      (trigger === 'automatic' ? estimateDuration(beforeMs, timeMs) : undefined),
    tokensBefore:
      recorded(asCount(metadata.preTokens)) ?? estimated(used ? countPrompt(parseObject(used)) : 0),
    tokensAfter: recorded(asCount(metadata.postTokens)),
    ...readWrittenSummary(undefined),
  }
}

/**
 * What follows a boundary: the summary, the command, files and notes that are sent again, and the
 * next answer.
 */
function goOn(before: RecordedCompaction, entry: JsonObject, record: number): RecordedCompaction {
  const content = asObject(entry.message)?.content
  const prompt = entry.type === 'user' && entry.isMeta !== true ? readPrompt(content) : undefined
  const isCommand = entry.type === 'user' && COMMAND.test(readContent(content) ?? '')
  const isOfMod = entry.type === 'user' && isWrittenByMod(entry)
  const isSummary = (entry.isCompactSummary === true || isOfMod) && before.summary === undefined
  // What a mod kept is written again after its summary, with times from before the boundary.
  const isKept =
    before.isWhole === true && (readTime(entry.timestamp) ?? Infinity) < Number(before.time)
  const isWritten =
    isSummary || isCommand || isKept || (prompt === undefined && entry.type !== 'assistant')
  const open =
    isWritten && record - before.lastRecord <= 1 ? { ...before, lastRecord: record } : before
  if (isSummary) {
    return {
      ...open,
      ...(isOfMod && { isWhole: true }),
      ...readWrittenSummary(readContent(content), wire),
      ...(entry.isCompactSummary === true && isVerified(content) && { by: 'verified' as const }),
    }
  }
  if (isCommand && open.durationMs === undefined) {
    return {
      ...open,
      durationMs: estimateDuration(readTime(entry.timestamp), open.time?.getTime()),
    }
  }
  const tokens = countPrompt(entry)
  return open.tokensAfter === undefined && tokens > 0
    ? { ...open, tokensAfter: estimated(tokens) }
    : open
}

// It is written after the boundary, with the time at which the user typed it.
const COMMAND = /^\s*<command-name>\s*\/compact\s*</
// The next answer comes soon. A longer search would parse every line.
const MOST_RECORDS = 200

const isOver = (
  { record, lastRecord, tokensAfter }: RecordedCompaction,
  entry: JsonObject,
  at: number,
): boolean => {
  // An answer that a mod wrote again is not the next one.
  const isNext = entry.type === 'assistant' && at !== lastRecord
  return at - record > MOST_RECORDS || (isNext && tokensAfter !== undefined)
}

/** Whether precis put what the summary lost next to it. */
const isVerified = (content: unknown): boolean =>
  Array.isArray(content) &&
  content.slice(1).some((block) => isSummaryText(asText(asObject(block)?.text) ?? ''))

function readContent(content: unknown): string | undefined {
  return Array.isArray(content) ? asText(asObject(content[0])?.text) : asText(content)
}

function countPrompt(entry: JsonObject | undefined): number {
  const usage = asObject(asObject(entry?.message)?.usage)
  if (!usage || entry?.isSidechain === true) return 0
  const {
    input_tokens: input,
    cache_creation_input_tokens: written,
    cache_read_input_tokens: read,
  } = usage
  return asCount(input) + asCount(written) + asCount(read)
}
