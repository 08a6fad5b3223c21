/** Compressing because a person says so: whatever the threshold says, and whether models pause or not. */
import type { Ladder } from '../engine/ladder.ts'
import type { Strategy } from '../strategies/strategy.ts'
import type { Computed } from './compressor.ts'
import type { CompressNowOptions } from './context.ts'
import type { ContextCompression } from './context-compression.ts'
import type { LiveState } from './live-state.ts'

const KEPT_SHARE = 0.5

/** Computes and applies. The lock is held by who calls it. */
export async function compressOnDemand(
  live: LiveState,
  options: Omit<CompressNowOptions, 'signal'>,
  signal: AbortSignal,
): Promise<ContextCompression> {
  const { instructions, budgetTokens, onProgress } = options
  const { targetTokens } = live.settings
  const { tokens } = live.measure
  // Nothing has to go from a history that is small already: it is as much as can be done well.
  const isWish = budgetTokens === undefined && tokens <= targetTokens
  const order = live.createOrder({
    trigger: 'manual',
    isDemand: true,
    strategy: isWish ? withoutForce(live.strategy) : live.strategy,
    budgetTokens: budgetTokens ?? live.findBudget(Math.min(targetTokens, Math.floor(tokens * KEPT_SHARE))),
    ...(instructions !== undefined && { instructions }),
    ...(onProgress && { onProgress }),
  })
  const computed = await live.compressor.compute(order, signal)
  return await live.compressor.apply(isWish ? excuse(computed) : computed, signal, () => live.settle())
}

/** Without what drops or clips messages that no summary could make room for. */
function withoutForce(strategy: Strategy | Ladder): Strategy | Ladder {
  if (!('rungs' in strategy)) return strategy
  return { ...strategy, rungs: strategy.rungs.filter(({ type }) => type === 'clear' || type === 'summarize') }
}

/** That a small history has nothing to give is no failure, unless it was the summarizer that failed. */
function excuse(computed: Computed): Computed {
  const { outcome, report } = computed
  if (outcome.type !== 'cannot-fit' || (report?.problems.length ?? 0) > 0) return computed
  return { ...computed, outcome: { type: 'unchanged', reason: outcome.refusal.reason ?? 'nothing-eligible' } }
}
