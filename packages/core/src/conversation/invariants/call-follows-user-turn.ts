import { createSyntheticMessage, type Message } from '../message.ts'
import { createInvariant, findBroken, joinNeighbours, withMessages } from './invariant.ts'

/**
 * Gemini: "function call turn comes immediately after a user turn or after a function response
 * turn". Repair joins adjacent messages of the model, and puts a note of the host before a call
 * that comes first.
 */
export const callFollowsUserTurn = createInvariant({
  rule: 'call-follows-user-turn',
  protocols: ['gemini-contents'],
  find: (conversation) =>
    findBroken(conversation, (message, index) => {
      const previous = conversation.messages[index - 1]?.role
      if (!hasCall(message) || previous === 'user' || previous === 'tool') return undefined
      return 'a message with function calls follows neither a user nor a function response message'
    }),
  repair: (conversation) => {
    const { messages } = conversation
    const opened = messages.flatMap((message, index) => {
      const isFirst = (messages[index - 1]?.role ?? 'system') === 'system'
      return hasCall(message) && isFirst
        ? [createSyntheticMessage('user', NOTE), message]
        : [message]
    })
    return withMessages(
      conversation,
      joinNeighbours(opened, (message) => message.role === 'assistant', hasCall),
    )
  },
})

const NOTE = '[The conversation begins with a call; what led to it is not recorded.]'

function hasCall({ parts }: Message): boolean {
  return parts.some((part) => part.type === 'tool-call')
}
