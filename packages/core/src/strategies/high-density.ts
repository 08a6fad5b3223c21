import { clearResult, findResult } from './clear-result.ts'
import { findBeyondNewest } from './high-density/beyond-newest.ts'
import { findDuplicateResults } from './high-density/duplicate-results.ts'
import { findRepeatedInclusions } from './high-density/file-inclusions.ts'
import { findStaleReads } from './high-density/stale-reads.ts'
import { findUnsettled } from './newest-answer.ts'
import { type Clearing, planClearings } from './part-changes.ts'
import { createPartSizes, weighPart } from './part-sizes.ts'
import type { CallView, Strategy, StrategyView } from './strategy.ts'
import { LONGEST_STUB, renderStub, textPart } from './stub.ts'

export interface HighDensityOptions {
  /** How many results of each tool stay, the newest ones; `Infinity` clears none for its age. 3 by default (llxprt-code). */
  readonly keepResults?: number
  /** Whether reads go when a later write changed all of their files; they do by default. */
  readonly clearsStaleReads?: boolean
  /** Whether results and inclusions of files go that are repeated later; they do by default. */
  readonly clearsDuplicates?: boolean
}

/**
 * Clears what is said again later, or no longer true. Repeated results and inclusions go first, because nothing is lost
 * with them; then reads that a later write made stale; then results beyond the newest of their tool. Each time the oldest
 * first, as far as needed. Source: llxprt-code, whose version takes a failed write for a write.
 * Throws `RangeError` when `keepResults` counts nothing.
 */
export function createHighDensity(options: HighDensityOptions = {}): Strategy {
  const keepResults = options.keepResults ?? 3
  if (!(keepResults >= 0)) {
    throw new RangeError(`Planning with keepResults ${keepResults}: give a whole number, 0 or more, or Infinity.`)
  }
  return {
    name: 'high-density',
    summarizes: false,
    plan: (view, strategyOptions) =>
      planClearings(view, strategyOptions, () => findClearings(view, { ...options, keepResults })),
  }
}

/** With a floor of three results of each tool. */
export const highDensity = createHighDensity()

function* findClearings(
  view: StrategyView,
  {
    keepResults,
    clearsStaleReads = true,
    clearsDuplicates = true,
  }: HighDensityOptions & { readonly keepResults: number },
): Generator<Clearing> {
  const sizes = createPartSizes(view)
  const unsettled = findUnsettled(view)
  const settled = new Set(view.calls.filter((call) => call.message < unsettled && isLong(view, call)))
  const clear = function* (calls: Iterable<CallView>, reason: (call: CallView) => string): Generator<Clearing> {
    for (const call of calls) {
      if (!settled.delete(call)) continue
      const clearing = clearResult(view, sizes, call, [textPart(renderStub(call, reason(call)))])
      if (clearing) yield clearing
    }
  }
  if (clearsDuplicates) {
    const duplicates = findDuplicateResults(view)
    yield* clear(duplicates.keys(), (call) => duplicates.get(call) ?? '')
    yield* findRepeatedInclusions(view, unsettled)
  }
  if (clearsStaleReads) yield* clear(findStaleReads(view.calls), () => 'superseded by a later edit')
  yield* clear(findBeyondNewest([...settled], keepResults), () => 'cleared, newer results of this tool follow')
}

/** A shorter result is left alone: a stub would save little, and is one itself. */
function isLong(view: StrategyView, call: CallView): boolean {
  const output = findResult(view, call)?.output ?? []
  return output.reduce((sum, part) => sum + weighPart(part), 0) > LONGEST_STUB
}
