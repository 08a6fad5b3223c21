import { InvalidArgumentError } from 'commander'
import { parseBudget } from './budget.ts'

/** `50000` or `50k`. */
export function parseWindow(text: string): number {
  // A share says its sign; everything else is read as tokens are.
  const budget = /\d\s?[km]?$/i.test(text.trim()) ? parseBudget(text) : undefined
  if (budget?.type === 'tokens') return budget.tokens
  throw new InvalidArgumentError('Give tokens, as 50000 or 50k.')
}
