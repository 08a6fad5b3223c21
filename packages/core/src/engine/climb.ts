import { checkInvariants } from '../conversation/invariants/index.ts'
import type { Conversation } from '../conversation/message.ts'
import { renderRecallPath } from '../conversation/summary-message.ts'
import { digest } from '../digest/digest.ts'
import { clipOlderParts, clipParts } from '../strategies/clip-parts.ts'
import type { NoopReason } from '../strategies/strategy.ts'
import { topDownTruncation } from '../strategies/top-down-truncation.ts'
import { Attempts, type ClimbRun, type Stage } from './attempts.ts'
import { type CarriedLedger, carryLedger } from './carry-ledger.ts'
import type { Ladder, Rung, TakenRung } from './ladder.ts'
import { holdsHistory } from './view.ts'

export interface Climb {
  /** Keeps the limits and says all it has to; undefined when no rung got there. */
  readonly result: Conversation | undefined
  /** The smallest that any rung made and that says all it has to: a refusal speaks of it. */
  readonly smallest: Conversation
  /** The rungs that led to the result, in order. */
  readonly taken: readonly TakenRung[]
  /** Why the last strategy that was asked changed nothing; undefined when it did. */
  readonly reason?: NoopReason
}

/** Takes rung after rung until the limits are kept; with `isRecallOptional` also without a note on recall. */
export async function climb(
  given: Conversation,
  ladder: Ladder,
  run: ClimbRun,
  isRecallOptional: boolean,
): Promise<Climb> {
  const carry = (recall: string) => carryLedger(given, { ...run, limitTokens: run.ledgerTokens, recall })
  const recall = run.recall ? renderRecallPath(run.recall) : ''
  const ledger = carry(isRecallOptional ? '' : recall)
  const ledgers = isRecallOptional && recall !== '' ? [carry(recall), ledger] : [ledger]
  const hasOthers = ladder.rungs.length > 1
  const attempts = new Attempts(run, ledger, hasOthers)
  const start = attempts.clip(attempts.lighten({ conversation: given, taken: [] }), false)
  const results = new Results({ given, base: start.conversation, mayStay: run.mayStay }, ledgers, attempts)
  const nothing: Climb = { result: undefined, smallest: given, taken: [] }
  const first = results.judge(start)
  if (first && results.isReached(first)) return results.best ?? nothing
  const ground: Ground = { cleared: start, whole: start, mayClear: mayClearingSuffice(start.conversation, run) }
  for (const rung of ladder.rungs) {
    run.signal?.throwIfAborted()
    // A result that fits is not made smaller by removing messages without a summary.
    const isLastResort = hasOthers && (rung.type === 'truncate' || rung.type === 'clip')
    if (isLastResort && (results.best || run.mayStay)) break
    for await (const stage of takeRung(rung, ground, run, attempts, results)) {
      const fitting = results.judge(stage)
      if (fitting && (isLastResort || results.isReached(fitting))) return fitting
    }
  }
  return results.best ?? { ...nothing, smallest: results.smallest ?? given, reason: attempts.reason }
}

/** The start of the rungs. */
interface Ground {
  /** As the clearing rungs so far have left it. */
  cleared: Stage
  /** All that the model saw, old reasoning aside: what summaries are made of. */
  whole: Stage
  /** Whether clearing alone can be enough. */
  readonly mayClear: boolean
}

/** Whether the history without a single result, image or thought would fit: otherwise nothing has to be cleared to know. */
function mayClearingSuffice(base: Conversation, { counter, limits }: ClimbRun): boolean {
  const messages = base.messages.filter(
    ({ role, parts }) => role !== 'tool' && !parts.some(({ type }) => type === 'reasoning' || type === 'image'),
  )
  return counter.countConversation({ ...base, messages }).upper <= limits.tokens
}

const LAST_SHARES = [0.8, 0.5, 0.2, 0]

/** Results that a rung can make of the ground, best first. */
async function* takeRung(
  rung: Rung,
  ground: Ground,
  run: ClimbRun,
  attempts: Attempts,
  results: Results,
): AsyncGenerator<Stage> {
  const { strategy } = rung
  const summarize = (stage: Stage, summarizer = digest()) =>
    attempts.summarize(strategy, stage, summarizer, (bare) => results.noteBare(stage, strategy.name, bare))
  switch (rung.type) {
    case 'clear': {
      const before = ground.cleared
      if (ground.mayClear) ground.cleared = attempts.clear(strategy, before)
      // A history that no clearing changed does not fit now either.
      if (ground.cleared !== before) yield ground.cleared
      if (rung.isForAll) ground.whole = attempts.clear(strategy, ground.whole, 0)
      return
    }
    case 'summarize':
      if (!rung.byDigest) yield await summarize(ground.whole, run.summarizer)
      // Asking the same summarizer again would give the same answer.
      else if (run.summarizer.name !== digest().name) yield await summarize(ground.whole)
      return
    case 'truncate':
      yield attempts.drop(strategy, ground.cleared)
      return
    case 'clip': {
      // With what has to stay clipped there may be room for a summary; else for the newest messages, clipped too.
      const clipped = attempts.clip(ground.whole, true)
      yield await summarize(clipped)
      const truncated = attempts.drop(topDownTruncation, clipped)
      yield truncated
      const least = attempts.goal.keepWhatStays(clipped.conversation)
      yield attempts.drop(least ? clipOlderParts : clipParts, truncated)
      if (results.bare) yield results.bare
      if (least) yield attempts.advance(clipped, topDownTruncation.name, least)
      // The ledger beside it may need more room than was left.
      for (const share of LAST_SHARES) {
        const mostTokens = run.limits.tokens * share
        yield attempts.drop(clipParts, attempts.drop(topDownTruncation, ground.whole, mostTokens), mostTokens)
      }
    }
  }
}

interface Start {
  readonly given: Conversation
  readonly base: Conversation
  readonly mayStay: boolean
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
   * The only way out of a climb: valid for its provider, within every limit, with something of the history left, and with
   * ledger, pins and recall read back from its text. Undefined otherwise.
   */
  judge({ conversation, taken }: Stage): Climb | undefined {
    if (!holdsHistory(conversation)) return undefined
    const { goal } = this.#attempts
    for (const ledger of this.#ledgers) {
      const result = ledger.say(conversation)
      const isFitting = goal.fits(result)
      const isSmallest = !this.smallest || goal.isSmaller(result, this.smallest)
      if (!isFitting && !isSmallest) continue
      if (!ledger.isSaidIn(result) || checkInvariants(result).length > 0) continue
      if (isSmallest) this.smallest = result
      if (!isFitting) continue
      const isFirst = !this.best && !this.#start.mayStay
      const fitting = { result, smallest: result, taken }
      if (isFirst || goal.isSmaller(result, this.best?.smallest ?? this.#start.given)) this.best = fitting
      return fitting
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
