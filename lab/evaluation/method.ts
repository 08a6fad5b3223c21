import type { CompressOptions } from '@precis/core'
import { baselines } from './baselines/index.ts'

/** A strategy of core, or the ladder that takes the gentlest one that suffices. */
export type EvaluatedStrategy = NonNullable<CompressOptions['strategy']>

/** `control` is no method: it shows what a measure is worth. */
export type MethodKind = 'strategy' | 'baseline' | 'recorded' | 'control'

export interface Method {
  readonly name: string
  readonly kind: MethodKind
  /** In the reader's words. */
  readonly title: string
}

export const recordedSummary: Method = {
  name: 'recorded-summary',
  kind: 'recorded',
  title: "the agent's own summary",
}

/** All that is measured, in the order in which it is shown. */
export function listMethods(chosen: readonly EvaluatedStrategy[]): Method[] {
  return [
    ...chosen.map(({ name }) => ({ name, kind: 'strategy', title: name }) as const),
    recordedSummary,
    ...baselines.map(
      ({ name, title }) =>
        ({ name, kind: name === 'word-list' ? 'control' : 'baseline', title }) as const,
    ),
  ]
}

/** Whether the strategy asks a summarizer, or may do so. */
export function asksSummarizer(strategy: EvaluatedStrategy): boolean {
  return 'rungs' in strategy || strategy.summarizes
}
