/**
 * The compactions in a log of Gemini CLI. It writes its whole history again, beginning with a new
 * snapshot. On a resume it does the same with the old snapshot. On a terminal, 0.61 then records
 * what the user saw: sizes after an automatic compression, and nothing after the command.
 */
import type { ByteSource } from '@precis/core/formats'
import { asCount, asObject, asText, type JsonObject } from '../../files/lines.ts'
import type { RecordedCompaction } from '../shared/agent.ts'
import { estimated } from '../shared/measured.ts'
import { readOnlyText } from '../shared/request-text.ts'
import { readDate } from '../shared/session-lines.ts'
import { readWrittenSummary } from '../shared/written-summary.ts'
import { isLog, listMessages, readRecords } from './stored-chat.ts'
import { wire } from './wire.ts'

export function readCompactions(source: ByteSource): RecordedCompaction[] {
  // A session of one object keeps nothing of the earlier history.
  if (!isLog(source)) return []
  const found: RecordedCompaction[] = []
  const known = new Set<string>()
  let used = 0
  let record = -1
  for (const line of readRecords(source)) {
    record++
    const messages = listMessages(line)
    const isNested = messages[0] !== line
    const nested = isNested ? messages.filter(({ id }) => typeof id === 'string').length : 0
    const snapshot = isNested
      ? messages.map(readSnapshot).find((text) => text !== undefined)
      : undefined
    const last = found.at(-1)
    const tokens = isNested ? 0 : countPrompt(line)
    if (tokens > 0) {
      used = tokens
      if (last && last.tokensAfter === undefined)
        found.splice(-1, 1, { ...last, tokensAfter: estimated(tokens) })
    }
    if (last && line.type === 'info' && record === last.lastRecord + 1) {
      found.splice(-1, 1, { ...last, trigger: readTrigger(line) })
    }
    const set = asObject(line.$set)
    if (snapshot !== undefined && !known.has(snapshot) && set) {
      found.push({
        record,
        lastRecord: record + nested,
        time: readDate(line.timestamp ?? set?.lastUpdated),
        trigger: undefined,
        // The record before it may be older by a pause of the user.
        durationMs: undefined,
        tokensBefore: estimated(used),
        tokensAfter: undefined,
        ...readWrittenSummary(snapshot, wire),
      })
    }
    if (snapshot !== undefined) known.add(snapshot)
    record += nested
  }
  return found
}

function readTrigger({ content }: JsonObject): RecordedCompaction['trigger'] {
  const shown = asText(content)
  if (shown === '') return 'manual'
  return shown?.startsWith('Context compressed from ') ? 'automatic' : undefined
}

const SNAPSHOT = '<state_snapshot>'

function readSnapshot({ type, content }: JsonObject): string | undefined {
  const text = type === 'user' ? readOnlyText(content)?.trim() : undefined
  return text?.startsWith(SNAPSHOT) ? text : undefined
}

function countPrompt({ tokens }: JsonObject): number {
  return asCount(asObject(tokens)?.input)
}
