/**
 * What raises or lowers the worth of a line, whoever collects it. A worth is measured in names: one that a recent
 * step used weighs about 1. The numbers are in `weights.data.ts`; docs/digest.md says what they aim at.
 */
import { reportsError } from '../../facts/errors.ts'
import type { Draft } from './draft.ts'

// One word of the person's instructions outweighs everything else a line can have.
const FOCUS_WORTH = 6

/** Extra worth of a line that speaks of what the person wants kept above all. */
export function focusWorth(draft: Draft, text: string): number {
  if (draft.focus.length === 0) return 0
  const lower = text.toLowerCase()
  return draft.focus.filter((word) => lower.includes(word)).length * FOCUS_WORTH
}

/** Extra worth of one of the newest lines that speak of a failure. */
export function errorWorth({ weights, newestErrors }: Draft, line: string): number {
  const rank = newestErrors.get(line)
  return rank === undefined ? 0 : (weights.errorLine * (reportsError(line) ? 1 : 0.5)) / (1 + rank / 5)
}

/** 1 for the newest event, falling to 0 for the oldest. */
export function recencyOf(draft: Draft, at: number): number {
  return draft.events.length < 2 ? 1 : at / (draft.events.length - 1)
}

// A line of this many characters can say something on its own.
const FULL_LINE = 32

/** 0 to 1: how much of a line there is. */
export function fullness(line: string): number {
  return Math.min(1, line.length / FULL_LINE)
}
