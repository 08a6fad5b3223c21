/** The requests that a session of pi records. */
import type { ByteSource } from '@precis/core/formats'
import { asCount, asObject, asText, type JsonObject } from '../../files/lines.ts'
import type { BilledRequest } from '../shared/agent.ts'
import { nameByTime, readAnswerParts, sumTokens } from '../shared/billed.ts'
import { readMarkedRecords, readTime } from '../shared/session-lines.ts'

export function readRequests(source: ByteSource): BilledRequest[] {
  return [...readMarkedRecords(source, '"usage"')].flatMap(
    ([entry, record]) => readRequest(entry, record) ?? [],
  )
}

/** The tokens of an answer, on any branch. */
export function readRequest(entry: JsonObject, record = -1): BilledRequest | undefined {
  const message = asObject(entry.message)
  const usage = asObject(message?.usage)
  const model = asText(message?.model)
  if (message?.role !== 'assistant' || !usage || !model) return undefined
  const request = {
    model,
    record,
    timeMs: readTime(entry.timestamp),
    id: asText(message.responseId) ?? nameByTime(entry.timestamp, usage),
    answer: readAnswerParts(message.content),
    input: asCount(usage.input),
    cachedInput: asCount(usage.cacheRead),
    cacheWrite: asCount(usage.cacheWrite),
    cacheWriteLong: 0,
    output: asCount(usage.output),
  }
  return sumTokens(request) > 0 ? request : undefined
}
