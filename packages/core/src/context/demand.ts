/** Compressing because a person says so: whatever the threshold says, and whether models pause or not. */
import { run } from './automatic.ts'
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
  const wish = () => live.findBudget(Math.min(targetTokens, Math.floor(tokens * KEPT_SHARE)))
  const order = live.createOrder({
    trigger: 'manual',
    isDemand: true,
    ...(budgetTokens === undefined ? wish() : { budgetTokens }),
    ...(instructions !== undefined && { instructions }),
    ...(onProgress && { onProgress }),
  })
  return await run(live, order, signal)
}
