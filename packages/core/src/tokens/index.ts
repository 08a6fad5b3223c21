/**
 * The public API of `@precis/core/tokens`: counts of tokens, exact where the tokenizer is public.
 */

export { createTokenCounter, loadTokenCounter, type TokenCounter } from './counter.ts'
export type { TokenCount } from './estimate.ts'
