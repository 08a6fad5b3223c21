import type { Candidate, Group } from './candidate.ts'
import type { Event } from './event.ts'
import type { Purpose } from './purpose.ts'
import type { Visible } from './visible.ts'
import type { Vocabulary } from './vocabulary.ts'
import type { Weights } from './weights.ts'
import type { Wording } from './wording.ts'

/** What the collectors share while they turn events into candidates. */
export interface Draft {
  readonly events: readonly Event[]
  readonly vocabulary: Vocabulary
  readonly wording: Wording
  readonly weights: Weights
  readonly candidates: Candidate[]
  /** Reports that stand among the errors. */
  readonly reported: Set<string>
  /** Commands that stand among the last steps. */
  readonly lastSteps: Set<string>
  readonly visible: Visible
  /** Lower-cased words of the person's instructions for this digest. */
  readonly focus: readonly string[]
  /** The newest distinct lines of output that speak of a failure, 0 for the newest of all. */
  readonly newestErrors: ReadonlyMap<string, number>
  /** By event: what an edit was for. */
  readonly purposes: ReadonlyMap<number, Purpose>
  /** Words that stand beside a file as what an edit was for, by event. */
  readonly purposeWords: ReadonlySet<number>
  readonly targetTokens: number
  /** The working directory with a slash at its end. */
  readonly root: string | undefined
  /** By event: how many later events show or change lines of a file. */
  readonly shownAfter: readonly number[]
  /** First event that is looked at closely. */
  readonly nearStart: number
}

export function createGroup(section: Group['section'], order: number, heading?: string): Group {
  return { section, order, heading }
}

// More rows than any output has.
const MOST_ROWS = 1e7

/** Order of a line inside its group: by event, then by its row there. */
export function orderOf({ at, row }: { readonly at: number; readonly row: number }): number {
  return at * MOST_ROWS + row
}
