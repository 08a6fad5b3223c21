/** Why nothing fits: a summarizer that failed, or a size, with the smallest that is enough. */
import { digest } from '../digest/digest.ts'
import { findExcess } from './limits.ts'
import type { SearchTask } from './open-series.ts'
import { createRefusal, type Refusal } from './refusal.ts'
import type { Outcome } from './report.ts'
import { type Found, search } from './search.ts'
import { SummaryWork } from './summary-work.ts'

/** The same search by extraction, without progress. It only shows what is possible. */
function byExtraction(task: SearchTask): SearchTask {
  return {
    ...task,
    run: { ...task.run, summarizer: digest(), work: new SummaryWork(), onProgress: undefined },
  }
}

/**
 * Distinguishes a summarizer that failed from a size that cannot be reached. Extraction shows
 * whether it can.
 */
export async function explainRefusal(
  { smallest, reason }: Found,
  task: SearchTask,
): Promise<Outcome> {
  const { given, repaired, limits, run } = task
  const { counter, summarizer, work } = run
  const isWithin = findExcess(given, limits, counter) === undefined
  const hasFailed = work.hasFailed && summarizer.name !== digest().name
  if (hasFailed && (await search(byExtraction(task))).result) {
    return { type: 'summary-failed', summarizer: summarizer.name, problems: work.problems }
  }
  // A target may be missed.
  if (isWithin) return { type: 'unchanged', reason: reason ?? 'nothing-eligible' }
  const refusal = createRefusal(repaired, smallest, counter, limits, reason)
  return { type: 'cannot-fit', refusal: await nameSmallest(refusal, task) }
}

// Steps that double until one is enough, and then halves of the last one. The first is nearly
// always enough.
const MOST_TRIALS = 8
const SMALLEST_STEP = 32
const EXACT_SHARE = 0.02

/**
 * The smallest budget that is enough, found by trial. At the given size, nothing has to be done.
 */
export async function nameSmallest(refusal: Refusal, task: SearchTask): Promise<Refusal> {
  const { given, limits, run } = task
  if (refusal.limit !== 'tokens') return refusal
  const { counter, signal } = run
  const givenTokens = counter.countConversation(given).upper
  let tooFew = limits.tokens
  let enough = Math.max(givenTokens, limits.tokens + 1)
  let isEnoughFound = false
  let step = SMALLEST_STEP
  // No rung made the history smaller than this, so the search starts here.
  const least = refusal.smallestTokens
  let tokens =
    least < givenTokens
      ? Math.max(least, limits.tokens + 1)
      : Math.min(limits.tokens + step, enough - 1)
  for (let round = 0; round < MOST_TRIALS && tokens < enough; round++) {
    signal?.throwIfAborted()
    const { result } = await search({ ...byExtraction(task), limits: { ...limits, tokens } })
    if (result) enough = tokens
    else tooFew = tokens
    isEnoughFound ||= result !== undefined
    if (enough === least || enough - tooFew <= Math.max(SMALLEST_STEP, enough * EXACT_SHARE)) break
    tokens = isEnoughFound ? Math.ceil((tooFew + enough) / 2) : Math.min(tooFew + step, enough - 1)
    step *= 2
  }
  // If another limit is exceeded too, no number of tokens is enough. That limit is named instead.
  const other = isEnoughFound
    ? undefined
    : findExcess(given, { ...limits, tokens: Infinity }, counter)
  return { ...refusal, smallestTokens: enough, limit: other?.of ?? refusal.limit }
}
