import { checkInvariants } from '../conversation/invariants/index.ts'
import type { Conversation } from '../conversation/message.ts'
import type { Pause } from '../conversation/steps.ts'
import { renderRecallPath } from '../conversation/summary-message.ts'
import { digest } from '../digest/digest.ts'
import { clipOlderParts, clipParts } from '../strategies/clip-parts.ts'
import type { Strategy } from '../strategies/strategy.ts'
import { topDownTruncation } from '../strategies/top-down-truncation.ts'
import { Attempts, type Climb, type ClimbRun, type Stage, type SummaryAttempt } from './attempts.ts'
import { type CarriedLedger, carryLedger } from './carry-ledger.ts'
import type { Ladder, Rung } from './ladder.ts'
import { shareRoom } from './share-room.ts'
import { SummaryWork } from './summary-work.ts'
import { holdsHistory } from './view.ts'

/**
 * Tries the ways that suffice and takes the one that keeps most; with `isRecallOptional` also
 * without a note on recall.
 */
export async function climb(
  given: Conversation,
  ladder: Ladder,
  run: ClimbRun,
  isRecallOptional: boolean,
): Promise<Climb> {
  const carry = (recall: string) =>
    carryLedger(given, { ...run, limitTokens: run.ledgerTokens, recall })
  const recall = run.recall ? renderRecallPath(run.recall) : ''
  const ledger = carry(isRecallOptional ? '' : recall)
  const ledgers = isRecallOptional && recall !== '' ? [carry(recall), ledger] : [ledger]
  const hasOthers = ladder.rungs.length > 1
  const attempts = new Attempts(run, ledger, hasOthers)
  await run.pause()
  const start = attempts.clip(
    attempts.lighten(attempts.forget({ conversation: given, taken: [] })),
    false,
  )
  await run.pause()
  const results = new Results(
    { given, base: start.conversation, mayStay: run.mayStay, pause: run.pause },
    ledgers,
    attempts,
  )
  const nothing: Climb = { result: undefined, smallest: given, taken: [] }
  const first = await results.judge(start)
  if (first && results.isReached(first)) return results.best ?? nothing
  const ground: Ground = {
    cleared: start,
    whole: start,
    mayClear: mayClearingSuffice(start.conversation, run),
  }
  // The gentlest that suffices without a summary; whether a summary keeps more is seen when it is
  // made.
  let cleared: Climb | undefined
  for (const rung of ladder.rungs) {
    run.signal?.throwIfAborted()
    await run.pause()
    // A result that fits is not made smaller by removing messages without a summary.
    const isLastResort = hasOthers && (rung.type === 'truncate' || rung.type === 'clip')
    if (isLastResort && (results.best || run.mayStay)) break
    if (rung.type === 'summarize') {
      const summarized = await summarize(rung, {
        ground,
        run,
        attempts,
        results,
        cleared,
        isFree: hasOthers,
      })
      if (summarized) return summarized
      continue
    }
    for await (const stage of takeRung(rung, ground, run, attempts, results)) {
      await run.pause()
      const fitting = await results.judge(stage)
      await run.pause()
      if (!fitting || !(isLastResort || results.isReached(fitting))) continue
      if (rung.type !== 'clear') return fitting
      cleared ??= fitting
      ground.mayClear = false
    }
  }
  // A summary that came to nothing is no part of it.
  if (cleared) run.work.startAgain()
  return (
    cleared ??
    results.best ?? { ...nothing, smallest: results.smallest ?? given, reason: attempts.reason }
  )
}

/** The start of the rungs. */
interface Ground {
  /** As the clearing rungs so far have left it. */
  cleared: Stage
  /** All that the model saw, old reasoning aside: what summaries are made of. */
  whole: Stage
  /** Whether clearing alone can be enough, and has not been yet. */
  mayClear: boolean
}

/**
 * Whether the history without a single result, image or thought would fit: otherwise nothing has to
 * be cleared to know.
 */
function mayClearingSuffice(base: Conversation, { counter, limits }: ClimbRun): boolean {
  const messages = base.messages.filter(
    ({ role, parts }) =>
      role !== 'tool' && !parts.some(({ type }) => type === 'reasoning' || type === 'image'),
  )
  return counter.countConversation({ ...base, messages }).upper <= limits.tokens
}

const LAST_SHARES = [0.8, 0.5, 0.2, 0]

interface Choice {
  readonly ground: Ground
  readonly run: ClimbRun
  readonly attempts: Attempts
  readonly results: Results
  /** What suffices without a summary. */
  readonly cleared: Climb | undefined
  /** Whether other ends than those of the strategy may stay. */
  readonly isFree: boolean
}

/**
 * The result that keeps most: `cleared`, or a summary. Extraction tries how the room is shared out
 * best, which costs nothing; another summarizer is asked once, for the best of it. Undefined where
 * it gave nothing that is small enough.
 */
async function summarize(
  { strategy, byDigest }: Rung & { type: 'summarize' },
  { ground: { whole }, run, attempts, results, cleared, isFree }: Choice,
): Promise<Climb | undefined> {
  const isModel = run.summarizer.name !== digest().name
  // Asking the same summarizer again would give the same answer.
  if (byDigest && !isModel) return undefined
  const { goal } = attempts
  const work = isModel ? new SummaryWork() : run.work
  const base = { ...noting(results, whole, strategy), work, tried: new Set<string>() }
  const room = await shareRoom({
    view: goal.viewOf(whole.conversation),
    targetTokens: goal.targetFor(whole.conversation),
    countTokens: (conversation) => run.counter.countConversation(conversation).upper,
    pins: run.pins,
    cleared,
    isFree,
    pause: run.pause,
    // A live context, which aims below its limit, goes on with a beginning that its provider has in
    // the cache.
    isHeadFixed: run.keep?.head !== undefined || run.targetTokens < run.limits.tokens,
    attempt: async (share) => {
      const stage = await attempts.summarize(strategy, whole, { ...base, ...share })
      await run.pause()
      const fitting = isModel ? await results.check(stage) : await results.judge(stage)
      return fitting && results.isReached(fitting) ? fitting : undefined
    },
  })
  if (room && !room.share) {
    run.work.startAgain()
    return room.climb
  }
  if (!isModel) return room?.climb
  const summarizer = byDigest ? digest() : run.summarizer
  const stage = await attempts.summarize(strategy, whole, {
    ...noting(results, whole, strategy),
    ...room?.share,
    summarizer,
  })
  const fitting = await results.judge(stage)
  return fitting && results.isReached(fitting) ? fitting : undefined
}

/** An attempt by extraction that notes what is left where no summary fits in. */
const noting = (results: Results, stage: Stage, strategy: Strategy): SummaryAttempt => ({
  summarizer: digest(),
  noteBare: (bare) => results.noteBare(stage, strategy.name, bare),
})

/** Results that a rung can make of the ground, best first. */
async function* takeRung(
  rung: Exclude<Rung, { type: 'summarize' }>,
  ground: Ground,
  run: ClimbRun,
  attempts: Attempts,
  results: Results,
): AsyncGenerator<Stage> {
  const { strategy } = rung
  switch (rung.type) {
    case 'clear': {
      const before = ground.cleared
      if (ground.mayClear) ground.cleared = await attempts.clear(strategy, before)
      // A history that no clearing changed does not fit now either.
      if (ground.cleared !== before) yield ground.cleared
      if (rung.isForAll) ground.whole = await attempts.clear(strategy, ground.whole, 0)
      return
    }
    case 'truncate':
      yield await attempts.drop(strategy, ground.cleared)
      return
    case 'clip': {
      // With what has to stay clipped there may be room for a summary; else for the newest
      // messages, clipped too.
      const clipped = attempts.clip(ground.whole, true)
      yield await attempts.summarize(strategy, clipped, noting(results, clipped, strategy))
      const truncated = await attempts.drop(topDownTruncation, clipped)
      yield truncated
      const least = attempts.goal.keepWhatStays(clipped.conversation)
      yield await attempts.drop(least ? clipOlderParts : clipParts, truncated)
      if (results.bare) yield results.bare
      if (least) yield attempts.advance(clipped, topDownTruncation.name, least)
      // The ledger beside it may need more room than was left.
      for (const share of LAST_SHARES) {
        const mostTokens = run.limits.tokens * share
        const newest = await attempts.drop(topDownTruncation, ground.whole, mostTokens)
        yield await attempts.drop(clipParts, newest, mostTokens)
      }
    }
  }
}

interface Start {
  readonly given: Conversation
  readonly base: Conversation
  readonly mayStay: boolean
  readonly pause: Pause
}

/** Judges what rungs made, and remembers the best of it. */
class Results {
  /** The smallest that keeps the limits; never what was given, where that may stay. */
  best: Climb | undefined
  smallest: Conversation | undefined
  /** Fits, with nothing instead of what was removed. */
  bare: Stage | undefined
  readonly #start: Start
  /** Ways in which results may mention looking things up, best first. */
  readonly #ledgers: readonly CarriedLedger[]
  readonly #attempts: Attempts

  constructor(start: Start, ledgers: readonly CarriedLedger[], attempts: Attempts) {
    this.#start = start
    this.#ledgers = ledgers
    this.#attempts = attempts
  }

  /**
   * The only way out of a climb: valid for its provider, within every limit, with something of the
   * history left, and with ledger, pins and recall read back from its text. Undefined otherwise.
   */
  async judge(stage: Stage): Promise<Climb | undefined> {
    const { goal } = this.#attempts
    const fitting = await this.check(stage, (result) => {
      if (!this.smallest || goal.isSmaller(result, this.smallest)) this.smallest = result
    })
    if (!fitting) return undefined
    const isFirst = !this.best && !this.#start.mayStay
    if (isFirst || goal.isSmaller(fitting.smallest, this.best?.smallest ?? this.#start.given))
      this.best = fitting
    return fitting
  }

  /** The same, without being remembered; `note` gets what is valid, whether or not it fits. */
  async check(
    { conversation, taken }: Stage,
    note?: (result: Conversation) => void,
  ): Promise<Climb | undefined> {
    if (!holdsHistory(conversation)) return undefined
    const { goal } = this.#attempts
    for (const ledger of this.#ledgers) {
      const result = ledger.say(conversation)
      await this.#start.pause()
      const isFitting = goal.fits(result)
      const isWanted = note && (!this.smallest || goal.isSmaller(result, this.smallest))
      if (!isFitting && !isWanted) continue
      if (!ledger.isSaidIn(result)) continue
      await this.#start.pause()
      if (checkInvariants(result).length > 0) continue
      note?.(result)
      if (isFitting) return { result, smallest: result, taken }
    }
    return undefined
  }

  /** Whether it is as small as was wished. */
  isReached({ smallest }: Climb): boolean {
    return this.#attempts.goal.reaches(smallest, this.#start.base)
  }

  /** Notes what would be left without any summary: no summary can make a result that is smaller. */
  noteBare(stage: Stage, name: string, bare: Conversation): void {
    const { goal } = this.#attempts
    if (!holdsHistory(bare) || checkInvariants(bare).length > 0) return
    if (!this.smallest || goal.isSmaller(bare, this.smallest)) this.smallest = bare
    if (goal.fits(bare)) this.bare ??= this.#attempts.advance(stage, name, bare)
  }
}
