/** Tokens of one request, as the provider reported them. */
export interface Usage {
  /** All of the prompt, cached or not. */
  readonly inputTokens: number
  /** The answer, reasoning included. */
  readonly outputTokens: number
  /** Of the prompt, read from the provider's cache. */
  readonly cachedInputTokens?: number
  /** Of the prompt, written to it. */
  readonly cacheWriteTokens?: number
}
