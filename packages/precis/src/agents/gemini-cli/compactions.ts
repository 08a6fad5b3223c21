/**
 * The compactions in a log of Gemini CLI: it writes its whole history again, with a snapshot at its beginning that was not
 * there before. When it is resumed it does the same, with the snapshot that was there.
 */
import type { ByteSource } from '@precis/core/formats'
import { asCount, asObject, type JsonObject } from '../../files/lines.ts'
import type { RecordedCompaction } from '../ground/agent.ts'
import { estimateDuration, estimated } from '../ground/measured.ts'
import { readOnlyText } from '../ground/request-text.ts'
import { readTime } from '../ground/session-lines.ts'
import { readWrittenSummary } from '../ground/written-summary.ts'
import { isLog, listMessages, readRecords } from './stored-chat.ts'
import { wire } from './wire.ts'

export function readCompactions(source: ByteSource): RecordedCompaction[] {
  // In one object nothing is left of what was there before.
  if (!isLog(source)) return []
  const found: RecordedCompaction[] = []
  const known = new Set<string>()
  let beforeMs: number | undefined
  let used = 0
  let record = -1
  for (const line of readRecords(source)) {
    record++
    const messages = listMessages(line)
    const isNested = messages[0] !== line
    const nested = isNested ? messages.filter(({ id }) => typeof id === 'string').length : 0
    const snapshot = isNested ? messages.map(readSnapshot).find((text) => text !== undefined) : undefined
    const last = found.at(-1)
    const tokens = isNested ? 0 : countPrompt(line)
    if (tokens > 0) {
      used = tokens
      if (last && last.tokensAfter === undefined) found.splice(-1, 1, { ...last, tokensAfter: estimated(tokens) })
    }
    const set = asObject(line.$set)
    const timeMs = readTime(line.timestamp ?? set?.lastUpdated)
    if (snapshot !== undefined && !known.has(snapshot) && set) {
      found.push({
        record,
        lastRecord: record + nested,
        time: timeMs === undefined ? undefined : new Date(timeMs),
        trigger: undefined,
        durationMs: estimateDuration(beforeMs, timeMs),
        tokensBefore: estimated(used),
        tokensAfter: undefined,
        ...readWrittenSummary(snapshot, wire),
      })
    }
    if (snapshot !== undefined) known.add(snapshot)
    beforeMs = timeMs ?? beforeMs
    record += nested
  }
  return found
}

const SNAPSHOT = '<state_snapshot>'

function readSnapshot({ type, content }: JsonObject): string | undefined {
  const text = type === 'user' ? readOnlyText(content)?.trim() : undefined
  return text?.startsWith(SNAPSHOT) ? text : undefined
}

function countPrompt({ tokens }: JsonObject): number {
  return asCount(asObject(tokens)?.input)
}
