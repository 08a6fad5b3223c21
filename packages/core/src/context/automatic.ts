/**
 * Compressing with the result that was computed ahead, with the summarizer, and at last without any
 * model.
 */

import { countMedia, listMedia } from '../conversation/request-limits.ts'
import { digest } from '../digest/digest.ts'
import { auto } from '../engine/ladder.ts'
import { countBytes } from '../engine/limits.ts'
import type { CompressNowOptions, ContextCompression } from './compressions.ts'
import type { CompressionOrder, Computed } from './compressor.ts'
import type { Decision } from './decision.ts'
import type { Overflow } from './find-overflow.ts'
import type { LiveState } from './live-state.ts'
import { withWindow } from './settings.ts'

/** Compresses before a request. Never rejects. The caller holds the lock. */
export async function compressAutomatically(
  live: LiveState,
  { reason, targetTokens }: Pick<Decision, 'reason' | 'targetTokens'>,
  signal: AbortSignal,
): Promise<ContextCompression> {
  const ahead = await applyAhead(live, signal)
  if (ahead && !live.needsCompression) return ahead
  const { failures } = live.cooldown
  const trigger = reason === 'pays' ? 'economy' : 'threshold'
  const budget = live.findBudget(
    live.options.save && trigger === 'economy' ? targetTokens : undefined,
  )
  const compression = await runCompression(live, live.createOrder({ trigger, ...budget }), signal)
  live.noteOutcome(compression, live.cooldown.failures > failures)
  return await rescue(live, compression, signal)
}

/** Computes a compression and applies it. */
async function runCompression(
  live: LiveState,
  order: CompressionOrder,
  signal: AbortSignal,
): Promise<ContextCompression> {
  const computed = await live.compressor.compute(order, signal)
  return await live.compressor.apply(computed, signal, () => live.remeasure())
}

/**
 * If `compression` failed and the request would not fit, tries without a model, and finally uses
 * the reserve too. Returns `compression` if that fails.
 */
async function rescue(
  live: LiveState,
  compression: ContextCompression,
  signal: AbortSignal,
): Promise<ContextCompression> {
  const isFinal = ['compressed', 'vetoed', 'aborted'].includes(compression.outcome.type)
  const { windowTokens, roomTokens, targetTokens } = live.settings
  for (const limitTokens of [roomTokens, windowTokens]) {
    if (live.fits || isFinal || signal.aborted) return compression
    const { trigger } = compression
    const budget = live.findBudget(targetTokens, limitTokens)
    const order = live.createOrder({ trigger, ...budget, strategy: auto, summarizer: digest() })
    const rescued = await runCompression(live, order, signal)
    if (rescued.outcome.type === 'compressed') return rescued
  }
  return compression
}

async function applyAhead(
  live: LiveState,
  signal: AbortSignal,
): Promise<ContextCompression | undefined> {
  // Rejects if aborted while waiting. The caller checks the signal itself.
  const computed = await live.ahead.take(signal).catch(() => undefined)
  if (!computed) return undefined
  if (isEnough(live, computed))
    return await live.compressor.apply(computed, signal, () => live.remeasure())
  live.compressor.end(computed, { type: 'discarded' })
  return undefined
}

/** Whether the result, with all messages that came since, is below the threshold. */
function isEnough(live: LiveState, { conversation, snapshot }: Computed): boolean {
  const { counter, thresholdTokens } = live.settings
  const since = live.history.transcript.since(snapshot.state)
  const sinceTokens = since.reduce((sum, message) => sum + counter.countMessage(message).upper, 0)
  return (
    counter.countConversation(conversation).upper + sinceTokens + live.measure.hiddenTokens <
    thresholdTokens
  )
}

const KEPT_SHARE = 0.5

/**
 * Compresses because the user asked, whatever the threshold says, also during a cooldown. The
 * caller holds the lock.
 */
export async function compressOnDemand(
  live: LiveState,
  options: Omit<CompressNowOptions, 'signal'>,
  signal: AbortSignal,
): Promise<ContextCompression> {
  const { instructions, budgetTokens, onProgress } = options
  const half = Math.floor(live.measure.tokens * KEPT_SHARE)
  const budget =
    budgetTokens === undefined
      ? live.findBudget(Math.min(live.settings.targetTokens, half))
      : { budgetTokens }
  const order = live.createOrder({
    trigger: 'manual',
    isWanted: true,
    ...budget,
    instructions,
    onProgress,
  })
  return await runCompression(live, order, signal)
}

// A request that did not fit was too large by an unknown amount. Its successor is at most this
// share of it.
const MOST_KEPT = 0.7
const BYTES_KEPT = 0.5

/**
 * Compresses a history that its provider refused as too long, to under what the provider takes. The
 * caller holds the lock.
 */
export async function compressAfterOverflow(
  live: LiveState,
  overflow: Overflow,
  signal: AbortSignal,
): Promise<ContextCompression> {
  const most = Math.floor(live.measure.countedTokens * MOST_KEPT)
  learn(live, overflow)
  const budget = live.findBudget()
  // Removing images that are too many frees space. The words next to them are not too long.
  if (overflow.of === 'media') {
    return await runCompression(
      live,
      live.createOrder({ trigger: 'overflow', budgetTokens: budget.budgetTokens }),
      signal,
    )
  }
  // A provider that names no limit takes less than this request, by an unknown amount.
  const budgetTokens =
    overflow.limitTokens === undefined ? Math.min(budget.budgetTokens, most) : budget.budgetTokens
  const targetTokens = Math.min(budget.targetTokens ?? budgetTokens, most, budgetTokens)
  const stretchTokens = overflow.limitTokens === undefined ? undefined : budget.stretchTokens
  const order = live.createOrder({ trigger: 'overflow', budgetTokens, targetTokens, stretchTokens })
  return await rescue(live, await runCompression(live, order, signal), signal)
}

/** Corrects window and counts by the provider's answer: it knows them better than any catalogue. */
function learn(live: LiveState, { of, limitTokens, requestTokens, limits = {} }: Overflow): void {
  const { settings, measure, options } = live
  if (of === 'bytes') {
    const bytes = Math.floor(countBytes(live.history.transcript.conversation) * BYTES_KEPT)
    live.limits.learn({ bytes })
    live.remeasure()
    return
  }
  if (of === 'media') {
    const { manyImages } = limits
    const { images } = countMedia(
      listMedia(live.history.transcript.messages).map(({ media }) => media),
    )
    // However few they are, they were too many to be so large.
    const many = manyImages && {
      manyImages: { ...manyImages, images: Math.min(manyImages.images, images - 1) },
    }
    live.limits.learn({ ...limits, ...many })
    live.remeasure()
    return
  }
  const refused = Math.max(requestTokens ?? 0, measure.tokens)
  const least = options.reserveTokens ?? 0
  const known = limitTokens !== undefined && limitTokens > least ? limitTokens : refused - 1
  if (requestTokens !== undefined) measure.correct(requestTokens)
  if (known > least && known < settings.windowTokens) {
    live.settings = withWindow(settings, options, known)
    live.remeasure()
  }
}
