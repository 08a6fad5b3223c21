import { findBondedParts } from '../bonds.ts'
import { addTo } from '../lists.ts'
import type { Conversation } from '../message.ts'
import { type CallSite, findCallPairs, moveResults, type ResultSite } from './call-pairs.ts'
import { createInvariant, EVERY_PROTOCOL, keepPartsOf } from './invariant.ts'

/**
 * A result answers a call before it. Repair moves a result that is before its call to after the
 * call. It drops a result that has no call. If the provider stores earlier messages, the call may
 * be among them.
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
 * Orphans that are before a call with their id, if that call has no result. Each is returned with
 * its call.
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
