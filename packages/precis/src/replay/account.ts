import { billPrompt, type Pricing, priceTokens } from '@precis/core/engine'
import type { ReplayTotals } from './replay.ts'

/**
 * One way to send a session: how large the next request is, what the provider holds of it, and what
 * was paid so far.
 */
export class Account {
  /** Tokens of the request that is being built. */
  tokens: number
  /** Tokens at its beginning that the provider got before. */
  heldTokens = 0
  #promptTokens = 0
  #cachedTokens = 0
  #money = 0
  readonly #pricing: Pricing

  constructor(fixedTokens: number, pricing: Pricing) {
    this.tokens = fixedTokens
    this.#pricing = pricing
  }

  /**
   * Bills the request and its answer, and continues with both. Nothing is read from a cache that is
   * cold.
   */
  send(answerTokens: number, isWarm: boolean) {
    const billed = billPrompt(this.tokens, isWarm ? this.heldTokens : 0, this.#pricing)
    const money = priceTokens({ ...billed, output: answerTokens }, this.#pricing.prices)
    const sent = { tokens: this.tokens, cachedTokens: billed.cachedInput, money }
    this.#promptTokens += sent.tokens
    this.#cachedTokens += sent.cachedTokens
    this.#money += money
    this.heldTokens = this.tokens
    this.tokens += answerTokens
    return sent
  }

  total(summaryMoney = 0, readAgainMoney = 0): ReplayTotals {
    const money = this.#money + summaryMoney
    return {
      promptTokens: this.#promptTokens,
      cachedTokens: this.#cachedTokens,
      money,
      summaryMoney,
      readAgainMoney,
    }
  }
}
