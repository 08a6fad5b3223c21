/**
 * Whether to compress before the next request.
 *
 *   0 ────────────── target ─────────────── threshold ─────────── window less reserve ── window
 *    wait, or as soon as it pays within     compress; but wait     compress: it would
 *    the requests the host expects          for a cold cache       not fit
 *
 * Between the last two a compression is due and not yet needed. While the provider is known to hold the history it is
 * dearer than sending it once more, and nobody knows whether enough requests follow to earn that back. After a pause
 * longer than the cache lives it costs nothing extra: everything is written anew anyway. So a history that fits to its
 * end is, where no model is paid for summaries, never dearer than one that nobody touched. A threshold that the host set itself is kept to the letter.
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
import type { Decision, DecisionReason } from './decision.ts'
import { renderCount } from './render-count.ts'

export interface DecisionInput {
  /** Of the next request, system prompt and tool schemas included; an upper bound. */
  readonly tokens: number
  /** Of them, what no compression changes and what the provider goes on holding. */
  readonly fixedTokens: number
  readonly windowTokens: number
  /** Kept free for the answer. */
  readonly reserveTokens: number
  readonly thresholdTokens: number
  /** The host set the threshold: then it decides alone. */
  readonly isThresholdFixed?: boolean
  /** What a compression aims at, of the whole request. */
  readonly targetTokens: number
  /** How much of the beginning the last request has in common with the next; 0 when there was none. */
  readonly cachedTokens: number
  /** The host asks for a cache, or the provider has reported that it read or wrote one. Until then nobody knows. */
  readonly isCacheUsed: boolean
  /** Undefined before the first request. */
  readonly secondsSinceLastRequest?: number
  /** What the host asks for; by default the shortest that the provider has. */
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
// A summary is about half of what it stands for, or less; the bound is for the bill, not for the summarizer.
const SUMMARY_SHARE = 0.1

/** Pure: the same numbers give the same decision. */
export function decide(input: DecisionInput): Decision {
  const { tokens, fixedTokens, thresholdTokens } = input
  const targetTokens = Math.min(Math.max(expectResult(input), fixedTokens), tokens)
  const pricing = createPricing(input)
  const isCacheWarm = isWarm(input)
  const choice = createChoice(input, targetTokens, isCacheWarm)
  const breakEvenRequests = pricing
    ? findBreakEven(choice, pricing)
    : targetTokens < tokens
      ? 0
      : Number.POSITIVE_INFINITY
  const { action, reason } = choose(input, targetTokens, breakEvenRequests, isCacheWarm)
  const numbers = {
    action,
    reason,
    tokens,
    thresholdTokens,
    targetTokens,
    isCacheWarm,
    breakEvenRequests,
    dollars: pricing && priceChoice(choice, pricing),
  }
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
): { readonly action: Decision['action']; readonly reason: DecisionReason } {
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

/**
 * What is shorter than the shortest prefix that is cached is paid in full at every request. That may be more than reading
 * ten times as much from the cache, and how short a compression comes out nobody knows before.
 */
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
  switch (reason) {
    case 'ineffective':
      return `${size}. The last compression changed next to nothing, and nothing came since.`
    case 'over-window':
      return `${size}; the window of ${renderCount(input.windowTokens)} has room for ${limit} beside the answer.`
    case 'over-threshold':
      return `${size} and the threshold is ${renderCount(thresholdTokens)}: it is compressed to about ${renderCount(targetTokens)}.${cost}`
    case 'pays':
      return `${size}.${cost} ${renderCount(input.expectedRequests ?? 0)} more are expected.`
    case 'under-threshold':
      return `${size}; the threshold is ${renderCount(thresholdTokens)}.`
    case 'below-break-even': {
      if (tokens < thresholdTokens)
        return `${size}.${cost} ${renderCount(input.expectedRequests ?? 0)} more are expected.`
      const due = `${size} and the threshold is ${renderCount(thresholdTokens)}, but`
      if (mayLeaveCache(input)) return `${due} what is left could be too short to be cached. It waits up to ${limit}.`
      const until = `It fits up to ${limit} and waits until then, or until the cache is cold.`
      return `${due} the cache ${isCacheWarm ? 'still holds them' : 'is cold'}.${cost}${Number.isFinite(breakEvenRequests) ? ` ${until}` : ''}`
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
