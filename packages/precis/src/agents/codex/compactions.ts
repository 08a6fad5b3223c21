/**
 * The compactions in a rollout of Codex: each is one record with the history that replaces all before it; behind it stand the
 * tokens that Codex counts in that.
 */
import type { ByteSource } from '@precis/core/formats'
import { asCount, asObject, asText, type JsonObject, parseObject, readLines } from '../../files/lines.ts'
import type { RecordedCompaction } from '../ground/agent.ts'
import { estimateDuration, estimated, recorded } from '../ground/measured.ts'
import { readOnlyText } from '../ground/request-text.ts'
import { readTime } from '../ground/session-lines.ts'
import { readWrittenSummary } from '../ground/written-summary.ts'
import { wire } from './wire.ts'

export function readCompactions(source: ByteSource): RecordedCompaction[] {
  const found: RecordedCompaction[] = []
  // Looked into only where a compaction follows.
  let timed: Buffer | undefined
  let counted: Buffer | undefined
  // From words of the user until the answer to them is whole.
  let isWorking = false
  let record = -1
  for (const line of readLines(source)) {
    record++
    const entry = line.includes('"compacted"') ? parseObject(line) : undefined
    const last = found.at(-1)
    if (entry?.type === 'compacted' && record > 0) {
      found.push(readCompaction(entry, record, { timed, counted, isWorking }))
      counted = undefined
    } else if (line.includes('"token_count"')) {
      counted = line
      const tokens = last && last.tokensAfter === undefined ? countTokens(line) : 0
      if (last && tokens > 0) found.splice(-1, 1, { ...last, tokensAfter: recorded(tokens) })
    } else if (line.includes('"user_message"')) isWorking = true
    else if (line.includes('"task_complete"') || line.includes('"turn_aborted"')) isWorking = false
    timed = line
  }
  return found
}

interface LinesBefore {
  readonly timed: Buffer | undefined
  readonly counted: Buffer | undefined
  readonly isWorking: boolean
}

function readCompaction(
  entry: JsonObject,
  record: number,
  { timed, counted, isWorking }: LinesBefore,
): RecordedCompaction {
  const timeMs = readTime(entry.timestamp)
  const summary = readWrittenSummary(findSummary(asObject(entry.payload) ?? {}), wire)
  return {
    record,
    lastRecord: record,
    time: timeMs === undefined ? undefined : new Date(timeMs),
    // Between two turns it may have been either.
    trigger: isWorking ? 'automatic' : undefined,
    durationMs: estimateDuration(timed && readTime(parseObject(timed)?.timestamp), timeMs),
    tokensBefore: estimated(counted ? countTokens(counted) : 0),
    tokensAfter: undefined,
    ...summary,
  }
}

/** In the record itself, or the newest item that is one; what a provider encrypted nobody else can read. */
function findSummary({ message, replacement_history: history }: JsonObject): string | undefined {
  if (typeof message === 'string' && message !== '') return message
  const items: readonly unknown[] = Array.isArray(history) ? history : []
  for (const item of items.toReversed()) {
    const object = asObject(item)
    const text = object && readOnlyText((wire.restoreMessage?.(object) ?? object).content)
    if (text !== undefined && wire.unwrapSummary(text) !== undefined) return text
  }
  return undefined
}

function countTokens(line: Buffer): number {
  const payload = asObject(parseObject(line)?.payload)
  if (asText(payload?.type) !== 'token_count') return 0
  return asCount(asObject(asObject(payload?.info)?.last_token_usage)?.total_tokens)
}
