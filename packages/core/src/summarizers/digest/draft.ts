import { mentionsError, reportsError } from '../../facts/errors.ts'
import type { Outcome } from '../../facts/outcome.ts'
import type { Action } from '../../facts/tool-calls.ts'
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

/** 1 for the newest event, falling to 0 for the oldest. */
export function recencyOf(draft: Draft, at: number): number {
  return draft.events.length < 2 ? 1 : at / (draft.events.length - 1)
}

/** Extra worth of a line that speaks of what the person wants kept above all. */
export function focusWorth(draft: Draft, text: string): number {
  if (draft.focus.length === 0) return 0
  const lower = text.toLowerCase()
  let worth = 0
  for (const word of draft.focus) if (lower.includes(word)) worth += 6
  return worth
}

export function createGroup(section: Group['section'], order: number, heading?: string): Group {
  return { section, order, heading }
}

/** Whether a call went wrong; a search that finds nothing did not, though `grep` then ends with 1. */
export function isFailure({ kind }: Action, { failed, exitCode }: Outcome): boolean {
  return failed && !(kind === 'search' && (exitCode === undefined || exitCode === 1))
}

/** Extra worth of a line that speaks of a failure; high only near the end of the span. */
export function errorWorth(line: string, recency: number): number {
  if (recency < 0.7 || !mentionsError(line)) return 0
  return (reportsError(line) ? 4 : 2) * recency ** 5
}

// A line of this many characters can say something on its own.
const FULL_LINE = 32

/** 0 to 1: how much of a line there is. */
export function fullness(line: string): number {
  return Math.min(1, line.length / FULL_LINE)
}
