import type { Conversation, Message, ToolMessage } from '../message.ts'
import { findCallPairs, type ResultSite } from './call-pairs.ts'
import { keepParts, withMessages } from './change-parts.ts'
import type { Invariant } from './invariant.ts'
import { findResultRunEnds } from './result-runs.ts'

/**
 * All results of a message's calls stand right behind it, before anything else. The Responses API alone takes them
 * anywhere. Repair moves the results up, so a steering message ends up behind them.
 *
 *   assistant+call a,b   tool a   user (steering)   tool b   ->   assistant+call a,b   tool a   tool b   user
 */
export const toolResultsFollowCall: Invariant = {
  rule: 'tool-results-follow-call',
  protocols: ['anthropic-messages', 'openai-chat', 'gemini-contents'],
  check: (conversation) =>
    findLate(conversation).map(({ message, part }) => ({
      rule: 'tool-results-follow-call',
      message,
      detail: `tool result "${part.callId}" does not stand right behind the message with its call`,
    })),
  repair,
}

function findLate({ messages, protocol }: Conversation): ResultSite[] {
  const ends = findResultRunEnds(messages)
  if (protocol === 'anthropic-messages') {
    // Anthropic reads neighbouring assistant messages as one, so that their results may come together.
    for (let index = messages.length - 2; index >= 0; index--) {
      if (messages[index]?.role === 'assistant' && messages[index + 1]?.role === 'assistant') {
        ends[index] = ends[index + 1] ?? 0
      }
    }
  }
  return findCallPairs(messages).results.filter(({ message, call }) => call && message >= (ends[call.message] ?? 0))
}

function repair(conversation: Conversation): Conversation {
  const late = findLate(conversation)
  if (late.length === 0) return conversation
  const { messages } = conversation
  const ends = findResultRunEnds(messages)
  const moved = new Map<number, ResultSite[]>()
  const leaving = new Map<number, Set<unknown>>()
  for (const site of late) {
    if (!site.call) continue
    const home = (ends[site.call.message] ?? messages.length) - 1
    const arrivals = moved.get(home)
    if (arrivals) arrivals.push(site)
    else moved.set(home, [site])
    leaving.set(site.message, (leaving.get(site.message) ?? new Set()).add(site.part))
  }
  const arranged = messages.flatMap((message, index) => {
    const gone = leaving.get(index)
    const kept = gone ? keepParts(message, (part) => !gone.has(part)) : message
    const stays = kept === message || kept.parts.length > 0 ? [kept] : []
    return [...stays, ...(moved.get(index) ?? []).map((site) => extract(site, messages))]
  })
  return withMessages(conversation, arranged)
}

/** The result as a message of its own; the whole message when it holds nothing else. */
function extract({ message, part }: ResultSite, messages: readonly Message[]): ToolMessage {
  const source = messages[message]
  if (source?.role === 'tool' && source.parts.length === 1) return source
  const base = source?.role === 'tool' ? source : { role: 'tool' as const, origin: 'environment' as const }
  return { ...base, parts: [part] }
}
