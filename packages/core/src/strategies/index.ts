/**
 * The public API of `@precis/core/strategies`: which parts are removed.
 *
 * ```ts
 * import { compress, createBands, createClearTools } from '@precis/core'
 * import { clearReasoning, createClearReasoning, createHighDensity, DEFAULT_MIN_TOKENS, findTurnBands, strategies } from '@precis/core/strategies'
 *
 * const bands = [{ start: 0, end: 0.5, level: 'compress' }] as const
 * console.log(findTurnBands(9, bands))
 * const messages = [{ role: 'user', content: 'Why does the build fail?' }]
 * const own = [
 *   createBands({ bands, minTokens: 2 * DEFAULT_MIN_TOKENS }),
 *   createClearTools(),
 *   createClearReasoning(),
 *   createHighDensity(),
 * ]
 * for (const strategy of [clearReasoning, ...own, ...Object.values(strategies)])
 *   console.log(strategy.name, (await compress(messages, { budgetTokens: 1000, strategy })).outcome.type)
 * ```
 */

import { bands } from './bands.ts'
import { clearTools } from './clear-tools.ts'
import { highDensity } from './high-density.ts'
import { middleOut } from './middle-out.ts'
import { oneShot } from './one-shot.ts'
import type { Strategy } from './strategy.ts'
import { tailSummary } from './tail-summary.ts'
import { topDownTruncation } from './top-down-truncation.ts'

/** Every strategy by its name. */
export const strategies: Readonly<Record<string, Strategy>> = Object.fromEntries(
  [middleOut, topDownTruncation, tailSummary, oneShot, highDensity, clearTools, bands].map(
    (strategy) => [strategy.name, strategy],
  ),
)

export type { Band, BandLevel, BandOptions } from './bands.ts'
export {
  /** @deprecated Import it from `@precis/core`. */
  createBands,
  DEFAULT_MIN_TOKENS,
  findTurnBands,
} from './bands.ts'
export {
  type ClearReasoningOptions,
  clearReasoning,
  createClearReasoning,
} from './clear-reasoning.ts'
export {
  type ClearToolsMode,
  type ClearToolsOptions,
  /** @deprecated Import it from `@precis/core`. */
  createClearTools,
} from './clear-tools.ts'
export type { Zone } from './clearing.ts'
export { createHighDensity, type HighDensityOptions } from './high-density.ts'
export type {
  CallView,
  /** @deprecated Import it from `@precis/core`. */
  Keep,
  NoopReason,
  /** @deprecated Import it from `@precis/core`. */
  Plan,
  /** @deprecated Import it from `@precis/core`. */
  Strategy,
  /** @deprecated Import it from `@precis/core`. */
  StrategyOptions,
  StrategyView,
} from './strategy.ts'
export {
  /** @deprecated Import it from `@precis/core`. */
  bands,
  /** @deprecated Import it from `@precis/core`. */
  clearTools,
  /** @deprecated Import it from `@precis/core`. */
  highDensity,
  /** @deprecated Import it from `@precis/core`. */
  middleOut,
  /** @deprecated Import it from `@precis/core`. */
  oneShot,
  /** @deprecated Import it from `@precis/core`. */
  tailSummary,
  /** @deprecated Import it from `@precis/core`. */
  topDownTruncation,
}
