import type { Conversation, Message, ToolMessage } from '../message.ts'
import { joinMessages, withMessages } from './change-parts.ts'
import type { Invariant } from './invariant.ts'

/**
 * Gemini: "the number of function response parts is equal to the number of function call parts of the function call
 * turn", so that all results of a message come in one. Repair joins them. Sessions of Claude clients keep one entry per
 * result and join them when they send, so that no rule of the conversation can ask it of Anthropic.
 */
export const toolResultsTogether: Invariant = {
  rule: 'tool-results-together',
  protocols: ['gemini-contents'],
  check: ({ messages }) =>
    messages.flatMap((message, index) =>
      message.role === 'tool' && messages[index - 1]?.role === 'tool'
        ? [{ rule: 'tool-results-together', message: index, detail: 'results of one turn stand in two messages' }]
        : [],
    ),
  repair,
}

function repair(conversation: Conversation): Conversation {
  const repaired: Message[] = []
  // A run is put together once, at its end.
  let run: ToolMessage[] = []
  const close = () => {
    const [first, ...others] = run
    if (first) repaired.push(others.length > 0 ? joinMessages(first, run) : first)
    run = []
  }
  for (const message of conversation.messages) {
    if (message.role === 'tool') {
      run.push(message)
      continue
    }
    close()
    repaired.push(message)
  }
  close()
  return withMessages(conversation, repaired)
}
