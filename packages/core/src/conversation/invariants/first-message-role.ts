import { type Conversation, createSyntheticMessage } from '../message.ts'
import { createInvariant, findBroken } from './invariant.ts'

/**
 * Anthropic: "first message must use the user role". Repair puts a note of the host before it, so
 * that nothing is lost.
 */
export const firstMessageRole = createInvariant({
  rule: 'first-message-role',
  protocols: ['anthropic-messages'],
  find: (conversation) =>
    findBroken(conversation, ({ role }, index) =>
      role === 'assistant' && index === findFirst(conversation)
        ? 'the first message has the role assistant, not user'
        : undefined,
    ),
  repair: (conversation) => {
    const first = findFirst(conversation)
    const { messages } = conversation
    if (messages[first]?.role !== 'assistant') return conversation
    const note = createSyntheticMessage(
      'user',
      '[The conversation begins with an answer; what it answers is not recorded.]',
    )
    return {
      ...conversation,
      messages: [...messages.slice(0, first), note, ...messages.slice(first)],
    }
  },
})

/** The first message that is not a system prompt. -1 if there is none. */
function findFirst({ messages }: Conversation): number {
  return messages.findIndex((message) => message.role !== 'system')
}
