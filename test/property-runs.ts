import fc from 'fast-check'
import { inject } from 'vitest'

declare module 'vitest' {
  export interface ProvidedContext {
    isFastLane: boolean
  }
}

/**
 * How often a property is tried: `count` times in the slow lane. The fast one tries a sixteenth of the
 * first hundred cases and an eightieth of the others, or as many as `fast` says.
 */
export const runs = (
  count: number,
  fast = Math.ceil(Math.min(count, 100) / 16 + Math.max(count - 100, 0) / 80),
): number => (inject('isFastLane') ? fast : count)

/** Which of some cases are tried: all in the slow lane, so many of the first ones in the fast one. */
export const casesOf = <Case>(cases: readonly Case[], fast = 1): readonly Case[] =>
  inject('isFastLane') ? cases.slice(0, fast) : cases

// The cases are the same in every run, so that a change is judged by what it changed.
// "PROPERTY_SEED=new" draws others, a number those of a run that failed; the fuzz (npm run fuzz)
// looks for what nobody has seen.
const { PROPERTY_SEED: seed = '20261' } = process.env
fc.configureGlobal({ numRuns: runs(100), ...(seed !== 'new' && { seed: Number(seed) }) })
