/**
 * The compactions in a session of OpenCode: a message that asks for one, and the summary that
 * answers it, which is billed.
 */
import type { ByteSource } from '@precis/core/formats'
import { asObject, asText, type JsonObject } from '../../files/lines.ts'
import type { RecordedCompaction } from '../shared/agent.ts'
import { sumTokens } from '../shared/billed.ts'
import { estimated, recorded } from '../shared/measured.ts'
import { readTime } from '../shared/session-lines.ts'
import { readWrittenSummary } from '../shared/written-summary.ts'
import { toBilledRequest } from './requests.ts'
import { listRecords, readExport } from './stored-session.ts'
import { wire } from './wire.ts'

/** The part that asks for a compaction. Undefined if the message has none. */
export function findCompactionPart(record: JsonObject | undefined): JsonObject | undefined {
  return listParts(record).find(({ type }) => type === 'compaction')
}

export function readCompactions(source: ByteSource): RecordedCompaction[] {
  const records = listRecords(readExport(source))
  return records.flatMap((record, number) => {
    const asked = findCompactionPart(record)
    if (!asked) return []
    const id = asObject(record?.info)?.id
    const answer = records.findIndex((other, at) => at > number && isSummary(other, id))
    return answer >= 0 ? [readCompaction(records, asked, number, answer)] : []
  })
}

/** A summary that failed replaces nothing. */
function isSummary(record: JsonObject | undefined, askedId: unknown): boolean {
  const info = asObject(record?.info)
  return info?.summary === true && info.parentID === askedId && Boolean(info.finish) && !info.error
}

function readCompaction(
  records: readonly (JsonObject | undefined)[],
  { auto }: JsonObject,
  record: number,
  answer: number,
): RecordedCompaction {
  const info = asObject(records[answer]?.info) ?? {}
  const startMs = readTime(asObject(asObject(records[record]?.info)?.time)?.created)
  const endMs = readTime(asObject(info.time)?.completed)
  const text = listParts(records[answer])
    .flatMap((part) => (part.type === 'text' ? (asText(part.text) ?? []) : []))
    .join('\n')
  return {
    record,
    lastRecord: answer,
    time: startMs === undefined ? undefined : new Date(startMs),
    trigger: auto === true ? 'automatic' : auto === false ? 'manual' : undefined,
    durationMs:
      startMs === undefined || endMs === undefined ? undefined : recorded(endMs - startMs),
    tokensBefore: recorded(Math.max(countBefore(records.slice(0, record)), countPrompt(info))),
    tokensAfter: estimated(
      records.slice(answer + 1).reduce((found, { info } = {}) => found || countPrompt(info), 0),
    ),
    ...readWrittenSummary(text === '' ? undefined : text, wire),
    request: toBilledRequest(info, answer),
  }
}

/** The request for a summary may have none of the history, and has only parts of long results. */
function countBefore(records: readonly (JsonObject | undefined)[]): number {
  const counts = records.map((record) => sumTokens(toBilledRequest(asObject(record?.info) ?? {})))
  return counts.findLast((count) => count > 0) ?? 0
}

function countPrompt(info: unknown): number {
  const request = toBilledRequest(asObject(info) ?? {})
  return sumTokens(request) - request.output
}

function listParts(record: JsonObject | undefined): JsonObject[] {
  return Array.isArray(record?.parts)
    ? record.parts.map(asObject).filter((part) => part !== undefined)
    : []
}
