import { type Conversation, createSyntheticMessage } from '../message.ts'
import type { Invariant } from './invariant.ts'

/** Anthropic: "first message must use the user role". Repair puts a note of the host before it, so that nothing is lost. */
export const firstMessageRole: Invariant = {
  rule: 'first-message-role',
  protocols: ['anthropic-messages'],
  check: (conversation) => {
    const first = findFirst(conversation)
    const role = conversation.messages[first]?.role
    if (role !== 'assistant') return []
    return [
      { rule: 'first-message-role', message: first, detail: 'the first message has the role assistant, not user' },
    ]
  },
  repair: (conversation) => {
    const first = findFirst(conversation)
    const { messages } = conversation
    if (messages[first]?.role !== 'assistant') return conversation
    const note = createSyntheticMessage(
      'user',
      '[The conversation begins with an answer; what it answers is not recorded.]',
    )
    return { ...conversation, messages: [...messages.slice(0, first), note, ...messages.slice(first)] }
  },
}

/** The first message that is no system prompt; -1 when there is none. */
function findFirst({ messages }: Conversation): number {
  return messages.findIndex((message) => message.role !== 'system')
}
