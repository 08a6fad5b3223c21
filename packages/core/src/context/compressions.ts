/** The outcome of each compression of a context, and the hooks before it. */

import type { Outcome, Report } from '../engine/report.ts'

export interface CompressNowOptions {
  /** Says what to keep above all: the words after `/compress`. */
  readonly instructions?: string
  /** By default the target of the context, or half of what there is when that is less. */
  readonly budgetTokens?: number
  readonly signal?: AbortSignal | undefined
  /** Called with the name of each step as it begins, and how many of its summaries are finished. */
  readonly onProgress?: (step: string, done?: number, total?: number) => void
}

/** The end of a compression. Failure is a value. */
export interface ContextCompression {
  readonly trigger: CompressionTrigger
  readonly outcome: ContextOutcome
  /** Undefined when nothing was tried. */
  readonly report: Report | undefined
  /**
   * Tokens as the report counts, if there is a report. Otherwise tokens of the next request, with
   * the usage that a provider reported.
   */
  readonly tokensBefore: number
  readonly tokensAfter: number
}

export type CompressionTrigger = 'threshold' | 'manual' | 'model-switch' | 'overflow' | 'economy'

export type ContextOutcome =
  | Outcome
  /** A hook refused. */
  | { readonly type: 'vetoed'; readonly reason: string }
  /** An undo or a switch changed the history meanwhile. */
  | { readonly type: 'discarded' }
  | { readonly type: 'aborted' }
  /** A bug or a broken port. The history is untouched. */
  | { readonly type: 'failed'; readonly error: Error }

export interface CompressionBeginning {
  /** Counts the compressions of a context. It is the same at beginning and end. */
  readonly id: number
  readonly trigger: CompressionTrigger
  /** Tokens of the request before compression. */
  readonly tokens: number
  /** The limit for a result, and the smaller size that the compression aims at. */
  readonly budgetTokens: number
  readonly targetTokens: number
  /** Computed ahead, in parallel with requests. */
  readonly isAhead: boolean
}

export interface CompressionEnd extends CompressionBeginning {
  readonly compression: ContextCompression
}

/**
 * A hook that throws fails the compression. One that waits for `prepare` or `compress` of its own
 * context waits forever.
 */
export interface ContextHooks {
  /** May end a compression with a reason, or add to the instructions of its summaries. */
  readonly beforeCompression?: (beginning: CompressionBeginning) => HookAnswer | Promise<HookAnswer>
}

export type HookAnswer = undefined | { readonly veto: string } | { readonly instructions: string }
