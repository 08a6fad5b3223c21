import type { Outcome, Report } from '../engine/report.ts'

/** What became of a compression. Failure is a value. */
export interface ContextCompression {
  readonly trigger: CompressionTrigger
  readonly outcome: ContextOutcome
  /** Undefined when nothing was tried. */
  readonly report: Report | undefined
  readonly tokensBefore: number
  readonly tokensAfter: number
}

export type CompressionTrigger = 'threshold' | 'manual' | 'model-switch' | 'overflow' | 'economy'

export type ContextOutcome =
  | Outcome
  /** A hook said no. */
  | { readonly type: 'vetoed'; readonly reason: string }
  /** The history was changed underneath, by an undo or a switch: the late result was discarded. */
  | { readonly type: 'discarded' }
  | { readonly type: 'aborted' }
  /** A bug or a broken port; the history is untouched. */
  | { readonly type: 'failed'; readonly error: Error }
