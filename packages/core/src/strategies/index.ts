import { middleOut } from './middle-out.ts'
import { oneShot } from './one-shot.ts'
import type { Strategy } from './strategy.ts'
import { tailSummary } from './tail-summary.ts'
import { topDownTruncation } from './top-down-truncation.ts'

/** Every strategy by its name. */
export const strategies: Readonly<Record<string, Strategy>> = Object.fromEntries(
  [middleOut, topDownTruncation, tailSummary, oneShot].map((strategy) => [strategy.name, strategy]),
)

export type { Keep, NoopReason, Plan, Strategy, StrategyOptions, StrategyView } from './strategy.ts'
export { middleOut, oneShot, tailSummary, topDownTruncation }
