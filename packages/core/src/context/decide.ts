/**
 * Whether to compress before the next request.
 *
 *   0 ────────────── target ─────────────── threshold ─────────── window less reserve ── window
 *    wait, or as soon as it pays within     compress; but wait     compress: it would
 *    the requests the host expects          for a cold cache       not fit
 *
 * Between the last two a compression is due and not yet needed. While the provider is known to hold
 * the history it costs more than sending it once more, and enough requests to earn that back may
 * not follow. After a pause longer than the cache lives it costs nothing extra: everything is
 * written again anyway. So a history that fits to its end never costs more than an untouched one,
 * where no model is paid for summaries. A threshold that the host set is kept to the letter.
 *
 * A host that asks to save gets more: any size is compressed as soon as that is cheaper than to
 * send it as it is, which it is while the cache is cold; and while it is warm where compressions
 * have saved before what this one may cost.
 */

import {
  type EconomicChoice,
  findBreakEven,
  type Pricing,
  priceChoice,
  priceSummary,
  raiseTarget,
} from '../engine/economics.ts'
import type { CacheRules, Prices } from '../models/model.ts'

/**
 * Whether compressing pays, in money, and why. Dollars are undefined where the catalogue has no
 * prices.
 */
export interface Decision {
  readonly action: 'wait' | 'compress'
  readonly reason: DecisionReason
  /** The reason in words, with its numbers. */
  readonly explanation: string
  readonly tokens: number
  readonly thresholdTokens: number
  /** Expected after a compression. */
  readonly targetTokens: number
  /** Whether the provider's cache is taken to hold the beginning of the request. */
  readonly isCacheWarm: boolean
  /** After so many requests a compression now has paid for itself; Infinity when it never does. */
  readonly breakEvenRequests: number
  /** Of the next request's input. */
  readonly dollars: { readonly wait: number; readonly compress: number } | undefined
}

export type DecisionReason =
  /** Compress: it does not fit otherwise, or the threshold is reached. */
  | 'over-window'
  | 'over-threshold'
  /**
   * Compress: below the threshold, but it pays at once, or within the requests that are expected.
   */
  | 'pays'
  /** Wait: below the threshold, and nothing says how many requests there will be. */
  | 'under-threshold'
  /** Wait: it would cost more than it saves. */
  | 'below-break-even'
  /** Wait: nothing came since a compression that changed next to nothing. */
  | 'ineffective'

export interface DecisionInput {
  /** Of the next request, system prompt and tool schemas included; an upper bound. */
  readonly tokens: number
  /** Of them, what no compression changes, so that the provider keeps it cached. */
  readonly fixedTokens: number
  readonly windowTokens: number
  /** Kept free for the answer. */
  readonly reserveTokens: number
  readonly thresholdTokens: number
  /** The host set the threshold: then it decides alone. */
  readonly isThresholdFixed?: boolean
  /** The size of the whole request that a compression aims at. */
  readonly targetTokens: number
  /**
   * How much of the beginning the last request has in common with the next; 0 when there was none.
   */
  readonly cachedTokens: number
  /**
   * The host asks for a cache, or the provider has reported that it read or wrote one. Unknown
   * until then.
   */
  readonly isCacheUsed: boolean
  /** Undefined before the first request. */
  readonly secondsSinceLastRequest?: number
  /** The lifetime that the host asks for; by default the shortest that the provider has. */
  readonly cacheLifetimeSeconds?: number
  readonly prices: Prices | undefined
  readonly cache: CacheRules | undefined
  /** Of the model that writes the summary, when one does. */
  readonly summarizerPrices?: Prices
  /** How many more requests the host expects, the next one included. */
  readonly expectedRequests?: number
  /** Present where the host asks to save money: how it went so far. */
  readonly spending?: SpendingSoFar
  /** The last compression changed next to nothing, and nothing came since. */
  readonly wasIneffective: boolean
}

/** How the requests of a context went so far. */
export interface SpendingSoFar {
  /** Since the last compression, or since the beginning. */
  readonly requests: number
  /**
   * US dollars that compressions have saved, less what they cost and what is expected to be read
   * again.
   */
  readonly savedDollars: number
  /** What compressions have taken from the history. */
  readonly removedTokens: number
}

// To save, this share stays of all that was ever there. With less, more of the names that later
// calls need is lost: .35 saves 2 % of the cost more and loses twice as many
// (docs/evaluation.md#saving).
const SAVING_SHARE = 0.4
// What is lost and has to be read again, as a share of what is removed (docs/evaluation.md#saving).
const READ_AGAIN_SHARE = 0.05
// As many requests follow as came since the last compression, as far as anyone knows; it has to
// have paid by half of them.
const PAYBACK_SHARE = 0.5

// Edits come in epochs, never one a turn: below the threshold a compression has to save this share
// of the request.
const LEAST_SAVED_SHARE = 0.2
// A summary is about half of its source, or less; the bound is for the bill, not for the
// summarizer.
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
  return { ...numbers, explanation: explain(numbers, input) }
}

/**
 * More than the target where much is new: what the model has not answered yet stays. Less where
 * money is to be saved.
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
    const isWaitingCheaper = (isCacheWarm && breakEvenRequests > 0) || mayLeaveCache(input)
    const waits = isWaitingCheaper && input.isCacheUsed && !input.isThresholdFixed && !pays
    return waits
      ? { action: 'wait', reason: 'below-break-even' }
      : { action: 'compress', reason: 'over-threshold' }
  }
  if (input.expectedRequests === undefined && !input.spending)
    return { action: 'wait', reason: 'under-threshold' }
  const savesEnough = tokens - targetTokens >= LEAST_SAVED_SHARE * tokens
  return pays && savesEnough
    ? { action: 'compress', reason: 'pays' }
    : { action: 'wait', reason: 'below-break-even' }
}

/**
 * Whether a compression now pays within the requests that are expected. Where the host expects
 * none, nobody knows that the next one is not the last: what may be lost by it is at most what was
 * saved before, so that the whole is never dearer. A history that was not sent from here may be in
 * the cache all the same.
 */
function isPaying(input: DecisionInput, { breakEvenRequests, dollars }: Expected): boolean {
  const { expectedRequests, spending, secondsSinceLastRequest } = input
  // The next request is one of those expected, and the break-even counts those after it.
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

/** Undefined where the catalogue has no prices. */
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

/**
 * Whether the result may be too short to be cached: paid in full each time, it may cost more than
 * it saves.
 */
function mayLeaveCache({ tokens, fixedTokens, prices, cache }: DecisionInput): boolean {
  if (!prices || !cache || fixedTokens >= cache.minimumPrefixTokens) return false
  return tokens * prices.cachedInput < cache.minimumPrefixTokens * prices.input
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
 * US dollars of a summary of what is removed, and of what has to be read again of it where that is
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

function explain(decision: Omit<Decision, 'explanation'>, input: DecisionInput): string {
  const { reason, tokens, thresholdTokens, targetTokens, isCacheWarm, breakEvenRequests } = decision
  const size = `The next request has ${renderCount(tokens)} tokens`
  const cost = describeCost(decision)
  const limit = renderCount(Math.max(input.windowTokens - input.reserveTokens, 0))
  const expected = `${size}.${cost} ${describeExpected(input)}`
  switch (reason) {
    case 'ineffective':
      return `${size}. The last compression changed next to nothing, and nothing came since.`
    case 'over-window':
      return `${size}; the window of ${renderCount(input.windowTokens)} has room for ${limit} beside the answer.`
    case 'over-threshold':
      return `${size} and the threshold is ${renderCount(thresholdTokens)}: it is compressed to about ${renderCount(targetTokens)}.${cost}`
    case 'pays':
      return expected
    case 'under-threshold':
      return `${size}; the threshold is ${renderCount(thresholdTokens)}.`
    case 'below-break-even': {
      if (tokens < thresholdTokens) return expected
      const due = `${size} and the threshold is ${renderCount(thresholdTokens)}, but`
      if (mayLeaveCache(input))
        return `${due} what is left could be too short to be cached. It waits up to ${limit}.`
      const paysBack = Number.isFinite(breakEvenRequests)
      const until = paysBack
        ? ` It fits up to ${limit} and waits until then, or until the cache is cold.`
        : ''
      return `${due} the cache ${isCacheWarm ? 'still holds them' : 'is cold'}.${cost}${until}`
    }
  }
}

function describeExpected({ expectedRequests, spending }: DecisionInput): string {
  if (expectedRequests !== undefined || !spending)
    return `${renderCount(expectedRequests ?? 0)} more are expected.`
  const { requests, savedDollars } = spending
  return `Saved so far: ${money(savedDollars)}; requests since the last compression: ${renderCount(requests)}.`
}

function describeCost({
  dollars,
  breakEvenRequests,
  targetTokens,
  tokens,
}: Omit<Decision, 'explanation'>): string {
  if (!dollars || targetTokens >= tokens) return ''
  const costs = `sent as it is it costs ${money(dollars.wait)}, compressed ${money(dollars.compress)}`
  if (breakEvenRequests === 0) return ` Now ${costs}.`
  if (!Number.isFinite(breakEvenRequests)) return ` Now ${costs}, and it never pays.`
  return ` Now ${costs}, paid back after ${breakEvenRequests.toFixed(1)} more requests.`
}

const money = (dollars: number): string => `$${dollars.toFixed(dollars < 1 ? 4 : 2)}`

/** Tokens and the like for the user: `12,345`. */
export const renderCount = (value: number): string => Math.round(value).toLocaleString('en-US')
