import type { Candidate, Group } from './candidate.ts'
import type { Event } from './event.ts'
import type { Vocabulary } from './vocabulary.ts'
import type { Wording } from './wording.ts'

/** What the collectors share while they turn events into candidates. */
export interface Draft {
  readonly events: readonly Event[]
  readonly vocabulary: Vocabulary
  readonly wording: Wording
  readonly candidates: Candidate[]
  /** Trimmed lines that stay visible beside the digest. */
  readonly visible: ReadonlySet<string>
  /** Lower-cased words of the person's instructions for this digest. */
  readonly focus: readonly string[]
  readonly targetTokens: number
  /** By event: how many later events show or change lines of a file. */
  readonly shownAfter: readonly number[]
  /** First event whose output is looked at in full. */
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
