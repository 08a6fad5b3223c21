/** The results of an evaluation, point by point; `tables.ts` makes means of it. */
import type { CompressOptions } from '@precis/core'
import type { PointKind, SkippedPlace } from './find-points.ts'
import type { Score } from './measures/measure.ts'
import type { EvaluatedStrategy } from './method.ts'

export interface EvaluationOptions {
  readonly strategies: readonly EvaluatedStrategy[]
  readonly budgets: readonly EvaluatedBudget[]
  /**
   * Asked at the points alone; `digest` by default. Rounds and replays ask so often that they are
   * left to `digest`.
   */
  readonly summarizer?: CompressOptions['summarizer']
  /** Told what broke in a strategy: a bug. */
  readonly onFailure: (reason: string) => void
  /** Told what begins, and how much of the session is done, 0 to 1. */
  readonly onProgress?: (step: string, fraction: number) => void
}

/** The same size for every method. */
export interface EvaluatedBudget {
  /** As it was asked for: `4000`, `20%`. */
  readonly label: string
  /** The size for a history of this size. */
  sizeFor(size: number): number
}

export type Scores = Readonly<Record<string, Score>>

/** The result of one method at one point. */
export interface MethodResult {
  readonly session: string
  readonly kind: PointKind
  readonly place: string
  readonly budget: string
  readonly method: string
  readonly outcome: MethodOutcome
}

export type MethodOutcome =
  | {
      readonly type: 'scored'
      readonly scores: Scores
      /** Size of the result as a share of the budget; above 1 it does not count. */
      readonly budgetShare: number
      /** By the counter of the session's model, upper bound. */
      readonly tokens: number
      readonly durationMs: number
    }
  | { readonly type: 'refused' }
  | { readonly type: 'over-budget'; readonly budgetShare: number }
  | { readonly type: 'failed' }

/** Cost of a replayed session with a method, `kept`, of the cost without any, `total`. */
export interface CostResult {
  readonly session: string
  readonly budget: string
  readonly method: string
  readonly cost: Score
  /** The part of the cost that re-reading adds. */
  readonly refetch: Score
  readonly compressions: number
}

/** Scores after so many compressions of the same growing history. */
export interface DriftResult {
  readonly session: string
  readonly method: string
  readonly summarizer: string
  readonly rounds: number
  /** Undefined when a round was refused. */
  readonly scores: Scores | undefined
}

export interface SessionEvaluation {
  readonly session: string
  readonly format: string
  readonly results: readonly MethodResult[]
  readonly costs: readonly CostResult[]
  readonly drift: readonly DriftResult[]
  readonly skipped: readonly SkippedPlace[]
}
