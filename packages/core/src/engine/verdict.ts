/** Judges what an attempt made: the limits, the goal, the ledger and the rules of the provider. */
import type { Conversation } from '../conversation/message.ts'
import type { Pause } from '../conversation/steps.ts'
import type { AttemptRefusal } from './attempt-report.ts'
import type { CarriedLedger } from './carry-ledger.ts'
import type { Goal } from './goal.ts'
import type { Known } from './known.ts'
import type { Stage, TakenRung } from './ladder.ts'
import { holdsHistory } from './view.ts'

/** A result that keeps every limit and says all it has to. */
export interface Fit {
  readonly result: Conversation
  /** The rungs that led to it, in order. */
  readonly taken: readonly TakenRung[]
}

export interface Verdict {
  readonly fit?: Fit
  /** Undefined if the result is as small as the target. */
  readonly refusal?: AttemptRefusal
  /** Tokens of the result, with the ledger. */
  readonly tokens?: number
}

interface JudgeOptions {
  readonly given: Conversation
  /** The history that the size aimed at is measured by. */
  readonly base: Conversation
  /** Whether what was given keeps the limits itself, so that nothing has to come of it. */
  readonly mayStay: boolean
  /**
   * The ledgers of results, best first: with the note on recall, and without it if that is allowed.
   */
  readonly ledgers: readonly CarriedLedger[]
  readonly goal: Goal
  readonly known: Known
  readonly pause: Pause
}

/** Judges the results of one series, and remembers the best. */
export class Judge {
  /** The smallest result that keeps the limits. Never the input, if the input may stay. */
  best: Fit | undefined
  /** Fits, with nothing instead of what was removed. */
  bare: Stage | undefined
  /** Each is smaller than the one after it. Their rules are checked when one is asked for. */
  readonly #smallest: Conversation[] = []
  readonly #options: JudgeOptions

  constructor(options: JudgeOptions) {
    this.#options = options
  }

  /**
   * Every result of a search passes here. It is valid for its provider, within every limit, and
   * contains something of the history. Ledger, pins and recall are read back from its text. Nothing
   * of a trial is remembered.
   */
  async judge(stage: Stage, isTrial = false): Promise<Verdict> {
    if (!holdsHistory(stage.conversation)) return { refusal: 'no-history' }
    const { ledgers, goal, pause, base } = this.#options
    let verdict: Verdict = {}
    for (const ledger of ledgers) {
      const result = ledger.say(stage.conversation)
      await pause()
      const tokens = goal.countTokens(result)
      const isFitting = goal.fits(result)
      verdict = { refusal: 'over-limit', tokens }
      if (!isFitting && (isTrial || !this.#isSmallest(result))) continue
      verdict = { refusal: 'ledger-unsaid', tokens }
      if (!ledger.isSaidIn(result)) continue
      if (!isTrial && this.#isSmallest(result)) this.#smallest.unshift(result)
      verdict = { refusal: 'over-limit', tokens }
      if (!isFitting) continue
      await pause()
      verdict = { refusal: 'breaks-rule', tokens }
      if (this.#options.known.violationsOf(result).length > 0) continue
      const fit: Fit = { result, taken: stage.taken }
      if (!isTrial) this.#remember(fit)
      return goal.reaches(result, base) ? { fit, tokens } : { fit, tokens, refusal: 'over-target' }
    }
    return verdict
  }

  /** The smallest that says all it has to and breaks no rule: a refusal speaks of it. */
  get smallest(): Conversation | undefined {
    return this.#smallest.find((result) => this.#options.known.violationsOf(result).length === 0)
  }

  /** Notes what would be left without any summary: no summary can make a result that is smaller. */
  noteBare(stage: Stage, name: string, bare: Conversation): void {
    const { goal, known } = this.#options
    if (!holdsHistory(bare) || known.violationsOf(bare).length > 0) return
    if (this.#isSmallest(bare)) this.#smallest.unshift(bare)
    const before = stage.conversation
    if (goal.fits(bare))
      this.bare ??= {
        conversation: bare,
        taken: [...stage.taken, { name, before, after: bare }],
      }
  }

  #isSmallest(result: Conversation): boolean {
    const [smallest] = this.#smallest
    return !smallest || this.#options.goal.isSmaller(result, smallest)
  }

  #remember(fit: Fit): void {
    const { goal, given, mayStay } = this.#options
    const isFirst = !this.best && !mayStay
    if (isFirst || goal.isSmaller(fit.result, this.best?.result ?? given)) this.best = fit
  }
}
