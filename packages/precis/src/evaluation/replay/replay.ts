/** What a replay tells. Tokens are upper bounds, counted for the model; answers are those that were recorded. */
import type { CompressionTrigger, ContextOutcome } from '@precis/core'

export interface Replay {
  readonly session: string
  readonly format: string
  readonly model: string
  /** False: the catalogue has no prices, and every amount of money is in input tokens. */
  readonly hasPrices: boolean
  /** False: the recording has no times, and the cache is taken to be always warm. */
  readonly hasTimes: boolean
  readonly windowTokens: number
  readonly reserveTokens: number
  readonly thresholdTokens: number
  readonly strategy: string
  readonly summarizer: string
  /** How often the agent itself compacted while it was recorded; the replay has the messages instead. */
  readonly recordedCompactions: number
  /** One for each lifetime of the provider's cache, the shortest first. */
  readonly runs: readonly ReplayRun[]
}

/** The session once, at the prices of one lifetime of the cache. */
export interface ReplayRun {
  /** Undefined where the model has no cache. */
  readonly cacheLifetimeSeconds: number | undefined
  readonly requests: readonly ReplayedRequest[]
  readonly compressions: readonly ReplayedCompression[]
  /** Without any compression. */
  readonly without: ReplayTotals
  readonly with: ReplayTotals
  /** Of all that the next calls needed: see `ReplayedCompression`. */
  readonly needed: number
  readonly missing: number
  /** The first request that would not have fitted without compression; undefined when all did. */
  readonly firstTooLarge: number | undefined
  /** The first request that did not fit with it either; undefined when all did. */
  readonly firstRefused: number | undefined
}

export interface ReplayTotals {
  readonly promptTokens: number
  readonly cachedTokens: number
  /** US dollars, or input tokens where the model has no prices. */
  readonly money: number
  /** Of the money: what summaries by a model cost. */
  readonly summaryMoney: number
  /** Beside the money: what it would cost to read again once what was needed and missing. */
  readonly readAgainMoney: number
}

export interface ReplayedRequest {
  /** From 1 on. */
  readonly request: number
  readonly turn: number
  /** ISO 8601. */
  readonly time: string | undefined
  readonly secondsSinceLast: number | undefined
  readonly tokens: number
  /** False: nothing could make it small enough. */
  readonly fits: boolean
  readonly cachedTokens: number
  readonly money: number
  readonly tokensWithout: number
  readonly cachedTokensWithout: number
  readonly moneyWithout: number
  /** Of the live context: why it compressed or waited. */
  readonly decision: string
}

export interface ReplayedCompression {
  /** The request that it was made for. */
  readonly request: number
  readonly trigger: CompressionTrigger
  readonly outcome: ContextOutcome['type']
  readonly tokensBefore: number
  readonly tokensAfter: number
  readonly explanation: string
  /** Names of this project that the next 100 calls used, that stood before, and that were not seen again until then. */
  readonly needed: number
  /** Those that the shorter history had no longer with the words around them. */
  readonly missing: readonly string[]
  readonly readAgainTokens: number
}
