import type { Conversation } from '../message.ts'
import { type CallSite, findCallPairs, type ResultSite } from './call-pairs.ts'
import { keepPartsOf } from './change-parts.ts'
import type { Invariant } from './invariant.ts'
import { moveResults } from './move-results.ts'

/**
 * A result answers a call that came before it. Repair moves a result that came too early behind its call, and drops one
 * without any: nobody knows what it is of.
 */
export const toolResultWithoutCall: Invariant = {
  rule: 'tool-result-without-call',
  protocols: ['anthropic-messages', 'openai-chat', 'openai-responses', 'gemini-contents'],
  check: (conversation) =>
    findOrphans(conversation).map(({ message, part }) => ({
      rule: 'tool-result-without-call',
      message,
      detail: `tool result "${part.callId}" answers no tool call`,
    })),
  repair: (conversation) => {
    const orphans = findOrphans(conversation)
    if (orphans.length === 0) return conversation
    const early = findEarly(conversation, orphans)
    const gone = new Set<unknown>(orphans.map(({ part }) => part))
    for (const { part } of early) gone.delete(part)
    return keepPartsOf(moveResults(conversation, early), (part) => !gone.has(part))
  },
}

/** Orphans whose id is that of a call without a result, each with that call: were it before them, it would be answered. */
function findEarly(conversation: Conversation, orphans: readonly ResultSite[]): ResultSite[] {
  const unanswered = new Map<string, CallSite[]>()
  for (const site of findCallPairs(conversation.messages).unanswered.toReversed()) {
    const waiting = unanswered.get(site.part.callId)
    if (waiting) waiting.push(site)
    else unanswered.set(site.part.callId, [site])
  }
  return orphans.flatMap((orphan) => {
    const call = unanswered.get(orphan.part.callId)?.pop()
    return call ? [{ ...orphan, call }] : []
  })
}

function findOrphans(conversation: Conversation): ResultSite[] {
  return findCallPairs(conversation.messages).results.filter(({ call, isRepeated }) => !call && !isRepeated)
}
