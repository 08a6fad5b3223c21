import { InvalidArgumentError } from 'commander'

/** Upper limit for a result: in tokens, or as a share of what the session has now. */
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

export function countBudgetTokens(budget: Budget, sessionTokens: number): number {
  return budget.type === 'tokens' ? budget.tokens : Math.max(Math.floor(sessionTokens * budget.fraction), 1)
}
