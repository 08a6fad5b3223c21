/**
 * The compactions in a session of pi. Each is one entry with its summary and the tokens before it.
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
import { sumTokens } from '../shared/billed.ts'
import { estimated, recorded } from '../shared/measured.ts'
import { readDate } from '../shared/session-lines.ts'
import { readWrittenSummary } from '../shared/written-summary.ts'
import { readRequest } from './requests.ts'

export function readCompactions(source: ByteSource): RecordedCompaction[] {
  const found: RecordedCompaction[] = []
  let record = -1
  for (const line of readLines(source)) {
    record++
    const last = found.at(-1)
    const entry = line.includes('"compaction"') ? parseObject(line) : undefined
    if (entry?.type === 'compaction') found.push(readCompaction(entry, record))
    else if (last && last.tokensAfter === undefined && line.includes('"usage"')) {
      const request = readRequest(parseObject(line) ?? {})
      const tokensAfter = request && estimated(sumTokens(request) - request.output)
      found.splice(-1, 1, { ...last, tokensAfter })
    }
  }
  return found
}

function readCompaction(entry: JsonObject, record: number): RecordedCompaction {
  const details = asObject(entry.details)
  const isOwn = details?.by === 'precis'
  const written = readWrittenSummary(
    (isOwn ? asText(details.summary) : undefined) ?? asText(entry.summary),
  )
  return {
    record,
    lastRecord: record,
    time: readDate(entry.timestamp),
    // Neither is recorded. The entry before it may be older by a pause of the user.
    trigger: undefined,
    durationMs: undefined,
    tokensBefore: recorded(asCount(entry.tokensBefore)),
    tokensAfter: undefined,
    ...written,
    by: isOwn ? 'precis' : written.by,
  }
}
