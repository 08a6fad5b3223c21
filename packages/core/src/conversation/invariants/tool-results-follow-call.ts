import type { Conversation } from '../message.ts'
import { findCallPairs, findResultRunEnds, moveResults, type ResultSite } from './call-pairs.ts'
import { createInvariant } from './invariant.ts'

/**
 * All results of a message's calls are right after it, before anything else. Only the Responses API
 * accepts them anywhere. Repair moves the results up, so a steering message ends up after them.
 *
 *   before   assistant+call a,b   tool a   user (steering)   tool b
 *   after    assistant+call a,b   tool a   tool b   user
 */
export const toolResultsFollowCall = createInvariant({
  rule: 'tool-results-follow-call',
  protocols: ['anthropic-messages', 'openai-chat', 'gemini-contents'],
  find: (conversation) =>
    findLate(conversation).map(({ message, part }) => ({
      message,
      detail: `tool result "${part.callId}" does not stand right behind the message with its call`,
    })),
  repair: (conversation) => moveResults(conversation, findLate(conversation)),
})

function findLate({ messages, protocol }: Conversation): ResultSite[] {
  const ends = findResultRunEnds(messages)
  if (protocol === 'anthropic-messages') {
    // Anthropic reads adjacent assistant messages as one, so their results may come together.
    for (let index = messages.length - 2; index >= 0; index--) {
      if (messages[index]?.role === 'assistant' && messages[index + 1]?.role === 'assistant') {
        ends[index] = ends[index + 1] ?? 0
      }
    }
  }
  return findCallPairs(messages).results.filter(
    ({ message, call }) => call && message >= (ends[call.message] ?? 0),
  )
}
