import { InvalidArgumentError } from 'commander'
import { parseBudget } from './budget.ts'

/** `50000` or `50k`. */
export function parseWindow(text: string): number {
  const budget = parseBudget(text)
  if (budget.type === 'tokens') return budget.tokens
  throw new InvalidArgumentError('Give tokens, as 50000 or 50k.')
}
