import type { Conversation, Message } from '../message.ts'
import { withMessages } from './change-parts.ts'
import type { Invariant } from './invariant.ts'

/**
 * Gemini takes the system prompt apart from the contents, so it can only stand first. Anthropic takes later ones since
 * Claude Opus 4.8, OpenAI always. Repair hands a later one on in the user role, where it keeps its place.
 */
export const systemFirst: Invariant = {
  rule: 'system-first',
  protocols: ['gemini-contents'],
  check: ({ messages }) =>
    findLater(messages).map((index) => ({
      rule: 'system-first',
      message: index,
      detail: 'a system message stands among the other messages',
    })),
  repair: (conversation: Conversation) => {
    const later = new Set(findLater(conversation.messages))
    if (later.size === 0) return conversation
    return withMessages(
      conversation,
      conversation.messages.map((message, index): Message => {
        return message.role === 'system' && later.has(index) ? { ...message, role: 'user' } : message
      }),
    )
  },
}

function findLater(messages: readonly Message[]): number[] {
  const first = messages.findIndex((message) => message.role !== 'system')
  if (first < 0) return []
  return messages.flatMap((message, index) => (message.role === 'system' && index > first ? [index] : []))
}
