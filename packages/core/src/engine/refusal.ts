import type { Conversation, Message } from '../conversation/message.ts'
import { findLastUserRequest } from '../conversation/turns.ts'
import type { TokenCounter } from '../tokens/counter.ts'
import type { Refusal } from './report.ts'

/** Names what stands in the way: the largest message of the smallest conversation that could be made. */
export function createRefusal(smallest: Conversation, counter: TokenCounter, budgetTokens: number): Refusal {
  const smallestTokens = counter.countConversation(smallest).upper
  const fixedTokens = counter.countFixed(smallest).upper
  let largest = -1
  let largestTokens = 0
  smallest.messages.forEach((message, index) => {
    const tokens = counter.countMessage(message).upper
    if (tokens <= largestTokens) return
    largest = index
    largestTokens = tokens
  })
  const isOverhead = fixedTokens > largestTokens
  return {
    item: isOverhead ? 'the tool schemas' : describeMessage(smallest, largest),
    itemTokens: isOverhead ? fixedTokens : largestTokens,
    budgetTokens,
    smallestTokens,
  }
}

function describeMessage(conversation: Conversation, index: number): string {
  const message = conversation.messages[index]
  if (!message) return 'an empty conversation'
  if (index === findLastUserRequest(conversation.messages)) return 'the last request of the user'
  return `message ${index + 1} of ${conversation.messages.length}, ${describeRole(message)}`
}

function describeRole(message: Message): string {
  const tools = message.parts.flatMap((part) =>
    part.type === 'tool-call' || part.type === 'tool-result' ? [part.name ?? part.callId] : [],
  )
  const named = tools.length > 0 ? ` (${[...new Set(tools)].slice(0, 3).join(', ')})` : ''
  switch (message.role) {
    case 'system':
      return 'the system prompt'
    case 'tool':
      return `a tool result${named}`
    case 'assistant':
      return `an answer of the agent${named}`
    case 'user':
      return message.origin === 'user' ? 'a request of the user' : 'a message in the role of the user'
  }
}
