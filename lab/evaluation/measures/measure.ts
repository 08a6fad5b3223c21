import { type Entity, findEntities } from '../../../packages/precis/src/replay/entities.ts'
import type { Point } from '../point.ts'

/**
 * How much of what counts was found. A score of a total of 0 says nothing and is left out of every
 * mean.
 */
export interface Score {
  readonly kept: number
  readonly total: number
}

/** One thing that a compressed context should keep, and how much of it is there. */
export interface Measure {
  readonly name: string
  /** In the reader's words. */
  readonly title: string
  /** For what had better not be there. */
  readonly lowerIsBetter?: true
  /** Reads the point once; what it gives scores any number of texts. */
  readonly prepare: (point: Point) => (text: ScoredText) => Score
}

/** A compressed context, taken apart once for all measures. */
export interface ScoredText {
  readonly text: string
  readonly lines: readonly string[]
  readonly entities: ReadonlySet<Entity>
}

export function createScoredText(text: string, workingDirectory: string): ScoredText {
  return { text, lines: text.split('\n'), entities: findEntities(text, workingDirectory) }
}
