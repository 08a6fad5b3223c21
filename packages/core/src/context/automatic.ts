/**
 * Compressing without being asked: with the result that was computed ahead where there is one, with the summarizer, and
 * where both came to nothing and the request would not fit, without any model.
 */
import { auto } from '../engine/ladder.ts'
import { digest } from '../summarizers/digest.ts'
import type { CompressionOrder, Computed } from './compressor.ts'
import type { CompressionTrigger, ContextCompression } from './context-compression.ts'
import type { LiveState } from './live-state.ts'

/** Never rejects. The lock is held by who calls it. */
export async function compressAutomatically(
  live: LiveState,
  trigger: CompressionTrigger,
  signal: AbortSignal,
): Promise<ContextCompression> {
  const ahead = await applyAhead(live, signal)
  if (ahead && !live.needsCompression) return ahead
  const { failures } = live.pause
  const compression = await run(live, live.createOrder({ trigger, ...live.findBudget() }), signal)
  live.noteOutcome(compression, live.pause.failures > failures)
  return compression.outcome.type === 'compressed' ? compression : await rescue(live, compression, signal)
}

/** Computes and applies. */
export async function run(live: LiveState, order: CompressionOrder, signal: AbortSignal): Promise<ContextCompression> {
  const computed = await live.compressor.compute(order, signal)
  return await live.compressor.apply(computed, signal, () => live.settle())
}

/** Compresses without a model what would not fit, at last into the reserve too; else `compression` stays. */
export async function rescue(
  live: LiveState,
  compression: ContextCompression,
  signal: AbortSignal,
): Promise<ContextCompression> {
  const { type } = compression.outcome
  const { windowTokens, roomTokens, targetTokens } = live.settings
  for (const limitTokens of [roomTokens, windowTokens]) {
    if (live.fits || type === 'vetoed' || type === 'aborted' || signal.aborted) return compression
    const { trigger } = compression
    const budget = live.findBudget(targetTokens, limitTokens)
    const order = live.createOrder({ trigger, ...budget, strategy: auto, summarizer: digest() })
    const rescued = await run(live, order, signal)
    if (rescued.outcome.type === 'compressed') return rescued
  }
  return compression
}

async function applyAhead(live: LiveState, signal: AbortSignal): Promise<ContextCompression | undefined> {
  const computed = await takeAhead(live, signal)
  if (!computed) return undefined
  if (!isEnough(live, computed)) {
    live.compressor.end(computed, { type: 'discarded' })
    return undefined
  }
  return await live.compressor.apply(computed, signal, () => live.settle())
}

async function takeAhead(live: LiveState, signal: AbortSignal): Promise<Computed | undefined> {
  try {
    return await live.ahead.take(signal)
  } catch {
    // Aborted while waiting for it: what follows looks at the signal itself.
    return undefined
  }
}

/** With all that came since, the request has to be below the threshold again. */
function isEnough(live: LiveState, { conversation, snapshot }: Computed): boolean {
  const { counter, thresholdTokens } = live.settings
  const since = live.history.transcript.since(snapshot.state)
  const sinceTokens = since.reduce((sum, message) => sum + counter.countMessage(message).upper, 0)
  return counter.countConversation(conversation).upper + sinceTokens + live.measure.hiddenTokens < thresholdTokens
}
