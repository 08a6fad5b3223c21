import { type AssistantMessage, type Conversation, createSyntheticMessage, type Message } from '../message.ts'
import { joinMessages, withMessages } from './change-parts.ts'
import type { Invariant } from './invariant.ts'

/**
 * Gemini: "function call turn comes immediately after a user turn or after a function response turn". Repair joins
 * neighbouring messages of the model into one, and puts a note of the host before a call that stands first.
 */
export const callFollowsUserTurn: Invariant = {
  rule: 'call-follows-user-turn',
  protocols: ['gemini-contents'],
  check: ({ messages }) =>
    messages.flatMap((message, index) => {
      if (!hasCall(message) || isAnswerable(messages[index - 1])) return []
      const detail = 'a message with function calls follows neither a user nor a function response message'
      return [{ rule: 'call-follows-user-turn', message: index, detail }]
    }),
  repair,
}

function hasCall(message: Message): message is AssistantMessage {
  return message.parts.some((part) => part.type === 'tool-call')
}

function isAnswerable(previous: Message | undefined): boolean {
  return previous?.role === 'user' || previous?.role === 'tool'
}

function repair(conversation: Conversation): Conversation {
  const repaired: Message[] = []
  // A run of messages that gets joined is put together once, at its end.
  let run: AssistantMessage[] = []
  const close = () => {
    const [first, ...others] = run
    if (first) repaired.push(others.length > 0 ? joinMessages(first, run) : first)
    run = []
  }
  for (const message of conversation.messages) {
    if (hasCall(message) && run.length > 0) {
      run.push(message)
      continue
    }
    close()
    if (hasCall(message) && !isAnswerable(repaired.at(-1))) {
      repaired.push(
        createSyntheticMessage('user', '[The conversation begins with a call; what led to it is not recorded.]'),
      )
    }
    if (message.role === 'assistant') run.push(message)
    else repaired.push(message)
  }
  close()
  return withMessages(conversation, repaired)
}
