import type { Conversation } from '../message.ts'
import { findCallPairs, type ResultSite } from './call-pairs.ts'
import { keepPartsOf } from './change-parts.ts'
import type { Invariant } from './invariant.ts'

/** A call has one result. Repair keeps the first: it is the one the model has seen. */
export const duplicateToolResult: Invariant = {
  rule: 'duplicate-tool-result',
  protocols: ['anthropic-messages', 'openai-chat', 'openai-responses', 'gemini-contents'],
  check: (conversation) =>
    findRepeated(conversation).map(({ message, part }) => ({
      rule: 'duplicate-tool-result',
      message,
      detail: `tool call "${part.callId}" has its result already`,
    })),
  repair: (conversation) => {
    const sites = findRepeated(conversation)
    // By place, not by object: the same result object may stand in a history twice.
    const repeated = new Map<number, Set<unknown>>()
    for (const { message, part } of sites) repeated.set(message, (repeated.get(message) ?? new Set()).add(part))
    return sites.length === 0
      ? conversation
      : keepPartsOf(conversation, (part, index) => !repeated.get(index)?.has(part))
  },
}

function findRepeated(conversation: Conversation): ResultSite[] {
  return findCallPairs(conversation.messages).results.filter(({ isRepeated }) => isRepeated)
}
