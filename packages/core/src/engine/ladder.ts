import type { Conversation } from '../conversation/message.ts'
import { clearReasoning } from '../strategies/clear-reasoning.ts'
import { createClearTools } from '../strategies/clear-tools.ts'
import { createHighDensity } from '../strategies/high-density.ts'
import { middleOut } from '../strategies/middle-out.ts'
import type { Strategy } from '../strategies/strategy.ts'
import { topDownTruncation } from '../strategies/top-down-truncation.ts'

/**
 * Several ways to make a history fit, from the gentlest to the last resort. The first one that is
 * enough is taken.
 */
export interface Ladder {
  readonly name: string
  readonly rungs: readonly Rung[]
}

export type Rung = {
  readonly strategy: Strategy
} /** Continues from the rungs before it, and counts only when it suffices; `isForAll`: later rungs start from it too. */ & (
  | { readonly type: 'clear'; readonly isForAll: boolean }
  /**
   * Starts from everything that the model saw, except old reasoning. `byDigest` ignores the
   * requested summarizer.
   */
  | { readonly type: 'summarize'; readonly byDigest: boolean }
  /** Starts from what was cleared, so that the suffix reaches back further. */
  | { readonly type: 'truncate' }
  /**
   * Clips what no other rung may touch, the last request included, and tries all that is left to
   * try.
   */
  | { readonly type: 'clip' }
)

/** A rung that made a history smaller. */
export interface TakenRung {
  readonly name: string
  readonly before: Conversation
  readonly after: Conversation
}

/** A history on its way through a ladder. */
export interface Stage {
  readonly conversation: Conversation
  readonly taken: readonly TakenRung[]
}

// The latest results stay whole. If more has to be removed, a summary says more in the same space
// than masked results (36 cuts of recorded sessions at 16,000 tokens: 0.91 instead of 0.83 of the
// references that were needed later).
const SHOWN_RESULT_TOKENS = 40_000

/** Seven rungs, and after them the refusal. */
export const auto: Ladder = {
  name: 'auto',
  rungs: [
    { type: 'clear', strategy: createHighDensity({ keepResults: Infinity }), isForAll: false },
    {
      type: 'clear',
      strategy: createClearTools({ zone: { keepTokens: SHOWN_RESULT_TOKENS } }),
      isForAll: false,
    },
    { type: 'clear', strategy: clearReasoning, isForAll: true },
    { type: 'summarize', strategy: middleOut, byDigest: false },
    { type: 'summarize', strategy: middleOut, byDigest: true },
    { type: 'truncate', strategy: topDownTruncation },
    { type: 'clip', strategy: middleOut },
  ],
}

/** A ladder of one rung: a strategy on its own. */
export function createLadder(strategy: Strategy): Ladder {
  const rung: Rung = strategy.summarizes
    ? { type: 'summarize', strategy, byDigest: false }
    : { type: 'truncate', strategy }
  return { name: strategy.name, rungs: [rung] }
}
