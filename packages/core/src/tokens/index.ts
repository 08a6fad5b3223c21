/**
 * The public API of `@precis/core/tokens`: token counts, exact if the tokenizer is public.
 *
 * ```ts
 * import { createTokenCounter, findModel } from '@precis/core'
 * import { loadTokenCounter } from '@precis/core/tokens'
 *
 * console.log(createTokenCounter(findModel('claude-opus-4-8')).countText('Why?').upper)
 * console.log((await loadTokenCounter(findModel('gpt-5'))).countText('Why?').lower)
 * ```
 */

export {
  type CounterOptions,
  /** @deprecated Import it from `@precis/core`. */
  createTokenCounter,
  loadTokenCounter,
  /** @deprecated Import it from `@precis/core`. */
  type TokenCounter,
} from './counter.ts'
export type { TokenCount } from './estimate.ts'
