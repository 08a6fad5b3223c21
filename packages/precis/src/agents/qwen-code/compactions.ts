/**
 * The compactions in a session of Qwen Code. Each is one entry with the remaining history. All
 * entries before it are still on its branch.
 */
import { type ByteSource, formats } from '@precis/core/formats'
import { asCount, asObject, asText, type JsonObject } from '../../files/lines.ts'
import type { RecordedCompaction, Timeline } from '../shared/agent.ts'
import { estimated, recorded } from '../shared/measured.ts'
import {
  parseTimelineRows,
  readDate,
  readMarkedRecords,
  readTimelineRows,
} from '../shared/session-lines.ts'
import { readWrittenSummary } from '../shared/written-summary.ts'

export const isCompression = ({ type, subtype }: JsonObject): boolean =>
  type === 'system' && subtype === 'chat_compression'

export function readCompactions(source: ByteSource): RecordedCompaction[] {
  return [...readMarkedRecords(source, '"chat_compression"')].flatMap(([entry, record]) =>
    isCompression(entry) ? [readCompaction(entry, record)] : [],
  )
}

const TRIGGERS: ReadonlyMap<unknown, RecordedCompaction['trigger']> = new Map([
  ['manual', 'manual'],
  ['auto', 'automatic'],
] as const)

function readCompaction(
  { timestamp, systemPayload }: JsonObject,
  record: number,
): RecordedCompaction {
  const payload = asObject(systemPayload)
  const info = asObject(payload?.info)
  const measure = (isEstimated: unknown) => (isEstimated === true ? estimated : recorded)
  return {
    record,
    lastRecord: record,
    time: readDate(timestamp),
    trigger: TRIGGERS.get(info?.triggerReason),
    durationMs: undefined,
    tokensBefore: measure(info?.originalTokenCountIsEstimated)(asCount(info?.originalTokenCount)),
    tokensAfter: measure(info?.newTokenCountIsEstimated)(asCount(info?.newTokenCount)),
    ...readWrittenSummary(readSummary(payload)),
  }
}

// Follows each summary, for the model.
const TRAILER = /\n\nResume the prior task using the summary above\. [^\n]{0,400}$/

function readSummary(payload: JsonObject | undefined): string | undefined {
  const history: unknown = payload?.compressedHistory
  const parts: unknown = Array.isArray(history) ? asObject(history[0])?.parts : undefined
  const text = Array.isArray(parts) ? asText(asObject(parts[0])?.text) : undefined
  return text?.replace(TRAILER, '')
}

/** The history as if nothing had been compressed. The result of a compression is not read. */
export function readTimeline(source: ByteSource): Timeline {
  const rows = readTimelineRows(source)
  const plain = rows.map((row) =>
    isCompression(row.value)
      ? { ...row, line: JSON.stringify({ ...row.value, systemPayload: undefined }) }
      : row,
  )
  return {
    timed: parseTimelineRows(formats['qwen-code'], plain),
    compactions: rows.filter(({ value }) => isCompression(value)).length,
  }
}
