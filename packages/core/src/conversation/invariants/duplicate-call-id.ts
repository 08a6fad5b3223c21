import { addTo } from '../lists.ts'
import type { Conversation, Message, ToolMessage } from '../message.ts'
import type { CallSite } from './call-pairs.ts'
import { createInvariant, EVERY_PROTOCOL, mapParts, withMessages } from './invariant.ts'

/**
 * Calls of one message have different ids. To Anthropic, so do calls of all messages ("`tool_use`
 * ids must be unique"). Repair gives later calls new ids, and their results too, because results
 * come in the order of their calls.
 */
export const duplicateCallId = createInvariant({
  rule: 'duplicate-call-id',
  protocols: EVERY_PROTOCOL,
  find: (conversation) =>
    findRepeated(conversation).map(({ message, part: { callId } }) => ({
      message,
      detail: `another tool call before it has the id "${callId}"`,
    })),
  repair,
})

function findRepeated({ messages, protocol }: Conversation): CallSite[] {
  let seen = new Set<string>()
  return messages.flatMap(({ role, parts }, message) => {
    if (role !== 'assistant') return []
    if (protocol !== 'anthropic-messages') seen = new Set()
    return parts.flatMap((part) =>
      part.type === 'tool-call' && seen.size === seen.add(part.callId).size
        ? [{ message, part }]
        : [],
    )
  })
}

function repair(conversation: Conversation): Conversation {
  const { messages } = conversation
  const repeated = new Map<number, Set<unknown>>()
  for (const { message, part } of findRepeated(conversation))
    repeated.set(message, (repeated.get(message) ?? new Set()).add(part))
  if (repeated.size === 0) return conversation
  const createId = createIdSource(messages)
  // The ids for the next results with an id. If an id is reused, it belongs to the newer calls from
  // there on.
  const waiting = new Map<string, string[]>()
  const renamed = messages.map((message, index): Message => {
    if (message.role === 'tool') return renameResults(message, waiting)
    if (message.role !== 'assistant') return message
    const own = new Map<string, string[]>()
    const changed = mapParts(message, (part) => {
      if (part.type !== 'tool-call') return part
      const callId = repeated.get(index)?.has(part) ? createId(part.callId) : part.callId
      addTo(own, part.callId, callId)
      return callId === part.callId ? part : { ...part, callId }
    })
    // The first one is taken first.
    for (const [callId, ids] of own) waiting.set(callId, ids.reverse())
    return changed
  })
  return withMessages(conversation, renamed)
}

function renameResults(message: ToolMessage, waiting: ReadonlyMap<string, string[]>): ToolMessage {
  return mapParts(message, (part) => {
    if (part.type !== 'tool-result') return part
    const callId = waiting.get(part.callId)?.pop()
    return callId === undefined || callId === part.callId ? part : { ...part, callId }
  })
}

function createIdSource(messages: readonly Message[]): (callId: string) => string {
  const used = new Set<string>()
  for (const { parts } of messages) {
    for (const part of parts)
      if (part.type === 'tool-call' || part.type === 'tool-result') used.add(part.callId)
  }
  let count = 1
  return (callId) => {
    let fresh = callId
    while (used.has(fresh)) fresh = `${callId}_${++count}`
    used.add(fresh)
    return fresh
  }
}
