import type { Conversation } from '../message.ts'
import { findCallPairs, type ResultSite } from './call-pairs.ts'
import { keepPartsOf } from './change-parts.ts'
import type { Invariant } from './invariant.ts'

/** A result answers a call that came before it. Repair drops the result: without its call nobody knows what it is of. */
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
    const orphans = new Set<unknown>(findOrphans(conversation).map(({ part }) => part))
    return orphans.size === 0 ? conversation : keepPartsOf(conversation, (part) => !orphans.has(part))
  },
}

function findOrphans(conversation: Conversation): ResultSite[] {
  return findCallPairs(conversation.messages).results.filter(({ call, isRepeated }) => !call && !isRepeated)
}
