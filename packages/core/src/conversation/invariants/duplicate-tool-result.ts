import type { Conversation } from '../message.ts'
import { findCallPairs, type ResultSite } from './call-pairs.ts'
import { createInvariant, EVERY_PROTOCOL, keepPartsOf } from './invariant.ts'

/** A call has one result. Repair keeps the first one, because the model has seen it. */
export const duplicateToolResult = createInvariant({
  rule: 'duplicate-tool-result',
  protocols: EVERY_PROTOCOL,
  find: (conversation) =>
    findRepeated(conversation).map(({ message, part }) => ({
      message,
      detail: `tool call "${part.callId}" has its result already`,
    })),
  repair: (conversation) => {
    const sites = findRepeated(conversation)
    // By position, because a history may contain the same result object twice.
    const repeated = new Map<number, Set<unknown>>()
    for (const { message, part } of sites)
      repeated.set(message, (repeated.get(message) ?? new Set()).add(part))
    return sites.length === 0
      ? conversation
      : keepPartsOf(conversation, (part, index) => !repeated.get(index)?.has(part))
  },
})

function findRepeated(conversation: Conversation): ResultSite[] {
  return findCallPairs(conversation.messages).results.filter(({ isRepeated }) => isRepeated)
}
