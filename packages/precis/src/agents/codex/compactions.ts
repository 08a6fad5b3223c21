/**
 * The compactions in a rollout of Codex. Each is one record with the history that replaces
 * everything before it. After it comes Codex's token count of that history. 0.169 records more:
 *
 *   task_started, by whom (unless the user asked) · token_count of the request for a summary ·
 *   compacted · token_count of what is left · item_completed with the times of the compaction
 */
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
import { readOnlyText } from '../shared/request-text.ts'
import { readTime } from '../shared/session-lines.ts'
import { readWrittenSummary } from '../shared/written-summary.ts'
import { wire } from './wire.ts'

export function readCompactions(source: ByteSource): RecordedCompaction[] {
  if (!holdsText(source, ['"compacted"'])) return []
  const found: RecordedCompaction[] = []
  // Parsed only if a compaction follows.
  let timed: Buffer | undefined
  let counted: Buffer | undefined
  // The count before that. If the request for a summary is counted itself, this is the count before
  // it.
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
 * What began the current turn: words of the user, or a command. `none` also means that it is not
 * recorded.
 */
type CodexTurn = 'words' | 'command' | 'none'

const isTimed = (payload: JsonObject | undefined) =>
  payload?.type === 'item_completed' && asObject(payload.item)?.type === 'ContextCompaction'

interface LinesBeforeSummary {
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
  { timed, counted, turn }: LinesBeforeSummary,
): RecordedCompaction {
  const timeMs = readTime(entry.timestamp)
  const payload = asObject(entry.payload) ?? {}
  const summary = readWrittenSummary(findSummary(payload), wire)
  return {
    record,
    lastRecord: record,
    isWhole: Array.isArray(payload.replacement_history),
    time: timeMs === undefined ? undefined : new Date(timeMs),
    // Between two turns it may be either, and the record before it may be older by a pause of the
    // user.
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
 * From the record itself, or the latest item that is a summary. Only its provider can read what it
 * encrypted.
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
