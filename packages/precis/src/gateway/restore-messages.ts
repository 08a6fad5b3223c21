/** What an agent's history contains of earlier answers by precis, in the form for its provider. */
import { apis } from '@precis/core/apis'
import { createSyntheticMessage, readText } from '@precis/core/conversation'
import { withoutQuotesOf } from '@precis/core/facts'
import { formats } from '@precis/core/formats'
import { agents } from '../agents/index.ts'
import type { AgentWire } from '../agents/shared/wire.ts'
import { asObject, type JsonObject } from '../files/lines.ts'
import { type ApiRequest, readApiRequest } from './api-request.ts'
import type { ActRequest, ActResult } from './gateway.ts'

/**
 * The body with messages instead of such items, and no repetition of what is before them. Undefined
 * if nothing changes.
 */
export function restoreMessages(request: ActRequest, body: ApiRequest): ApiRequest | undefined {
  const { messages } = body.request
  const restored = withoutRepetition(messages.map(restoreMessage), request)
  if (restored.every((message, place) => message === messages[place])) return undefined
  return readApiRequest(body.replaceMessages(restored), request)
}

/** The request of a result that passes, restored if that changes anything. */
export function restorePassed(request: ActRequest, result: ActResult): ActResult {
  const body = readApiRequest(request.body, request)
  return sendRestored(request, body && restoreMessages(request, body), result)
}

/** Sends `restored`, if it is there, in place of a request that passes. */
export function sendRestored(
  request: ActRequest,
  restored: ApiRequest | undefined,
  result: ActResult,
): ActResult {
  // What was refused was sent with them already.
  return result.type === 'pass' && restored && !request.overflow
    ? { ...result, type: 'replace', body: restored.bytes }
    : result
}

/**
 * What the provider gets for a message that an earlier answer became. Every other message stays
 * unchanged.
 */
export function restoreMessage(message: object): object {
  const [restored] = agents.flatMap(
    ({ wire }) => wire?.restoreMessage?.(asObject(message) ?? {}) ?? [],
  )
  return restored ?? message
}

/**
 * For an agent that keeps what the user typed. Removes only repetitions of text before the summary,
 * so that the bytes stay the same in every later turn.
 */
function withoutRepetition(
  messages: readonly object[],
  { api, owner }: ActRequest,
): readonly object[] {
  const { wire } = agents.find(({ name }) => name === owner.agent) ?? {}
  if (!wire?.summaryMarks) return messages
  const place = messages.findLastIndex((message) => findSummary(message, wire))
  const found = findSummary(messages[place], wire)
  if (!found) return messages
  const before = formats[api].parse({ [apis[api].listKey]: messages.slice(0, place) }).messages
  const summary = createSyntheticMessage('user', found.summary)
  const shorter = withoutQuotesOf(summary, before)
  if (shorter === summary) return messages
  const text = found.text.slice(0, found.text.length - found.summary.length) + readText(shorter)
  const parts = found.parts.map((part) => (part === found.part ? { ...part, text } : part))
  return messages.with(place, { ...messages[place], content: parts })
}

interface FoundSummary {
  readonly parts: readonly unknown[]
  readonly part: JsonObject
  /** Ends with the summary. The agent's own words come before it. */
  readonly text: string
  readonly summary: string
}

function findSummary(message: object | undefined, wire: AgentWire): FoundSummary | undefined {
  const parts = asObject(message)?.content
  if (!Array.isArray(parts)) return undefined
  for (const value of parts) {
    const part = asObject(value)
    const text = part?.text
    const summary = typeof text === 'string' ? wire.unwrapSummary(text) : undefined
    if (part && typeof text === 'string' && summary !== undefined && text.endsWith(summary)) {
      return { parts, part, text, summary }
    }
  }
  return undefined
}
