import type { Conversation } from '../message.ts'
import { createInvariant, EVERY_PROTOCOL, findBroken, withMessages } from './invariant.ts'

/** A message has content. Repair drops an empty message. */
export const emptyMessage = createInvariant({
  rule: 'empty-message',
  protocols: EVERY_PROTOCOL,
  find: (conversation) =>
    findBroken(conversation, ({ role }, index) =>
      isAllowed(conversation, index) ? undefined : `the ${role} message has no content`,
    ),
  repair: (conversation) =>
    withMessages(
      conversation,
      conversation.messages.filter((_, index) => isAllowed(conversation, index)),
    ),
})

/** Anthropic accepts an empty assistant message at the very end, for the model to fill. */
function isAllowed({ messages, protocol }: Conversation, index: number): boolean {
  const message = messages[index]
  if (!message || message.parts.length > 0) return true
  return (
    protocol === 'anthropic-messages' &&
    index === messages.length - 1 &&
    message.role === 'assistant'
  )
}
