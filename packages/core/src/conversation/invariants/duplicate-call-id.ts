import type { AssistantMessage, Conversation, Message, ToolMessage } from '../message.ts'
import { createInvariant, EVERY_PROTOCOL, mapParts, withMessages } from './invariant.ts'

/**
 * Calls of one message have different ids. Repair gives later calls new ids, and their results too,
 * because results come in the order of their calls.
 */
export const duplicateCallId = createInvariant({
  rule: 'duplicate-call-id',
  protocols: EVERY_PROTOCOL,
  find: ({ messages }) =>
    messages.flatMap((message, index) =>
      findRepeatedIds(message).map((callId) => ({
        message: index,
        detail: `two tool calls of one message have the id "${callId}"`,
      })),
    ),
  repair,
})

function findRepeatedIds(message: Message): string[] {
  if (message.role !== 'assistant' || message.parts.length < 2) return []
  const seen = new Set<string>()
  return message.parts.flatMap((part) => {
    if (part.type !== 'tool-call' || seen.size === seen.add(part.callId).size - 1) return []
    return [part.callId]
  })
}

function repair(conversation: Conversation): Conversation {
  const { messages } = conversation
  if (!messages.some((message) => findRepeatedIds(message).length > 0)) return conversation
  const createId = createIdSource(messages)
  // The ids for the next results with an id. If an id is reused, it belongs to the newer calls from
  // there on.
  const waiting = new Map<string, string[]>()
  const renamed = messages.map((message): Message => {
    if (message.role === 'assistant') return renameCalls(message, createId, waiting)
    return message.role === 'tool' ? renameResults(message, waiting) : message
  })
  return withMessages(conversation, renamed)
}

function renameCalls(
  message: AssistantMessage,
  createId: (callId: string) => string,
  waiting: Map<string, string[]>,
): AssistantMessage {
  const seen = new Set<string>()
  return mapParts(message, (part) => {
    if (part.type !== 'tool-call') return part
    if (!seen.has(part.callId)) {
      seen.add(part.callId)
      waiting.set(part.callId, [part.callId])
      return part
    }
    const callId = createId(part.callId)
    waiting.get(part.callId)?.push(callId)
    return { ...part, callId }
  })
}

function renameResults(message: ToolMessage, waiting: ReadonlyMap<string, string[]>): ToolMessage {
  return mapParts(message, (part) => {
    if (part.type !== 'tool-result') return part
    const callId = waiting.get(part.callId)?.shift()
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
