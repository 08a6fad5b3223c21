/** Tokens as the provider will bill them: between these two the true count is expected; they are equal when it is exact. */
export interface TokenCount {
  readonly lower: number
  readonly upper: number
}

export function exactly(tokens: number): TokenCount {
  return { lower: tokens, upper: tokens }
}

export function addCounts(a: TokenCount, b: TokenCount): TokenCount {
  return { lower: a.lower + b.lower, upper: a.upper + b.upper }
}
