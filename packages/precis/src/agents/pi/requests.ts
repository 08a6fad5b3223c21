/** The requests that a session of pi records. */
import type { ByteSource } from '@precis/core/formats'
import {
  asCount,
  asObject,
  asText,
  type JsonObject,
  parseObject,
  readLines,
} from '../../files/lines.ts'
import type { BilledRequest } from '../shared/agent.ts'
import { nameByTime, readAnswerParts, readTimeMs, sumTokens } from '../shared/billed.ts'

export function readRequests(source: ByteSource): BilledRequest[] {
  const requests: BilledRequest[] = []
  let record = -1
  for (const line of readLines(source)) {
    record++
    const entry = line.includes('"usage"') ? parseObject(line) : undefined
    const request = entry && readRequest(entry, record)
    if (request) requests.push(request)
  }
  return requests
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
    timeMs: readTimeMs(entry.timestamp),
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
