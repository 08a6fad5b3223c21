/** The cost of a context's requests, and their cost if no request had been compressed. */

import { type Pricing, pricePrompt } from '../engine/economics.ts'
import type { Decision, SpendingSoFar } from './decision.ts'

export interface SentRequest {
  /** As it was taken before the compression that the request may have had. */
  readonly decision: Pick<Decision, 'tokens' | 'isCacheWarm'>
  readonly tokens: number
  /** The part that no compression changes. */
  readonly fixedTokens: number
  /** Tokens of the request before this one. 0 if there was no request. */
  readonly sentTokens: number
  /** Undefined if the host does not ask to save, or the prices are unknown. */
  readonly pricing: Pricing | undefined
  /** US dollars of a compression that removes so many tokens, regardless of what is sent. */
  readonly priceRemoval: (removedTokens: number) => number
}

export class Spending implements SpendingSoFar {
  requests = 0
  savedDollars = 0
  removedTokens = 0

  /** A request is sent, with the compression that was made for it. */
  note({ decision, tokens, fixedTokens, sentTokens, pricing, priceRemoval }: SentRequest): void {
    const { isCacheWarm } = decision
    const removed = Math.max(decision.tokens - tokens, 0)
    this.requests = removed > 0 ? 0 : this.requests + 1
    if (!pricing) return
    const heldWithout = isCacheWarm ? sentTokens + this.removedTokens : 0
    const held = isCacheWarm ? sentTokens : 0
    const without = pricePrompt(decision.tokens + this.removedTokens, heldWithout, pricing)
    const paid = pricePrompt(tokens, removed > 0 ? Math.min(held, fixedTokens) : held, pricing)
    this.savedDollars += without - paid
    if (removed === 0) return
    this.savedDollars -= priceRemoval(removed)
    this.removedTokens += removed
  }

  /** What was removed is there again: it saves no more. */
  forgetRemoved(): void {
    this.removedTokens = 0
  }
}
