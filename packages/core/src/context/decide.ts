/**
 * Whether to compress before the next request.
 *
 *   0 ────────────── target ─────────────── threshold ─────────── window less reserve ── window
 *    wait, or as soon as it pays within     compress; but wait     compress: it would
 *    the requests the host expects          for a cold cache       not fit
 *
 * Between the last two a compression is due and not yet needed. While the provider is known to hold the history it costs
 * more than sending it once more, and enough requests to earn that back may not follow. After a pause longer than the
 * cache lives it costs nothing extra: everything is written again anyway. So a history that fits to its end never costs
 * more than an untouched one, where no model is paid for summaries. A threshold that the host set is kept to the letter.
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

/** Whether compressing pays, in money, and why. Dollars are undefined where the catalogue has no prices. */
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
  /** Compress: below the threshold, but it pays within the requests that are expected. */
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
  /** How much of the beginning the last request has in common with the next; 0 when there was none. */
  readonly cachedTokens: number
  /** The host asks for a cache, or the provider has reported that it read or wrote one. Unknown until then. */
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
  /** The last compression changed next to nothing, and nothing came since. */
  readonly wasIneffective: boolean
}

// Edits come in epochs, never one a turn: below the threshold a compression has to save this share of the request.
const LEAST_SAVED_SHARE = 0.2
// A summary is about half of its source, or less; the bound is for the bill, not for the summarizer.
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
  const { action, reason } = choose(input, targetTokens, breakEvenRequests, isCacheWarm)
  const dollars = pricing && priceChoice(choice, pricing)
  const numbers = { action, reason, tokens, thresholdTokens, targetTokens, isCacheWarm, breakEvenRequests, dollars }
  return { ...numbers, explanation: explain(numbers, input) }
}

/** More than the target where much is new: what the model has not answered yet stays. */
function expectResult({ tokens, fixedTokens, targetTokens, cachedTokens, windowTokens, reserveTokens }: DecisionInput) {
  const newTokens = cachedTokens > 0 ? Math.max(tokens - cachedTokens, 0) : 0
  return raiseTarget(targetTokens, fixedTokens + newTokens, Math.max(windowTokens - reserveTokens, targetTokens))
}

function choose(
  input: DecisionInput,
  targetTokens: number,
  breakEvenRequests: number,
  isCacheWarm: boolean,
): Pick<Decision, 'action' | 'reason'> {
  const { tokens, expectedRequests } = input
  if (input.wasIneffective) return { action: 'wait', reason: 'ineffective' }
  if (tokens + input.reserveTokens > input.windowTokens) return { action: 'compress', reason: 'over-window' }
  // The next request is one of those expected, and the break-even counts those after it.
  const pays = expectedRequests !== undefined && expectedRequests - 1 > breakEvenRequests
  if (tokens >= input.thresholdTokens) {
    const isWaitingCheaper = (isCacheWarm && breakEvenRequests > 0) || mayLeaveCache(input)
    const waits = isWaitingCheaper && input.isCacheUsed && !input.isThresholdFixed && !pays
    return waits ? { action: 'wait', reason: 'below-break-even' } : { action: 'compress', reason: 'over-threshold' }
  }
  if (expectedRequests === undefined) return { action: 'wait', reason: 'under-threshold' }
  const savesEnough = tokens - targetTokens >= LEAST_SAVED_SHARE * tokens
  return pays && savesEnough ? { action: 'compress', reason: 'pays' } : { action: 'wait', reason: 'below-break-even' }
}

function createPricing({ prices, cache, cacheLifetimeSeconds }: DecisionInput): Pricing | undefined {
  if (!prices) return undefined
  const lifetimes = cache?.lifetimesSeconds ?? []
  const isLongLived = lifetimes.length > 1 && (cacheLifetimeSeconds ?? 0) > (lifetimes[0] ?? 0)
  return { prices, cache, isLongLived }
}

function isWarm({ cachedTokens, cache, cacheLifetimeSeconds, secondsSinceLastRequest = 0 }: DecisionInput): boolean {
  if (!cache || cachedTokens < Math.max(cache.minimumPrefixTokens, 1)) return false
  return secondsSinceLastRequest <= (cacheLifetimeSeconds ?? cache.lifetimesSeconds[0] ?? 0)
}

/** Whether the result may be too short to be cached: paid in full each time, it may cost more than it saves. */
function mayLeaveCache({ tokens, fixedTokens, prices, cache }: DecisionInput): boolean {
  if (!prices || !cache || fixedTokens >= cache.minimumPrefixTokens) return false
  return tokens * prices.cachedInput < cache.minimumPrefixTokens * prices.input
}

function createChoice(input: DecisionInput, targetTokens: number, isCacheWarm: boolean): EconomicChoice {
  const { tokens, summarizerPrices } = input
  const cachedTokens = isCacheWarm ? Math.min(input.cachedTokens, tokens) : 0
  const spanTokens = tokens - targetTokens
  return {
    tokens,
    compressedTokens: targetTokens,
    cachedTokens,
    keptCachedTokens: Math.min(cachedTokens, input.fixedTokens),
    summaryDollars: summarizerPrices ? priceSummary(summarizerPrices, spanTokens, SUMMARY_SHARE * spanTokens) : 0,
  }
}

function explain(decision: Omit<Decision, 'explanation'>, input: DecisionInput): string {
  const { reason, tokens, thresholdTokens, targetTokens, isCacheWarm, breakEvenRequests } = decision
  const size = `The next request has ${renderCount(tokens)} tokens`
  const cost = describeCost(decision)
  const limit = renderCount(Math.max(input.windowTokens - input.reserveTokens, 0))
  const expected = `${size}.${cost} ${renderCount(input.expectedRequests ?? 0)} more are expected.`
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
      if (mayLeaveCache(input)) return `${due} what is left could be too short to be cached. It waits up to ${limit}.`
      const paysBack = Number.isFinite(breakEvenRequests)
      const until = paysBack ? ` It fits up to ${limit} and waits until then, or until the cache is cold.` : ''
      return `${due} the cache ${isCacheWarm ? 'still holds them' : 'is cold'}.${cost}${until}`
    }
  }
}

function describeCost({ dollars, breakEvenRequests, targetTokens, tokens }: Omit<Decision, 'explanation'>): string {
  if (!dollars || targetTokens >= tokens) return ''
  const costs = `sent as it is it costs ${money(dollars.wait)}, compressed ${money(dollars.compress)}`
  if (breakEvenRequests === 0) return ` Now ${costs}.`
  if (!Number.isFinite(breakEvenRequests)) return ` Now ${costs}, and it never pays.`
  return ` Now ${costs}, paid back after ${breakEvenRequests.toFixed(1)} more requests.`
}

const money = (dollars: number): string => `$${dollars.toFixed(dollars < 1 ? 4 : 2)}`

/** Tokens and the like for the user: `12,345`. */
export const renderCount = (value: number): string => Math.round(value).toLocaleString('en-US')
