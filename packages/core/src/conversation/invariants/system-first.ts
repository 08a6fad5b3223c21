import type { Message } from '../message.ts'
import { createInvariant, withMessages } from './invariant.ts'

/**
 * Gemini has the system prompt apart from the contents, so it can only come first. Anthropic
 * accepts later ones since Claude Opus 4.8, and OpenAI always did. Repair moves a later one to the
 * user role, in the same place.
 */
export const systemFirst = createInvariant({
  rule: 'system-first',
  protocols: ['gemini-contents'],
  find: ({ messages }) =>
    findLater(messages).map((message) => ({
      message,
      detail: 'a system message stands among the other messages',
    })),
  repair: (conversation) => {
    const later = new Set(findLater(conversation.messages))
    return withMessages(
      conversation,
      conversation.messages.map((message, index) =>
        message.role === 'system' && later.has(index)
          ? { ...message, role: 'user', isOperator: true }
          : message,
      ),
    )
  },
})

function findLater(messages: readonly Message[]): number[] {
  const first = messages.findIndex((message) => message.role !== 'system')
  if (first < 0) return []
  return messages.flatMap((message, index) =>
    message.role === 'system' && index > first ? [index] : [],
  )
}
