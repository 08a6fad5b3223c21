import { findBondedParts } from '../bonds.ts'
import { addTo } from '../lists.ts'
import type { Conversation } from '../message.ts'
import { type CallSite, findCallPairs, moveResults, type ResultSite } from './call-pairs.ts'
import { createInvariant, EVERY_PROTOCOL, keepPartsOf } from './invariant.ts'

/**
 * A result answers a call that came before it. Repair moves a result that came too early to its
 * place after the call, and drops one without any: it is unknown what it is of. Where earlier
 * messages lie at the provider, so may the call.
 */
export const toolResultWithoutCall = createInvariant({
  rule: 'tool-result-without-call',
  protocols: EVERY_PROTOCOL,
  find: (conversation) =>
    findOrphans(conversation).map(({ message, part }) => ({
      message,
      detail: `tool result "${part.callId}" answers no tool call`,
    })),
  repair: (conversation) => {
    const orphans = findOrphans(conversation)
    if (orphans.length === 0) return conversation
    const early = findEarly(conversation, orphans)
    const removed = new Set<unknown>(orphans.map(({ part }) => part))
    for (const { part } of early) removed.delete(part)
    return keepPartsOf(moveResults(conversation, early), (part) => !removed.has(part))
  },
})

/**
 * Orphans whose id is that of a call without a result, each with that call: were it before them, it
 * would be answered.
 */
function findEarly(conversation: Conversation, orphans: readonly ResultSite[]): ResultSite[] {
  const unanswered = new Map<string, CallSite[]>()
  for (const site of findCallPairs(conversation.messages).unanswered.toReversed()) {
    addTo(unanswered, site.part.callId, site)
  }
  return orphans.flatMap((orphan) => {
    const call = unanswered.get(orphan.part.callId)?.pop()
    return call ? [{ ...orphan, call }] : []
  })
}

function findOrphans(conversation: Conversation): ResultSite[] {
  const { messages, isContinued } = conversation
  if (isContinued) return []
  const { firstReference } = findBondedParts(messages)
  return findCallPairs(messages).results.filter(
    ({ message, call, isRepeated, isTied }) =>
      !call && !isRepeated && !isTied && message <= firstReference,
  )
}
