/** The largest parts of a budget that kinds of candidates may take. */
import type { CandidateKind } from './draft.ts'
import type { Weights } from './weights.data.ts'

// The state is listed even at the smallest target.
const FEWEST_STATE_TOKENS = 200
// An agent reads a file again before it edits it. It cannot read again what was said and concluded,
// and lines of code that stand alone tell a reader little.
export const CODE_SHARE = 0.3
export const CODE: ReadonlySet<CandidateKind> = new Set(['change', 'read', 'seen', 'error'])
// Content of files, which can be read again, gives way to answers.
export const READ: ReadonlySet<CandidateKind> = new Set(['read', 'seen'])
export const READ_SHARE = 0.07

/** The largest part of the budget that a kind may take while others still want some. */
export function readShares(
  weights: Weights,
  targetTokens: number,
): Readonly<Record<CandidateKind, number>> {
  return {
    state: Math.max(0.1, Math.min(0.5, FEWEST_STATE_TOKENS / targetTokens)),
    answer: 1,
    words: weights.wordsShare,
    error: 0.15,
    file: 0.2,
    purpose: 0.1,
    change: weights.changedShare,
    read: weights.readShare,
    command: weights.commandShare,
    seen: 0.25,
  }
}
