import { createInvariant, findBroken, joinNeighbours, withMessages } from './invariant.ts'

/**
 * Gemini: "the number of function response parts is equal to the number of function call parts of
 * the function call turn", so that all results of a message come in one. Repair joins them.
 * Sessions of Claude clients keep one entry per result and join them when they send, so that no
 * rule of the conversation can ask it of Anthropic.
 */
export const toolResultsTogether = createInvariant({
  rule: 'tool-results-together',
  protocols: ['gemini-contents'],
  find: (conversation) =>
    findBroken(conversation, ({ role }, index) =>
      role === 'tool' && conversation.messages[index - 1]?.role === 'tool'
        ? 'results of one turn stand in two messages'
        : undefined,
    ),
  repair: (conversation) =>
    withMessages(
      conversation,
      joinNeighbours(conversation.messages, (message) => message.role === 'tool'),
    ),
})
