import type { CacheRules, ContextWindow, Prices } from '../models/model.ts'
import { renderCount } from '../text/index.ts'

export function explainDecision(
  decision: Omit<Decision, 'explanation'>,
  input: DecisionInput,
): string {
  const { reason, tokens, thresholdTokens, targetTokens, isCacheWarm, breakEvenRequests } = decision
  const size = `The next request has ${renderCount(tokens)} tokens`
  const cost = describeCost(decision)
  const limit = renderCount(Math.max(input.windowTokens - input.reserveTokens, 0))
  const expected = `${size}.${cost}${describeSaved(input)}`
  switch (reason) {
    case 'ineffective':
      return `${size}. The last compression changed almost nothing, and nothing was added since.`
    case 'over-window':
      return `${size}. The window of ${renderCount(input.windowTokens)} has space for ${limit} next to the answer.`
    case 'over-threshold':
      return `${size} and the threshold is ${renderCount(thresholdTokens)}. It is compressed to about ${renderCount(targetTokens)}.${cost}`
    case 'pays':
      return expected
    case 'under-threshold':
      return `${size}. The threshold is ${renderCount(thresholdTokens)}.`
    case 'below-break-even': {
      if (tokens < thresholdTokens) return expected
      const due = `${size} and the threshold is ${renderCount(thresholdTokens)}, but`
      if (mayLeaveCache(input))
        return `${due} the result could be too short to be cached. It waits up to ${limit}.`
      const paysBack = Number.isFinite(breakEvenRequests)
      const until = paysBack ? ` It waits up to ${limit}, or until the cache is cold.` : ''
      return `${due} the cache ${isCacheWarm ? 'still contains them' : 'is cold'}.${cost}${until}`
    }
  }
}

function describeSaved({ spending }: DecisionInput): string {
  if (!spending) return ''
  const { requests, savedDollars } = spending
  return ` Saved so far: ${money(savedDollars)}, with ${renderCount(requests)} requests since the last compression.`
}

function describeCost({
  dollars,
  breakEvenRequests,
  targetTokens,
  tokens,
}: Omit<Decision, 'explanation'>): string {
  if (!dollars || targetTokens >= tokens) return ''
  const costs = `it costs ${money(dollars.wait)} unchanged and ${money(dollars.compress)} compressed`
  if (breakEvenRequests === 0) return ` Now ${costs}.`
  if (!Number.isFinite(breakEvenRequests)) return ` Now ${costs}, which never saves money.`
  return ` Now ${costs}, paid back after ${breakEvenRequests.toFixed(1)} more requests.`
}

const money = (dollars: number): string => `$${dollars.toFixed(dollars < 1 ? 4 : 2)}`

/**
 * Whether the result may be too short to be cached: paid in full each time, it may cost more than
 * it saves.
 */
export function mayLeaveCache({ tokens, fixedTokens, prices, cache }: DecisionInput): boolean {
  if (!prices || !cache || fixedTokens >= cache.minimumPrefixTokens) return false
  return tokens * prices.cachedInput < cache.minimumPrefixTokens * prices.input
}

/**
 * Whether compressing saves money, and why. Dollars are undefined if the catalogue has no prices.
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
  /** Whether precis assumes that the provider's cache holds the beginning of the request. */
  readonly isCacheWarm: boolean
  /**
   * The number of requests after which a compression now has paid for itself. Infinity if it never
   * does.
   */
  readonly breakEvenRequests: number
  /** For the next request's input. */
  readonly dollars: { readonly wait: number; readonly compress: number } | undefined
}

export type DecisionReason =
  /** Compress: it does not fit otherwise, or the threshold is reached. */
  | 'over-window'
  | 'over-threshold'
  /** Compress below the threshold, because it saves money. */
  | 'pays'
  /** Wait: below the threshold. */
  | 'under-threshold'
  /** Wait: it would cost more than it saves. */
  | 'below-break-even'
  /** Wait: nothing came since a compression that changed next to nothing. */
  | 'ineffective'

export interface DecisionInput extends ContextWindow {
  /** Tokens of the next request, including system prompt and tool schemas. An upper bound. */
  readonly tokens: number
  /** The part of `tokens` that no compression changes, so that the provider keeps it cached. */
  readonly fixedTokens: number
  /** Kept free for the answer. */
  readonly reserveTokens: number
  readonly thresholdTokens: number
  /** The host set the threshold. Then only the threshold decides. */
  readonly isThresholdFixed?: boolean
  /** The size of the whole request that a compression aims at. */
  readonly targetTokens: number
  /**
   * The size of the common beginning of the last request and the next. 0 if there was no request.
   */
  readonly cachedTokens: number
  /**
   * The host asks for a cache, or the provider has reported that it read or wrote one. Unknown
   * until then.
   */
  readonly isCacheUsed: boolean
  /** Undefined before the first request. */
  readonly secondsSinceLastRequest?: number
  /** The lifetime that the host asks for. By default the shortest of the provider. */
  readonly cacheLifetimeSeconds?: number
  readonly prices: Prices | undefined
  readonly cache: CacheRules | undefined
  /** Prices of the model that writes the summary, if a model does. */
  readonly summarizerPrices?: Prices
  /** How many more requests the host expects, the next one included. */
  readonly expectedRequests?: number | undefined
  /** Requests since the last compression, unless the host wants as much context as possible. */
  readonly requests?: number
  /** Present if the host asks to save money: the results so far. */
  readonly spending?: SpendingSoFar
  /** The last compression changed almost nothing, and nothing was added since. */
  readonly wasIneffective: boolean
}

/** How the requests of a context went so far. */
export interface SpendingSoFar {
  /** Since the last compression, or since the beginning. */
  readonly requests: number
  /**
   * US dollars that compressions have saved, minus their costs and the costs of text that is
   * expected to be read again.
   */
  readonly savedDollars: number
  /** What compressions have taken from the history. */
  readonly removedTokens: number
}
