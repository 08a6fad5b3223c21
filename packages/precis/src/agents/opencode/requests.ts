/** The requests that a session of OpenCode records. */
import type { ByteSource } from '@precis/core/formats'
import { asCount, asObject, asText, type JsonObject } from '../../files/lines.ts'
import type { BilledRequest } from '../shared/agent.ts'
import { nameByTime, readAnswerParts, sumTokens } from '../shared/billed.ts'
import { readTime } from '../shared/session-lines.ts'
import { readExport, toStoredSession } from './stored-session.ts'

/** All tokens of the request that an answer came from. 0 for every other message. */
export function countRequestTokens(message: JsonObject): number {
  return sumTokens(toBilledRequest(message))
}

/** One for each answer. */
export function readRequests(source: ByteSource): BilledRequest[] {
  const { messages, readParts } = toStoredSession(readExport(source))
  return messages.flatMap((message, record) => {
    if (message.role !== 'assistant' || countRequestTokens(message) === 0) return []
    const parts = readParts(asText(message.id) ?? '').map(({ type, text, tool, state }) =>
      type === 'tool' ? { name: tool, input: asObject(state)?.input } : { text },
    )
    return [{ ...toBilledRequest(message, record), answer: readAnswerParts(parts) }]
  })
}

/** Reasoning is billed as output. */
export function toBilledRequest(message: JsonObject, record = -1): BilledRequest {
  const tokens = asObject(message.tokens)
  const cache = asObject(tokens?.cache)
  return {
    model: asText(message.modelID) ?? '',
    record,
    timeMs: readTime(asObject(message.time)?.created),
    // A fork gives its messages new ids and keeps their times.
    id: nameByTime(asObject(message.time)?.created, message.tokens),
    input: asCount(tokens?.input),
    cachedInput: asCount(cache?.read),
    cacheWrite: asCount(cache?.write),
    cacheWriteLong: 0,
    output: asCount(tokens?.output) + asCount(tokens?.reasoning),
  }
}
