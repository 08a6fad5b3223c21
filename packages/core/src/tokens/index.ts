/** The public API of `@precis/core/tokens`: token counts, exact if the tokenizer is public. */

export {
  type CounterOptions,
  createTokenCounter,
  loadTokenCounter,
  type TokenCounter,
} from './counter.ts'
export type { TokenCount } from './estimate.ts'
