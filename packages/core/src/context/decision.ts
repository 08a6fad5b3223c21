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
