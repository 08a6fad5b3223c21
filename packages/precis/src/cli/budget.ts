import { type Conversation, renderPart, type TokenCounter } from '@precis/core'
import { InvalidArgumentError } from 'commander'

/** Upper limit for a result: in tokens, or as a share of the text that the session has now. */
export type Budget =
  | { readonly type: 'tokens'; readonly tokens: number }
  | { readonly type: 'share'; readonly fraction: number }

const FACTORS: Readonly<Record<string, number>> = { '': 1, k: 1000, m: 1_000_000 }

/** Reads `8000`, `8_000`, `8k`, `1.5m` and `20%`. */
export function parseBudget(text: string): Budget {
  const [, digits = '', unit = ''] = /^(\d[\d_]{0,15}(?:\.\d{1,6})?)\s?([km%]?)$/i.exec(text.trim()) ?? []
  const value = Number(digits.replaceAll('_', ''))
  const tokens = Math.floor(value * (FACTORS[unit.toLowerCase()] ?? 0))
  if (unit === '%' && value > 0 && value <= 100) return { type: 'share', fraction: value / 100 }
  if (tokens >= 1 && Number.isSafeInteger(tokens)) return { type: 'tokens', tokens }
  throw new InvalidArgumentError('Give tokens, as 8000 or 8k, or a share of the session above 0 and up to 100, as 20%.')
}

/** The text itself, when it can be read. */
export function checkBudget(text: string): string {
  parseBudget(text)
  return text
}

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
