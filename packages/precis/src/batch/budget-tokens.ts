import { type Conversation, renderPart, type TokenCounter } from '@precis/core'

/** Upper limit for a result: in tokens, or as a share of the text that the session has now. */
export type Budget =
  | { readonly type: 'tokens'; readonly tokens: number }
  | { readonly type: 'share'; readonly fraction: number }

/**
 * A share is of the text that can be read: what is said of a summary in half the text must not be true only because
 * the original had hidden reasoning and a frame around every call, which a summary has not. System prompt and tool
 * schemas come on top, because nothing can free them.
 */
export function countBudgetTokens(budget: Budget, conversation: Conversation, counter: TokenCounter): number {
  if (budget.type === 'tokens') return budget.tokens
  if (budget.fraction === 1) return counter.countConversation(conversation).upper
  const system = conversation.messages.filter(({ role }) => role === 'system')
  const overheadTokens = counter.countConversation({ ...conversation, messages: system }).upper
  return overheadTokens + Math.max(Math.floor(countReadable(conversation, counter) * budget.fraction), 1)
}

function countReadable({ messages }: Conversation, counter: TokenCounter): number {
  let tokens = 0
  for (const { role, parts } of messages) {
    if (role === 'system') continue
    for (const part of parts) if (part.type !== 'reasoning') tokens += counter.countText(renderPart(part)).upper
  }
  return tokens
}
