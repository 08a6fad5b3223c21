/**
 * Histories without the messages that the provider no longer reads, because its own compaction
 * replaces them.
 */
import { findCompaction, findSystemEnd } from '../conversation/compaction.ts'
import { findCutPoints } from '../conversation/cut-points.ts'
import { repairInvariants } from '../conversation/invariants/index.ts'
import type { Conversation, Message } from '../conversation/message.ts'
import { isSummary } from '../conversation/summary-message.ts'
import { isUserRequest } from '../conversation/turns.ts'

/**
 * Removes what the provider has forgotten. Words of the user and the operator, and summaries by
 * precis, stay, because they are repeated after the compaction. Returns the same object if nothing
 * is removed.
 */
export function withoutForgotten(conversation: Conversation): Conversation {
  const { messages } = conversation
  const end = findForgottenEnd(messages)
  const kept = messages.filter(
    (message, index) => index >= end || message.role === 'system' || isSaid(message),
  )
  return kept.length === messages.length
    ? conversation
    : repairInvariants({ ...conversation, messages: kept })
}

/**
 * Removes the messages before a compaction. Keeps the last request, because Anthropic requires a
 * message at the beginning. Returns the same object if nothing is removed.
 */
export function withoutWordsBefore(conversation: Conversation): Conversation {
  const { messages, protocol } = conversation
  const end = findForgottenEnd(messages)
  const opening =
    protocol === 'openai-responses' ? -1 : messages.slice(0, end).findLastIndex(isUserRequest)
  const systemEnd = findSystemEnd(messages)
  const kept = messages.filter((_, index) => index >= end || index < systemEnd || index === opening)
  return kept.length === messages.length ? conversation : { ...conversation, messages: kept }
}

function isSaid(message: Message): boolean {
  return isUserRequest(message) || isSummary(message)
}

/**
 * The end of what is forgotten: the latest compaction, unless a cut there would separate parts that
 * belong together.
 */
function findForgottenEnd(messages: readonly Message[]): number {
  const position = findCompaction(messages)
  return position > 0 && findCutPoints(messages).isLegal(position) ? position : 0
}
