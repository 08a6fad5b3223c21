/**
 * The public API of `@precis/core/strategies`: which parts are removed.
 *
 * ```ts
 * import { compress } from '@precis/core'
 * import { createBands, createClearReasoning, createClearTools, createHighDensity, findTurnBands } from '@precis/core/strategies'
 *
 * const bands = [{ start: 0, end: 0.5, level: 'compress' }] as const
 * console.log(findTurnBands(9, bands))
 * const messages = [{ role: 'user', content: 'Why does the build fail?' }]
 * for (const strategy of [createBands({ bands }), createClearReasoning(), createClearTools(), createHighDensity()])
 *   console.log((await compress(messages, { budgetTokens: 1000, strategy })).outcome.type)
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
export { createBands, DEFAULT_MIN_TOKENS, findTurnBands } from './bands.ts'
export {
  type ClearReasoningOptions,
  clearReasoning,
  createClearReasoning,
} from './clear-reasoning.ts'
export { type ClearToolsMode, type ClearToolsOptions, createClearTools } from './clear-tools.ts'
export type { Zone } from './clearing.ts'
export { createHighDensity, type HighDensityOptions } from './high-density.ts'
export type {
  CallView,
  Keep,
  NoopReason,
  Plan,
  Strategy,
  StrategyOptions,
  StrategyView,
} from './strategy.ts'
export { bands, clearTools, highDensity, middleOut, oneShot, tailSummary, topDownTruncation }
