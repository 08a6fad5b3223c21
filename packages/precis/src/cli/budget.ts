import { InvalidArgumentError } from 'commander'
import type { Budget } from '../batch/budget-tokens.ts'

export const DEFAULT_BUDGET = '50%'

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
