/**
 * Makes a history fit: one walk over the attempts of the plan, from gentle to strong, until one
 * has a result that keeps every limit and is as small as the target.
 *
 *     plan-attempts ──► attempts, as data
 *                          │ make-stage, summarize-spans      a stage: the history after one
 *                          ▼
 *                       verdict              fits, or the reason why it is refused
 *                          │
 *                          ▼
 *       taken, or the next attempt. If several may be taken, the one that loses the fewest facts
 */
import type { Conversation } from '../conversation/message.ts'
import { digest } from '../digest/digest.ts'
import type { NoopReason } from '../strategies/strategy.ts'
import type { Summarizer } from '../summarizers/summarizer.ts'
import type { AttemptReport } from './attempt-report.ts'
import { chooseParts } from './choose-parts.ts'
import type { Stage, TakenRung } from './ladder.ts'
import {
  hasLedgerRoom,
  mayStay,
  type OpenSeries,
  openRoom,
  openSeries,
  type SearchTask,
} from './open-series.ts'
import { type Attempt, planAttempts, type Series, type Step } from './plan-attempts.ts'
import { OWN_SHARE } from './share-room.ts'
import type { Fit, Verdict } from './verdict.ts'
import { keepsRequest, once } from './view.ts'
import { withoutCompaction } from './without-compaction.ts'

export interface Found {
  /** Keeps the limits and contains everything it has to. Undefined if no attempt achieved that. */
  readonly result: Conversation | undefined
  /** The smallest that any attempt made and that says all it has to: a refusal speaks of it. */
  readonly smallest: Conversation
  /** The rungs that led to the result, in order. */
  readonly taken: readonly TakenRung[]
  /** Why the last strategy changed nothing. Undefined if it did. */
  readonly reason?: NoopReason
  readonly attempts: readonly AttemptReport[]
}

// Most searches make fewer than ten attempts. After this many, only the series with the smallest
// parts are tried, so that the limit refuses nothing that would fit.
const MOST_ATTEMPTS = 400

export async function search(task: SearchTask, mostAttempts = MOST_ATTEMPTS): Promise<Found> {
  const walk = new Search(task)
  const { run, repaired, ladder, limits } = task
  const goalTokens = Math.min(limits.tokens, run.targetTokens ?? limits.tokens)
  const attempts = planAttempts({
    ladderOf: (keptShare) => chooseParts(ladder, run, keptShare, goalTokens),
    isModel: isModel(run.summarizer),
    hasCompaction: withoutCompaction(repaired) !== repaired,
    hasChoices: (run.keepPaths ?? []).length + (run.keepTurns ?? []).length > 0,
    hasRecall: run.recall !== undefined,
  })
  const last = attempts.at(-1)?.series
  for (const attempt of attempts) {
    if (walk.count >= mostAttempts && !isAsStrong(attempt.series, last)) continue
    if (!walk.isWanted(attempt)) continue
    run.signal?.throwIfAborted()
    await run.pause()
    await walk.make(attempt)
  }
  return walk.end()
}

/** Whether only the ledger has more space than in the last series. */
const isAsStrong = (series: Series, last: Series | undefined): boolean =>
  series.keepsCompaction === last?.keepsCompaction &&
  series.keptShare === last.keptShare &&
  series.mayOmitRecall === last.mayOmitRecall

const isModel = ({ name }: Summarizer): boolean => name !== digest().name

interface Report extends AttemptReport {
  readonly fit?: Fit
}

interface Taken {
  readonly fit: Fit
  readonly series: Series
  /** Whether the last request is in it as it was. */
  readonly hasRequest: boolean
}

/** Makes the attempts that can still lead to a better result, and takes the best. */
class Search {
  /** Attempts that were made. */
  count = 0
  readonly #task: SearchTask
  readonly #reports: Report[] = []
  readonly #withoutCompaction: () => Conversation
  #open: OpenSeries | undefined
  #taken: Taken | undefined
  /** Attempts of finished series, each with the reason of the one that made it. */
  #smallest: { readonly result: Conversation; readonly reason?: NoopReason } | undefined

  constructor(task: SearchTask) {
    this.#task = task
    this.#withoutCompaction = once(() => withoutCompaction(task.repaired))
  }

  end(): Found {
    this.#close()
    const fit = this.#taken?.fit
    const attempts = this.#reports.map(({ fit: own, refusal = 'loses-more', ...report }) =>
      own !== undefined && own === fit ? report : { ...report, refusal },
    )
    const { result, reason } = this.#smallest ?? { result: this.#task.repaired }
    return fit
      ? { result: fit.result, smallest: fit.result, taken: fit.taken, attempts }
      : { result: undefined, smallest: result, taken: [], reason, attempts }
  }

  isWanted({ series, isLastResort }: Attempt): boolean {
    if (series !== this.#open?.series) return this.#isSeriesWanted(series)
    if (this.#open.isOver) return false
    // A result that fits is not made smaller by removing messages without a summary.
    return !isLastResort || !mayStay(this.#task)
  }

  #isSeriesWanted(series: Series): boolean {
    const { run } = this.#task
    const taken = this.#taken
    if (taken) {
      // A shorter ledger may leave space for the last request.
      const isForRequest = series.ledgerRoom === 'last-request' && !series.mayOmitRecall
      const isAlike =
        series.keepsCompaction === taken.series.keepsCompaction &&
        series.keptShare === taken.series.keptShare
      if (taken.hasRequest || !isForRequest || !isAlike) return false
    }
    if (!series.keepsCompaction && mayStay(this.#task)) return false
    if (series.ledgerRoom === 'all-that-stays') return true
    // A model is paid once.
    const isModelAsked = run.work.asked > 0 && isModel(run.summarizer)
    return !isModelAsked && hasLedgerRoom(this.#task, series, this.#historyOf(series))
  }

  async make(attempt: Attempt): Promise<void> {
    if (this.#open?.series !== attempt.series) {
      this.#close()
      this.#open = await openSeries(this.#task, attempt.series, this.#historyOf(attempt.series))
    }
    const open = this.#open
    if (attempt.type === 'settle') return await this.#settle(open)
    if (attempt.type === 'summarize' && attempt.from === 'whole')
      return await this.#shareRoom(open, attempt)
    this.count++
    const stage = await makeStage(open, attempt)
    if (!stage) {
      this.#reports.push({ name: nameOf(attempt), refusal: 'changed-nothing' })
      return
    }
    const verdict = await open.judge.judge(stage)
    this.#note(nameOf(attempt), verdict)
    const { fit, refusal } = verdict
    if (!fit || (refusal !== undefined && !attempt.isLastResort)) return
    if (attempt.type === 'keep' && attempt.from === 'start') {
      open.isOver = true
      if (open.judge.best) this.#take(open, open.judge.best)
    } else if (attempt.type === 'clear' || attempt.type === 'keep') {
      open.cleared.push(fit)
      open.maker.endClearing()
    } else this.#take(open, fit)
  }

  /** A summary next to a tail. */
  async #shareRoom(open: OpenSeries, step: Step & { type: 'summarize' }): Promise<void> {
    const { maker, summaries, judge, run } = open
    const whole = await maker.stageOf('whole')
    open.room ??= openRoom(open, step.strategy, whole)
    const best = step.tail === 'best' ? await open.room.best() : undefined
    // A model is not asked if clearing loses less.
    if (best && !best.share) return await this.#settle(open)
    const share = step.tail === 'next' ? await open.room.next() : (best?.share ?? OWN_SHARE)
    if (!share) return
    this.count++
    const summarizer = step.by === 'digest' ? digest() : run.summarizer
    const { isTrial } = step
    const made = await summaries.summarize(whole, {
      strategy: step.strategy,
      summarizer,
      share,
      isTrial,
      // If several tails are tried, only the first one is reported as a step.
      isQuiet: step.tail === 'next',
    })
    maker.reason = made.noop
    for (const bare of made.bare) judge.noteBare(whole, step.strategy.name, bare)
    await run.pause()
    const verdict = await judge.judge(made.stage, isTrial)
    const said = made.stage === whole ? noSummary(verdict) : verdict
    const { tokensBefore } = maker.goal.viewOf(whole.conversation)
    const tailStart = made.spans.at(-1)?.end
    this.#note(step.strategy.name, said, {
      ...(tailStart !== undefined && {
        tailTokens: tokensBefore.at(-1)! - tokensBefore[tailStart]!,
      }),
      ...(share.withoutHead && { withoutHead: true }),
    })
    const { fit, refusal } = verdict
    if (!fit || refusal !== undefined) open.room.pass(made.spans)
    else if (step.tail === 'best') this.#take(open, fit)
    else open.room.note(fit, share, made.spans, isTrial)
  }

  /** Takes the best of what fits, if anything does. */
  async #settle(open: OpenSeries): Promise<void> {
    const { cleared, judge } = open
    const best = await open.room?.best(false)
    const fit = best?.fit ?? cleared[0]
    // A failed summary is not part of it.
    if (fit && !best?.share) open.run.work.startAgain()
    const taken = fit ?? judge.best
    if (taken) this.#take(open, taken)
  }

  #take(open: OpenSeries, fit: Fit): void {
    const { series, history } = open
    const hasRequest = keepsRequest(history, fit.result)
    open.isOver = true
    if (!this.#taken || hasRequest) this.#taken = { fit, series, hasRequest }
  }

  #note(name: string, { fit, refusal, tokens }: Verdict, ends?: Partial<AttemptReport>): void {
    this.#reports.push({ name, ...ends, tokens, refusal, fit })
  }

  /** Remembers the smallest of the series that is over. */
  #close(): void {
    const { counter } = this.#task.run
    const count = (conversation: Conversation) => counter.countConversation(conversation).upper
    if (!this.#open || this.#taken) return
    const { judge, maker, history } = this.#open
    const result = judge.smallest ?? history
    if (!this.#smallest || count(result) < count(this.#smallest.result))
      this.#smallest = { result, reason: maker.reason }
  }

  #historyOf({ keepsCompaction }: Series): Conversation {
    return keepsCompaction ? this.#task.repaired : this.#withoutCompaction()
  }
}

/** Undefined if it fails. */
async function makeStage(
  { maker, summaries, judge, run }: OpenSeries,
  step: Exclude<Step, { type: 'settle' }>,
): Promise<Stage | undefined> {
  switch (step.type) {
    case 'keep': {
      const whole = await maker.stageOf('whole')
      if (step.from === 'start') return maker.start
      return whole === maker.start ? undefined : whole
    }
    case 'clear':
      return await maker.clear(step)
    case 'drop':
      return await maker.drop(step)
    case 'leave-bare':
      return judge.bare
    case 'keep-least':
      return await maker.keepLeast()
    case 'summarize': {
      const stage = await maker.stageOf(step.from)
      const { strategy } = step
      const made = await summaries.summarize(stage, { strategy, summarizer: run.summarizer })
      maker.reason = made.noop
      for (const bare of made.bare) judge.noteBare(stage, strategy.name, bare)
      return made.stage
    }
  }
}

const noSummary = (verdict: Verdict): Verdict =>
  verdict.refusal === 'over-limit' ? { ...verdict, refusal: 'no-summary' } : verdict

function nameOf(step: Step): string {
  if (step.type === 'clear' || step.type === 'summarize') return step.strategy.name
  if (step.type !== 'drop') return step.type
  const names = step.strategies.map((strategy) =>
    strategy === 'clip-rest' ? strategy : strategy.name,
  )
  return names.join(', ')
}
