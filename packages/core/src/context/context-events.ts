import type { CompressionTrigger, ContextCompression } from './context-compression.ts'
import type { Decision } from './decision.ts'

/**
 * What a context tells. Every compression begins with `compression-planned` and ends with exactly one of `-applied`,
 * `-skipped` and `-failed`; `-started` comes between them when a strategy is really asked.
 */
export interface ContextEvents {
  readonly 'compression-planned': CompressionBeginning
  readonly 'compression-started': CompressionBeginning
  readonly 'compression-applied': CompressionEnd
  /** Nothing was done, for a reason that is no failure. */
  readonly 'compression-skipped': CompressionEnd
  readonly 'compression-failed': CompressionEnd
  /** Due by the clock or the threshold, and left for later all the same. */
  readonly 'compression-deferred': { readonly decision: Decision }
  /** `tokens` are those of the next request, counted for the new model. */
  readonly 'model-switched': { readonly from: string; readonly to: string; readonly tokens: number }
}

export interface CompressionBeginning {
  /** Counts the compressions of a context; the same at beginning and end. */
  readonly id: number
  readonly trigger: CompressionTrigger
  /** Of the request as it is. */
  readonly tokens: number
  /** The most that may be left, and what is aimed at. */
  readonly budgetTokens: number
  readonly targetTokens: number
  /** Computed ahead, beside the requests. */
  readonly isAhead: boolean
}

export interface CompressionEnd extends CompressionBeginning {
  readonly compression: ContextCompression
}
