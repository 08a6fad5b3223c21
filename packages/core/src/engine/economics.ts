/**
 * Prices requests, and finds when a shorter history has paid for itself. Prices are passed in, so it
 * needs no models and no clock.
 *
 *   wait       [ fixed | head | middle        | tail ]──► all of it from the cache, request after request
 *   compress   [ fixed | head ][ summary | tail ]     ──► written again once, then from the cache, and shorter
 *               ▲ stays cached  ▲ from here on nothing matches what the provider holds
 */
import { anObject, checkValue } from '../conversation/check-options.ts'
import type { CacheRules, Prices } from '../models/model.ts'

/** Billed tokens of one request. A prompt token is counted in exactly one of the first four. */
export interface BilledTokens {
  readonly input: number
  readonly cachedInput: number
  readonly cacheWrite: number
  /** Written to be kept for the longest of the cache's lifetimes. */
  readonly cacheWriteLong: number
  readonly output: number
}

const NO_TOKENS: BilledTokens = {
  input: 0,
  cachedInput: 0,
  cacheWrite: 0,
  cacheWriteLong: 0,
  output: 0,
}

/** How a prompt is billed. Without `cache`, nothing is ever cached. */
export interface Pricing {
  readonly prices: Prices
  readonly cache: CacheRules | undefined
  /** Whether the host pays for the longest lifetime of the cache. */
  readonly isLongLived?: boolean
}

/** Says nothing of dollars: an input token is the unit, whether it is cached or not. */
export const UNIT_PRICES: Prices = { input: 1e6, output: 0, cachedInput: 1e6, cacheWrite: 1e6 }

/** In US dollars. */
export function priceTokens(billed: BilledTokens, prices: Prices): number {
  checkValue('Pricing tokens', 'billed', billed, anObject)
  checkValue('Pricing tokens', 'prices', prices, anObject)
  const { input, cachedInput, cacheWrite, cacheWriteLong, output } = billed
  const promptTokens = input + cachedInput + cacheWrite + cacheWriteLong
  const long =
    prices.longContext && promptTokens > prices.longContext.fromTokens
      ? prices.longContext
      : undefined
  const prompt =
    input * prices.input +
    cachedInput * prices.cachedInput +
    cacheWrite * prices.cacheWrite +
    cacheWriteLong * (prices.cacheWriteLong ?? prices.cacheWrite)
  return (
    (prompt * (long?.inputFactor ?? 1) + output * prices.output * (long?.outputFactor ?? 1)) / 1e6
  )
}

/**
 * How a prompt is billed of which the provider still holds the first `cachedTokens`. The rest is
 * written to the cache.
 */
export function billPrompt(tokens: number, cachedTokens: number, pricing: Pricing): BilledTokens {
  checkValue('Billing a prompt', 'pricing', pricing, anObject)
  const { cache, isLongLived } = pricing
  if (!cache || tokens < cache.minimumPrefixTokens) return { ...NO_TOKENS, input: tokens }
  const held = cachedTokens < cache.minimumPrefixTokens ? 0 : Math.min(cachedTokens, tokens)
  return {
    ...NO_TOKENS,
    cachedInput: held,
    [isLongLived ? 'cacheWriteLong' : 'cacheWrite']: tokens - held,
  }
}

/** US dollars of one prompt. */
export function pricePrompt(tokens: number, cachedTokens: number, pricing: Pricing): number {
  return priceTokens(billPrompt(tokens, cachedTokens, pricing), pricing.prices)
}

/** US dollars of a summary: what it is written from is sent fresh, as a prompt of its own. */
export function priceSummary(prices: Prices, spanTokens: number, summaryTokens: number): number {
  return priceTokens({ ...NO_TOKENS, input: spanTokens, output: summaryTokens }, prices)
}

/** Two ways to send the next request. */
export interface EconomicChoice {
  /** Tokens of the request as it is, and of the compressed one. */
  readonly tokens: number
  readonly compressedTokens: number
  /**
   * Tokens of the first that the provider's cache holds, and of the second: those before the first
   * change.
   */
  readonly cachedTokens: number
  readonly keptCachedTokens: number
  /** The price of the compression itself. */
  readonly summaryDollars?: number
}

/** US dollars of the next request in both cases. The compressed one includes its summary. */
export function priceChoice(
  choice: EconomicChoice,
  pricing: Pricing,
): Record<'wait' | 'compress', number> {
  const { tokens, compressedTokens, cachedTokens, keptCachedTokens, summaryDollars = 0 } = choice
  return {
    wait: pricePrompt(tokens, cachedTokens, pricing),
    compress: pricePrompt(compressedTokens, keptCachedTokens, pricing) + summaryDollars,
  }
}

/**
 * How many requests after the next one it takes until a compression now has paid for itself. 0 if
 * the next one already costs less, Infinity if it never pays. With r as the remaining share of the
 * suffix that changes, a write at 1.25 and a read at 0.1 of the price of input, that is (1.25 r −
 * 0.1) / (0.1 (1 − r)): 10.5 at r = 0.5.
 */
export function findBreakEven(choice: EconomicChoice, pricing: Pricing): number {
  const { wait, compress } = priceChoice(choice, pricing)
  const excess = compress - wait
  const { tokens, compressedTokens } = choice
  if (compressedTokens >= tokens) return Infinity
  if (excess <= 0) return 0
  // Later requests grow alike either way, and find everything before in the cache.
  const saving =
    pricePrompt(tokens, tokens, pricing) - pricePrompt(compressedTokens, compressedTokens, pricing)
  return saving > 0 ? excess / saving : Infinity
}

// The limit leaves some space next to everything that has to stay. The rest may have this share of
// it, measured by what the target would give.
const REST_SHARE = 0.5

/** A target moves up to the limit if what has to stay leaves too little of it. */
export function raiseTarget(
  targetTokens: number,
  stayingTokens: number,
  limitTokens: number,
): number {
  const share = (targetTokens / Math.max(limitTokens, 1)) * REST_SHARE
  const raised = Math.floor(stayingTokens + Math.max(limitTokens - stayingTokens, 0) * share)
  return Math.min(Math.max(targetTokens, raised), limitTokens)
}
