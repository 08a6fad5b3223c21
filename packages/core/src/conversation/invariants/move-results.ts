import type { Conversation, Message, ToolMessage } from '../message.ts'
import type { ResultSite } from './call-pairs.ts'
import { keepParts, withMessages } from './change-parts.ts'
import { findResultRunEnds } from './result-runs.ts'

/** Every result right behind the message with its call, after the results that stand there already. */
export function moveResults(conversation: Conversation, sites: readonly ResultSite[]): Conversation {
  if (sites.length === 0) return conversation
  const { messages } = conversation
  const ends = findResultRunEnds(messages)
  const moved = new Map<number, ResultSite[]>()
  const leaving = new Map<number, Set<unknown>>()
  for (const site of sites) {
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
