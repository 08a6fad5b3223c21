import { createInvariant, findBroken, joinNeighbours, withMessages } from './invariant.ts'

/**
 * Gemini: "the number of function response parts is equal to the number of function call parts of
 * the function call turn", so all results of a message must be in one message. Repair joins them.
 * Sessions of Claude clients keep one entry per result and join them when sending, so this rule
 * does not apply to Anthropic.
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
