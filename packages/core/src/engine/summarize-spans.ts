/** Replaces spans of a history by summaries, so that the result is small enough. */
import { apply } from '../conversation/apply.ts'
import type { Edit, SummarizeEdit } from '../conversation/edit.ts'
import type { Conversation } from '../conversation/message.ts'
import { digest } from '../digest/digest.ts'
import type { Keep, NoopReason, Strategy, StrategyOptions } from '../strategies/strategy.ts'
import type { Summarizer } from '../summarizers/summarizer.ts'
import { attempt, isSummarizeEdit, toBare, widen } from './attempt.ts'
import type { CarriedLedger } from './carry-ledger.ts'
import { type Goal, type GoalOptions, tighten } from './goal.ts'
import type { Stage } from './ladder.ts'
import type { Excess } from './limits.ts'
import type { EngineRun } from './options.ts'
import { OWN_SHARE, type RoomShare } from './share-room.ts'
import { SummaryWork } from './summary-work.ts'

/** A run, and what its results are held against. */
export interface SearchRun extends EngineRun, GoalOptions {
  readonly keep?: StrategyOptions['keep']
}

/** What a summary was made from, and the stage that it led to. */
export interface Summarized {
  /** The given stage if there is no summary, or none that makes it smaller. */
  readonly stage: Stage
  readonly spans: readonly SummarizeEdit[]
  /** What is left if no summary fit. */
  readonly bare: readonly Conversation[]
  /** Why the strategy summarizes nothing. Undefined if it does. */
  readonly noop: NoopReason | undefined
}

interface SummarizerOptions {
  readonly goal: Goal
  readonly run: SearchRun
  readonly ledger: CarriedLedger
  /** Ends that the host asked to keep may give way, because there is more than one rung. */
  readonly mayRelax: boolean
}

interface SummaryChoice {
  readonly strategy: Strategy
  readonly summarizer: Summarizer
  readonly share?: RoomShare
  /** A trial is not heard of, and no part of the price. */
  readonly isTrial?: boolean
  readonly isQuiet?: boolean
}

const MOST_ROUNDS = 4
const TIGHTER = 0.7

export class SpanSummarizer {
  readonly #options: SummarizerOptions

  constructor(options: SummarizerOptions) {
    this.#options = options
  }

  /** The spans that a strategy would have summarized at first. */
  plan(
    strategy: Strategy,
    { conversation }: Stage,
    share: RoomShare,
  ): readonly SummarizeEdit[] | undefined {
    const { goal, ledger } = this.#options
    const targetTokens = goal.targetFor(conversation) - ledger.reserveTokens
    const plan = strategy.plan(goal.viewOf(conversation), this.#optionsOf(targetTokens, share))
    if ('noop' in plan) return undefined
    return plan.edits.map((edit) => widen(edit, ledger.reserveTokens)).filter(isSummarizeEdit)
  }

  async summarize(
    stage: Stage,
    { strategy, summarizer, share = OWN_SHARE, isTrial = false, isQuiet = false }: SummaryChoice,
  ): Promise<Summarized> {
    const { goal, run, ledger, mayRelax } = this.#options
    const { reserveTokens } = ledger
    const base = stage.conversation
    const work = isTrial ? new SummaryWork() : run.work
    const quiet = isQuiet && { onProgress: undefined }
    const attemptRun = { ...run, summarizer, work, ledger, ...quiet }
    const { asked } = work
    const bare: Conversation[] = []
    let targetTokens = goal.targetFor(base)
    // A tail that leaves no space for a summary is too long. No attempt is needed to know that.
    const isOwn = share.tailTokens === 0 && !share.withoutHead
    const rounds = isOwn ? MOST_ROUNDS : 1
    // Without other rungs, ends that are shares of the space are removed last.
    const lastRound = mayRelax || !isOwn ? rounds : rounds + 1
    let spans: readonly SummarizeEdit[] = []
    let noop: NoopReason | undefined
    for (let round = 0; round < lastRound; round++) {
      const isLeast = round === MOST_ROUNDS
      if (isLeast) targetTokens = goal.targetFor(base)
      work.startAgain()
      // The ledger gets its space before the kept ends are measured.
      const options = this.#optionsOf(targetTokens - reserveTokens, share, round > 0, isLeast)
      const change = (plan: readonly Edit[]) => plan.map((edit) => widen(edit, reserveTokens))
      const made = await attempt(strategy, { view: goal.viewOf(base), options, change }, attemptRun)
      noop = made.noop
      if (!noop) spans = made.planned.filter(isSummarizeEdit)
      if (made.edits && made.conversation) {
        const excess = goal.findExcess(made.conversation)
        if (excess?.of === 'tokens' && spans.length > 0) work.reject(explain(summarizer, excess))
        // Only a limit in bytes can be missed by a summary that keeps to its tokens.
        if (excess?.of !== 'bytes') {
          const next = goal.advance(stage, strategy.name, made.conversation)
          return { stage: next, spans, bare, noop }
        }
        targetTokens = tighten(targetTokens, excess)
        continue
      }
      if (!noop) {
        bare.push(ledger.say(apply(base, made.planned.flatMap(toBare))))
        // A model that came to nothing is not paid again for a little less.
        if (work.asked > asked && summarizer.name !== digest().name) break
      }
      // Smaller ends may leave space for a summary between them.
      targetTokens = Math.floor(targetTokens * TIGHTER)
    }
    return { stage, spans, bare, noop }
  }

  #optionsOf(
    targetTokens: number,
    { tailTokens, withoutHead }: RoomShare,
    isRetry = false,
    isLeast = false,
  ): StrategyOptions {
    const { run, mayRelax } = this.#options
    // Requested ends give way if they leave no space for anything else.
    const asked = isRetry && mayRelax ? undefined : run.keep
    const keep = isLeast ? withoutShares(asked) : withoutHead ? { ...asked, head: NOTHING } : asked
    return { targetTokens, keep, tailTokens, limits: run.limits }
  }
}

const explain = ({ name }: Summarizer, { amount, limit }: Excess): string =>
  `Summarizing with "${name}": with its summary the result has ${amount} tokens of ${limit}.`

const NOTHING: Keep = { tokens: 0 }

/**
 * The ends that have to stay even in the smallest space: no head, and no tail that is a share of
 * the space.
 */
function withoutShares(keep: StrategyOptions['keep']): StrategyOptions['keep'] {
  const tail = keep?.tail ?? NOTHING
  return { head: NOTHING, tail: 'fraction' in tail && tail.of !== 'messages' ? NOTHING : tail }
}
