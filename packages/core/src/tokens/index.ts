/** The public API of `@precis/core/tokens`: counts of tokens, exact where the tokenizer is public. */

export type { TokenCount } from './counter.ts'
export { createTokenCounter, type TokenCounter } from './counter.ts'
