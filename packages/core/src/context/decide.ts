/**
 * Whether to compress before the next request.
 *
 *   0 ────────────── target ─────────────── threshold ───────── window minus reserve ── window
 *    wait, or with save                     compress, but wait    compress: it would
 *    as soon as it saves                    for a cold cache      not fit
 *
 * Between the last two, a compression is due and not yet needed. While the provider caches the
 * history, a compression costs more than one more request. So it is made as soon as it is paid back
 * within half as many requests as came since the last one: as many are expected to follow. After a
 * pause longer than the cache's lifetime it costs nothing extra, because everything is written again
 * anyway. With `most-context`, only a pause or the end of the space causes it. Then a history that
 * fits to its end never costs more than an untouched one, if no model is paid for summaries. A
 * threshold that the host set is always kept.
 *
 * With `save`, a history of any size is compressed as soon as that is cheaper than sending it
 * unchanged. It is cheaper while the cache is cold. While the cache is warm, it is done if earlier
 * compressions have saved as much as this one may cost.
 */

import {
  type EconomicChoice,
  findBreakEven,
  type Pricing,
  priceChoice,
  priceSummary,
  raiseTarget,
} from '../engine/economics.ts'
import { type Decision, type DecisionInput, explainDecision, mayLeaveCache } from './decision.ts'

// To save, this share stays of all that was ever there. With less, more of the names that later
// calls need is lost: .35 saves 2 % of the cost more and loses twice as many
// (docs/evaluation.md#saving).
const SAVING_SHARE = 0.4
// Text that is lost and has to be read again, as a share of the removed text
// (docs/evaluation.md#saving).
const READ_AGAIN_SHARE = 0.05
// The best guess is that as many requests follow as came since the last compression. A compression
// has to pay for itself within half of them.
const PAYBACK_SHARE = 0.5

// Edits come in epochs, never one a turn: below the threshold a compression has to save this share
// of the request.
const LEAST_SAVED_SHARE = 0.2
// A summary is at most about half of its source. The bound is for the bill, not for the summarizer.
const SUMMARY_SHARE = 0.1

/** Pure: the same numbers give the same decision. */
export function decide(input: DecisionInput): Decision {
  const { tokens, fixedTokens, thresholdTokens } = input
  const targetTokens = Math.min(Math.max(expectResult(input), fixedTokens), tokens)
  const pricing = createPricing(input)
  const isCacheWarm = isWarm(input)
  const choice = createChoice(input, targetTokens, isCacheWarm)
  const unpriced = targetTokens < tokens ? 0 : Infinity
  const breakEvenRequests = pricing ? findBreakEven(choice, pricing) : unpriced
  const dollars = pricing && priceChoice(choice, pricing)
  const expected = { targetTokens, isCacheWarm, breakEvenRequests, dollars }
  const numbers = { ...choose(input, expected), tokens, thresholdTokens, ...expected }
  return { ...numbers, explanation: explainDecision(numbers, input) }
}

/**
 * More than the target if much is new, because messages that the model has not answered yet stay.
 * Less if money is to be saved.
 */
function expectResult(input: DecisionInput): number {
  const { tokens, fixedTokens, targetTokens, cachedTokens, spending } = input
  const newTokens = cachedTokens > 0 ? Math.max(tokens - cachedTokens, 0) : 0
  const staying = fixedTokens + newTokens
  const limitTokens = Math.max(input.windowTokens - input.reserveTokens, targetTokens)
  const ofWindow = raiseTarget(targetTokens, staying, limitTokens)
  if (!spending) return ofWindow
  const oldTokens = Math.max(tokens - staying, 0)
  return Math.min(
    ofWindow,
    Math.floor(staying + SAVING_SHARE * (oldTokens + spending.removedTokens)),
  )
}

type Expected = Pick<Decision, 'targetTokens' | 'isCacheWarm' | 'breakEvenRequests' | 'dollars'>

function choose(input: DecisionInput, expected: Expected): Pick<Decision, 'action' | 'reason'> {
  const { tokens } = input
  const { targetTokens, isCacheWarm, breakEvenRequests } = expected
  if (input.wasIneffective) return { action: 'wait', reason: 'ineffective' }
  if (tokens + input.reserveTokens > input.windowTokens)
    return { action: 'compress', reason: 'over-window' }
  const pays = isPaying(input, expected)
  if (tokens >= input.thresholdTokens) {
    const isSoonPaid = breakEvenRequests <= PAYBACK_SHARE * (input.requests ?? 0)
    const isWaitingCheaper = (isCacheWarm && !isSoonPaid) || mayLeaveCache(input)
    const waits = isWaitingCheaper && input.isCacheUsed && !input.isThresholdFixed && !pays
    return waits
      ? { action: 'wait', reason: 'below-break-even' }
      : { action: 'compress', reason: 'over-threshold' }
  }
  if (!input.spending && input.expectedRequests === undefined)
    return { action: 'wait', reason: 'under-threshold' }
  const savesEnough = tokens - targetTokens >= LEAST_SAVED_SHARE * tokens
  return pays && savesEnough
    ? { action: 'compress', reason: 'pays' }
    : { action: 'wait', reason: 'below-break-even' }
}

/**
 * Whether a compression now saves money, if the host asks for that. The next request may be the
 * last. So its possible loss is at most the earlier savings, and the total never costs more. A
 * history that was not sent from here may be in the cache anyway.
 */
function isPaying(input: DecisionInput, { breakEvenRequests, dollars }: Expected): boolean {
  const { expectedRequests, spending, secondsSinceLastRequest } = input
  // The next request is one of them. The break-even counts requests after it.
  if (expectedRequests !== undefined) return expectedRequests - 1 > breakEvenRequests
  if (!spending || !dollars || secondsSinceLastRequest === undefined) return false
  if (!Number.isFinite(breakEvenRequests) || mayLeaveCache(input)) return false
  const riskedDollars = dollars.compress - dollars.wait
  if (riskedDollars <= 0) return true
  return (
    riskedDollars <= spending.savedDollars && breakEvenRequests <= PAYBACK_SHARE * spending.requests
  )
}

type PricedTerms = Pick<
  DecisionInput,
  'prices' | 'cache' | 'cacheLifetimeSeconds' | 'summarizerPrices'
>

/** Undefined if the catalogue has no prices. */
export function createPricing({
  prices,
  cache,
  cacheLifetimeSeconds,
}: PricedTerms): Pricing | undefined {
  if (!prices) return undefined
  const lifetimes = cache?.lifetimesSeconds ?? []
  const isLongLived = lifetimes.length > 1 && (cacheLifetimeSeconds ?? 0) > (lifetimes[0] ?? 0)
  return { prices, cache, isLongLived }
}

function isWarm({
  cachedTokens,
  cache,
  cacheLifetimeSeconds,
  secondsSinceLastRequest = 0,
}: DecisionInput): boolean {
  if (!cache || cachedTokens < Math.max(cache.minimumPrefixTokens, 1)) return false
  return secondsSinceLastRequest <= (cacheLifetimeSeconds ?? cache.lifetimesSeconds[0] ?? 0)
}

function createChoice(
  input: DecisionInput,
  targetTokens: number,
  isCacheWarm: boolean,
): EconomicChoice {
  const { tokens } = input
  const cachedTokens = isCacheWarm ? Math.min(input.cachedTokens, tokens) : 0
  const spanTokens = tokens - targetTokens
  return {
    tokens,
    compressedTokens: targetTokens,
    cachedTokens,
    keptCachedTokens: Math.min(cachedTokens, input.fixedTokens),
    summaryDollars: priceRemoval(spanTokens, input, input.spending !== undefined),
  }
}

/**
 * US dollars for a summary of the removed text, and for reading parts of it again if that is
 * counted.
 */
export function priceRemoval(
  removedTokens: number,
  terms: PricedTerms,
  isReadingCounted: boolean,
): number {
  const { prices, summarizerPrices } = terms
  const summary = summarizerPrices
    ? priceSummary(summarizerPrices, removedTokens, SUMMARY_SHARE * removedTokens)
    : 0
  const reading =
    isReadingCounted && prices ? (READ_AGAIN_SHARE * removedTokens * prices.cacheWrite) / 1e6 : 0
  return summary + reading
}
