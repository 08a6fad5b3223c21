/** What to do when a provider says that a request was too long: believe it, and compress to under what it takes. */
import { countBytes } from '../engine/limits.ts'
import { rescue, run } from './automatic.ts'
import type { ContextCompression } from './context-compression.ts'
import type { Overflow } from './find-overflow.ts'
import type { LiveState } from './live-state.ts'
import { withWindow } from './settings.ts'

// A request that did not fit was too large by an unknown amount; its successor is at most this share of it.
const MOST_KEPT = 0.7
const BYTES_KEPT = 0.5

/** Compresses a history that was refused as it is now. The lock is held by who calls it. */
export async function compressAfterOverflow(
  live: LiveState,
  overflow: Overflow,
  signal: AbortSignal,
): Promise<ContextCompression> {
  const most = Math.floor(live.measure.countedTokens * MOST_KEPT)
  learn(live, overflow)
  const budget = live.findBudget()
  // A provider that names its limit is believed; of another one nobody knows how much it takes.
  const budgetTokens = overflow.limitTokens === undefined ? Math.min(budget.budgetTokens, most) : budget.budgetTokens
  const targetTokens = Math.min(budget.targetTokens ?? budgetTokens, most, budgetTokens)
  const compression = await run(live, live.createOrder({ trigger: 'overflow', budgetTokens, targetTokens }), signal)
  return compression.outcome.type === 'compressed' ? compression : await rescue(live, compression, signal)
}

/** The provider knows its window, and how it counts, better than any catalogue. */
function learn(live: LiveState, { of, limitTokens, requestTokens }: Overflow): void {
  const { settings, measure, options } = live
  if (of === 'bytes') {
    const bytes = Math.floor(countBytes(live.history.transcript.conversation) * BYTES_KEPT)
    live.limits = { ...live.limits, bytes: Math.min(bytes, live.limits.bytes ?? Infinity) }
    live.settle()
    return
  }
  const refused = Math.max(requestTokens ?? 0, measure.tokens)
  const least = options.reserveTokens ?? 0
  const known = limitTokens !== undefined && limitTokens > least ? limitTokens : refused - 1
  if (requestTokens !== undefined) measure.correct(requestTokens)
  if (known > least && known < settings.windowTokens) {
    live.settings = withWindow(settings, options, known)
    live.settle()
  }
}
