import type { Conversation, Message } from '../conversation/message.ts'
import { findLastUserRequest } from '../conversation/turns.ts'
import type { TokenCounter } from '../tokens/counter.ts'
import type { Refusal } from './report.ts'

/** Names what stands in the way: the largest message of the smallest conversation that could be made of `given`. */
export function createRefusal(
  given: Conversation,
  smallest: Conversation,
  counter: TokenCounter,
  budgetTokens: number,
): Refusal {
  const smallestTokens = counter.countConversation(smallest).upper
  const fixedTokens = counter.countFixed(smallest).upper
  let largest: Message | undefined
  let largestTokens = 0
  for (const message of smallest.messages) {
    const tokens = counter.countMessage(message).upper
    if (tokens <= largestTokens) continue
    largest = message
    largestTokens = tokens
  }
  const isOverhead = fixedTokens > largestTokens
  return {
    item: isOverhead ? 'the tool schemas' : describeMessage(given, largest),
    itemTokens: isOverhead ? fixedTokens : largestTokens,
    budgetTokens,
    smallestTokens,
  }
}

/** Its position is the one in the conversation that was given: the only one a reader can look up. */
function describeMessage({ messages }: Conversation, message: Message | undefined): string {
  if (!message) return 'an empty conversation'
  const index = messages.indexOf(message)
  if (index < 0 || message.role === 'system') return describeRole(message)
  if (index === findLastUserRequest(messages)) return 'the last request of the user'
  return `message ${index + 1} of ${messages.length}, ${describeRole(message)}`
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
