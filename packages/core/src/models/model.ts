/**
 * A model as precis has to know it: how much fits, how text becomes tokens, what tokens cost, how
 * its cache works.
 */

export type Provider = 'anthropic' | 'openai' | 'google' | 'other'

/**
 * How a model cuts text into tokens. The two encodings of OpenAI are counted exactly, and the
 * others are estimated from o200k_base (docs/tokens.md). `claude-2026` came with Claude Opus 4.7.
 * `unknown` is any vocabulary that precis does not know.
 */
export type Encoding =
  | 'o200k_base'
  | 'cl100k_base'
  | 'claude'
  | 'claude-2026'
  | 'gemini'
  | 'unknown'

/** The size of a context window. */
export interface ContextWindow {
  /** Tokens of prompt and answer together. */
  readonly windowTokens: number
}

/** US dollars per million tokens. */
export interface Prices {
  readonly input: number
  readonly output: number
  /** A prompt token read from the cache. Equal to `input` if there is no discount. */
  readonly cachedInput: number
  /** A prompt token written to the cache. Equal to `input` if writing is free. */
  readonly cacheWrite: number
  /** A token written for the longest of the cache's lifetimes, if that has its own price. */
  readonly cacheWriteLong?: number
  /** Above this many prompt tokens the whole request costs this many times as much. */
  readonly longContext?: {
    readonly fromTokens: number
    readonly inputFactor: number
    readonly outputFactor: number
  }
}

/** How a provider keeps the beginning of a prompt. */
export interface CacheRules {
  /** True: every repeated prefix is cached. False: the request has to mark the prefix. */
  readonly automatic: boolean
  /** How long a prefix lives after its last use, shortest and default first. */
  readonly lifetimesSeconds: readonly number[]
  /** A shorter prefix is never cached, and no error says so. */
  readonly minimumPrefixTokens: number
}

/** The answer of `findModel` for an id. */
export interface Model {
  /** The id as it was asked for. */
  readonly id: string
  readonly provider: Provider
  /**
   * False: nothing is known of this model or its family, and every number here is a cautious
   * default.
   */
  readonly known: boolean
  /**
   * The catalogue row the numbers come from: the model itself or the nearest relative. Absent:
   * defaults of the family.
   */
  readonly row?: string
  /** Prompt and answer together. */
  readonly contextWindowTokens: number
  readonly outputLimitTokens: number
  readonly encoding: Encoding
  readonly pricesPerMillionTokens: Prices | undefined
  readonly cache: CacheRules | undefined
}
