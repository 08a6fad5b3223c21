/**
 * Histories without what the provider no longer reads, because a compaction of its own stands for
 * it.
 */
import { findCompaction, findSystemEnd } from './compaction.ts'
import { findCutPoints } from './cut-points.ts'
import type { Conversation, Message } from './message.ts'
import { isSummary } from './summary-message.ts'
import { isUserRequest } from './turns.ts'

/**
 * Without what the provider has forgotten; the same object where that is nothing. What the user and
 * the operator said, and summaries of precis, stay where they are, to be said again behind the
 * compaction.
 */
export function withoutForgotten(conversation: Conversation): Conversation {
  const { messages } = conversation
  const end = findForgottenEnd(messages)
  const kept = messages.filter(
    (message, index) => index >= end || message.role === 'system' || isSaid(message),
  )
  return kept.length === messages.length ? conversation : { ...conversation, messages: kept }
}

/**
 * Without the words before a compaction, of which Anthropic wants one for a beginning; the same
 * object where there are none.
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
 * Where what is forgotten ends: at the newest compaction, unless a cut there would tear something.
 */
function findForgottenEnd(messages: readonly Message[]): number {
  const position = findCompaction(messages)
  return position > 0 && findCutPoints(messages).isLegal(position) ? position : 0
}
