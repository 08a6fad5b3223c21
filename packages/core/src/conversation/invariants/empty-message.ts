import type { Conversation } from '../message.ts'
import { withMessages } from './change-parts.ts'
import type { Invariant } from './invariant.ts'

/** A message says something. Repair drops it. */
export const emptyMessage: Invariant = {
  rule: 'empty-message',
  protocols: ['anthropic-messages', 'openai-chat', 'openai-responses', 'gemini-contents'],
  check: (conversation) =>
    conversation.messages.flatMap((message, index) =>
      isAllowed(conversation, index)
        ? []
        : [{ rule: 'empty-message', message: index, detail: `the ${message.role} message has no content` }],
    ),
  repair: (conversation) =>
    withMessages(
      conversation,
      conversation.messages.filter((_, index) => isAllowed(conversation, index)),
    ),
}

/** Anthropic takes an empty assistant message at the very end, to be filled. */
function isAllowed({ messages, protocol }: Conversation, index: number): boolean {
  const message = messages[index]
  const isLast = index === messages.length - 1
  return (
    !message ||
    message.parts.length > 0 ||
    (protocol === 'anthropic-messages' && isLast && message.role === 'assistant')
  )
}
