import { findCompaction } from '../compaction.ts'
import { type Conversation, createSyntheticMessage } from '../message.ts'
import { createInvariant } from './invariant.ts'

/**
 * Anthropic: "first message must use the user role". It ignores what is before its compaction.
 * Repair puts a note of the host before the message, so that nothing is lost.
 */
export const firstMessageRole = createInvariant({
  rule: 'first-message-role',
  protocols: ['anthropic-messages'],
  find: (conversation) => {
    const message = findFirstAnswer(conversation)
    const detail = 'the first message has the role assistant, not user'
    return message === undefined ? [] : [{ message, detail }]
  },
  repair: (conversation) => {
    const first = findFirstAnswer(conversation)
    if (first === undefined) return conversation
    const { messages } = conversation
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

/** Undefined if the user begins. */
function findFirstAnswer({ messages }: Conversation): number | undefined {
  const first = messages.findIndex(({ role }) => role !== 'system')
  return messages[first]?.role === 'assistant' && findCompaction(messages) < 0 ? first : undefined
}
