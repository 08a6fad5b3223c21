/**
 * The compactions in a rollout of Codex: each is one record with the history that replaces all
 * before it; behind it stand the tokens that Codex counts in that. 0.169 notes more:
 *
 *   task_started, by whom but for a compaction by hand · token_count of the request for a summary · compacted · token_count of
 *   what is left · item_completed with the times of the compaction
 */
import type { ByteSource } from '@precis/core/formats'
import {
  asCount,
  asObject,
  asText,
  type JsonObject,
  parseObject,
  readLines,
} from '../../files/lines.ts'
import type { RecordedCompaction } from '../shared/agent.ts'
import { estimateDuration, estimated, recorded } from '../shared/measured.ts'
import { readOnlyText } from '../shared/request-text.ts'
import { readTime } from '../shared/session-lines.ts'
import { readWrittenSummary } from '../shared/written-summary.ts'
import { wire } from './wire.ts'

export function readCompactions(source: ByteSource): RecordedCompaction[] {
  const found: RecordedCompaction[] = []
  // Looked into only where a compaction follows.
  let timed: Buffer | undefined
  let counted: Buffer | undefined
  // The count before that, which is the one before the request for a summary where that is counted
  // itself.
  let countedEarlier: Buffer | undefined
  let counts: CountsBefore = {}
  let turn: CodexTurn = 'none'
  let areTurnsAttributed = false
  let record = -1
  for (const line of readLines(source)) {
    record++
    const entry = PARSED.some((word) => line.includes(word)) ? parseObject(line) : undefined
    const payload = asObject(entry?.payload)
    const last = found.at(-1)
    if (entry?.type === 'compacted' && record > 0) {
      found.push(readCompaction(entry, record, { timed, counted, turn }))
      counts = { counted, countedEarlier }
      counted = undefined
    } else if (last && isTimed(payload)) {
      found.splice(-1, 1, addTimes(last, payload ?? {}, counts))
    } else if (payload?.type === 'task_started') {
      const isAttributed = payload.turn_attribution !== undefined
      areTurnsAttributed ||= isAttributed
      turn = isAttributed ? 'words' : areTurnsAttributed ? 'command' : 'none'
    } else if (line.includes('"token_count"')) {
      countedEarlier = counted
      counted = line
      const tokens = last && last.tokensAfter === undefined ? countTokens(line) : 0
      if (last && tokens > 0) found.splice(-1, 1, { ...last, tokensAfter: recorded(tokens) })
    } else if (line.includes('"user_message"')) turn = 'words'
    else if (line.includes('"task_complete"') || line.includes('"turn_aborted"')) turn = 'none'
    timed = line
  }
  return found
}

const PARSED = ['"compacted"', '"ContextCompaction"', '"task_started"']
/**
 * What the work that goes on began with: words of the user, or a command of theirs. `none` also
 * where it is not noted.
 */
type CodexTurn = 'words' | 'command' | 'none'

const isTimed = (payload: JsonObject | undefined) =>
  payload?.type === 'item_completed' && asObject(payload.item)?.type === 'ContextCompaction'

interface LinesBefore {
  readonly timed: Buffer | undefined
  readonly counted: Buffer | undefined
  readonly turn: CodexTurn
}

interface CountsBefore {
  readonly counted?: Buffer | undefined
  readonly countedEarlier?: Buffer | undefined
}

function readCompaction(
  entry: JsonObject,
  record: number,
  { timed, counted, turn }: LinesBefore,
): RecordedCompaction {
  const timeMs = readTime(entry.timestamp)
  const summary = readWrittenSummary(findSummary(asObject(entry.payload) ?? {}), wire)
  return {
    record,
    lastRecord: record,
    time: timeMs === undefined ? undefined : new Date(timeMs),
    // Between two turns it may have been either, and the record before it is as old as the pause of
    // the user.
    trigger: turn === 'words' ? 'automatic' : turn === 'command' ? 'manual' : undefined,
    durationMs:
      turn === 'words'
        ? estimateDuration(timed && readTime(parseObject(timed)?.timestamp), timeMs)
        : undefined,
    tokensBefore: estimated(counted ? countTokens(counted) : 0),
    tokensAfter: undefined,
    ...summary,
  }
}

function addTimes(
  compaction: RecordedCompaction,
  { started_at_ms: startedMs, completed_at_ms: completedMs }: JsonObject,
  { counted, countedEarlier }: CountsBefore,
): RecordedCompaction {
  const countedMs = counted && readTime(parseObject(counted)?.timestamp)
  const isOfSummary = countedMs !== undefined && countedMs >= asCount(startedMs)
  const earlier = isOfSummary && countedEarlier ? estimated(countTokens(countedEarlier)) : undefined
  return {
    ...compaction,
    durationMs: recorded(asCount(completedMs) - asCount(startedMs)) ?? compaction.durationMs,
    tokensBefore: earlier ?? compaction.tokensBefore,
  }
}

/**
 * In the record itself, or the newest item that is one; what a provider encrypted nobody else can
 * read.
 */
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
