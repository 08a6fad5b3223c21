/** Single steps of a climb: one strategy applied to one history. */
import { apply } from '../conversation/apply.ts'
import { type AppliedEdit, type Edit, isApplied } from '../conversation/edit.ts'
import { withoutWordsBefore } from '../conversation/forgotten.ts'
import type { Conversation } from '../conversation/message.ts'
import { inSteps } from '../conversation/steps.ts'
import { digest } from '../digest/digest.ts'
import { clearImages } from '../strategies/clear-images.ts'
import { clipParts } from '../strategies/clip-parts.ts'
import type { Keep, NoopReason, Strategy, StrategyOptions } from '../strategies/strategy.ts'
import type { Summarizer } from '../summarizers/summarizer.ts'
import type { CarriedLedger } from './carry-ledger.ts'
import { fulfil } from './fulfil.ts'
import { Goal, type GoalOptions, tighten } from './goal.ts'
import type { TakenRung } from './ladder.ts'
import { lighten } from './lighten.ts'
import type { EngineRun } from './options.ts'
import type { SummaryWork } from './summary-work.ts'
import { assertValid } from './view.ts'

/** A run, and what its results are held against. */
export interface ClimbRun extends EngineRun, GoalOptions {
  readonly keep?: StrategyOptions['keep']
  /** Whether what was given keeps the limits itself, so that nothing has to come of it. */
  readonly mayStay: boolean
}

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

/** A history on its way through a ladder. */
export interface Stage {
  readonly conversation: Conversation
  readonly taken: readonly TakenRung[]
}

/** How much of a history stays beside its summary. */
export interface RoomShare {
  /**
   * At least so many tokens at the end stay, where that leaves room for a summary; 0 for what the
   * strategy keeps by itself.
   */
  readonly tailTokens: number
  /** Whether the beginning is summarized too. */
  readonly withoutHead?: boolean
}

export interface SummaryAttempt extends Partial<RoomShare> {
  readonly summarizer: Summarizer
  /** Spans that were summarized before: they are not tried again. */
  readonly tried?: Set<string>
  /** Where it is noted that a summarizer was asked; the run's own by default. */
  readonly work?: SummaryWork
  /** Gets what is left where no summary fits in. */
  readonly noteBare: (bare: Conversation) => void
}

const MOST_ROUNDS = 4
const TIGHTER = 0.7

/** Each gives the next stage, or the same one where it made nothing smaller. */
export class Attempts {
  readonly goal: Goal
  readonly #run: ClimbRun
  readonly #ledger: CarriedLedger
  readonly #mayRelax: boolean
  /** Why the last strategy that was asked changed nothing; undefined when it did. */
  reason: NoopReason | undefined

  /**
   * `mayRelax`: ends that the host asked to keep may give way, because there is more than one rung.
   */
  constructor(run: ClimbRun, ledger: CarriedLedger, mayRelax: boolean) {
    this.goal = new Goal(run, ledger)
    this.#run = run
    this.#ledger = ledger
    this.#mayRelax = mayRelax
  }

  /**
   * Without what was said before a compaction of the provider: the ledger says it again behind
   * that.
   */
  forget(stage: Stage): Stage {
    return { ...stage, conversation: withoutWordsBefore(stage.conversation) }
  }

  /**
   * Without images and files beyond their own limits: nothing else makes room for them. A line may
   * be longer than an icon.
   */
  lighten(stage: Stage): Stage {
    const before = stage.conversation
    const after = lighten(before, this.#run.limits, this.#run.counter)
    return after === before
      ? stage
      : { conversation: after, taken: [...stage.taken, { name: clearImages.name, before, after }] }
  }

  clip(stage: Stage, mayClipRequest: boolean): Stage {
    return this.advance(stage, clipParts.name, this.goal.clip(stage.conversation, mayClipRequest))
  }

  /**
   * Changes what needs no summarizer and drops no message; the ledger is added when that suffices.
   */
  async clear(
    strategy: Strategy,
    stage: Stage,
    target = this.goal.targetFor(stage.conversation),
  ): Promise<Stage> {
    const edits = await this.#plan(strategy, stage.conversation, target - this.#ledger.pinnedTokens)
    if (!edits) return stage
    const result = apply(stage.conversation, edits.filter(isApplied))
    assertValid(result, strategy)
    return this.advance(stage, strategy.name, result)
  }

  /**
   * Applies edits that need no summarizer; the ledger is put where the first message was dropped.
   */
  async drop(strategy: Strategy, stage: Stage, mostTokens = Infinity): Promise<Stage> {
    const base = stage.conversation
    let targetTokens = Math.min(this.goal.targetFor(base), mostTokens)
    let result: Conversation | undefined
    // A ledger takes room, and so more may have to go, which may add to the ledger; at last all
    // that may go goes.
    for (let round = 0; round <= MOST_ROUNDS; round++) {
      if (round === MOST_ROUNDS && result && this.goal.fits(result)) break
      const edits = (
        await this.#plan(strategy, base, round < MOST_ROUNDS ? targetTokens : 0)
      )?.filter(isApplied)
      if (!edits && this.reason !== 'already-under-target') break
      const tried = this.#ledger.say(
        apply(base, edits ?? []),
        edits?.find(({ type }) => type === 'drop')?.start,
      )
      assertValid(tried, strategy)
      if (!result || this.goal.isSmaller(tried, result)) result = tried
      const excess = this.goal.findMiss(tried, base)
      if (!excess) break
      if (!edits) targetTokens -= this.#ledger.reserveTokens
      else if (excess.of === 'tokens')
        targetTokens = Math.max(targetTokens - (excess.amount - excess.limit), 0)
      else targetTokens = tighten(targetTokens, excess)
    }
    return this.advance(stage, strategy.name, result)
  }

  /** Replaces a span by a summary. */
  async summarize(
    strategy: Strategy,
    stage: Stage,
    { summarizer, tailTokens, withoutHead, tried, work = this.#run.work, noteBare }: SummaryAttempt,
  ): Promise<Stage> {
    // Of several trials only the first is a step that is heard of.
    const onProgress = tried && tried.size > 0 ? undefined : this.#run.onProgress
    const base = stage.conversation
    const { reserveTokens } = this.#ledger
    const asked = work.asked
    let targetTokens = this.goal.targetFor(base)
    // A tail that leaves no room for a summary is too long; nothing else has to be tried to know.
    const rounds = tailTokens || withoutHead ? 1 : MOST_ROUNDS
    // Without other rungs ends that are shares of the room go at last.
    const lastRound = this.#mayRelax || rounds === 1 ? rounds : rounds + 1
    for (let round = 0; round < lastRound; round++) {
      const isLeast = round === MOST_ROUNDS
      if (isLeast) targetTokens = this.goal.targetFor(base)
      // The ledger has its room before the ends that stay are measured.
      const plan = await this.#plan(strategy, base, targetTokens - reserveTokens, {
        isRetry: round > 0,
        isLeast,
        tailTokens,
        withoutHead,
      })
      // With less for the ends there may be room for a summary between them.
      if (!plan) {
        targetTokens = Math.floor(targetTokens * TIGHTER)
        continue
      }
      const edits = plan.map((edit) =>
        edit.type === 'summarize'
          ? { ...edit, targetTokens: edit.targetTokens + reserveTokens }
          : edit,
      )
      const span = edits.map(({ start, end }) => `${start} ${end}`).join(', ')
      if (round === 0 && tried?.has(span)) return stage
      if (round === 0) tried?.add(span)
      work.startAgain()
      onProgress?.('summarize')
      await this.#run.pause()
      const fulfilled = await fulfil(base, edits, {
        ...this.#run,
        summarizer,
        work,
        onProgress,
        ledger: this.#ledger,
      })
      if (!fulfilled) {
        noteBare(this.#ledger.say(apply(base, edits.flatMap(toBare))))
        // A model that came to nothing is not paid again for a little less.
        if (work.asked > asked && summarizer.name !== digest().name) return stage
        targetTokens = Math.floor(targetTokens * TIGHTER)
        continue
      }
      await this.#run.pause()
      const result = apply(base, fulfilled)
      assertValid(result, strategy)
      const excess = this.goal.findExcess(result)
      if (excess?.of === 'tokens' && edits.some(({ type }) => type === 'summarize')) {
        const found = `${excess.amount} tokens of ${excess.limit}`
        work.reject(
          `Summarizing with "${summarizer.name}": with its summary the result has ${found}.`,
        )
      }
      // Only a limit in bytes can be missed by a summary that keeps to its tokens.
      if (excess?.of !== 'bytes') return this.advance(stage, strategy.name, result)
      targetTokens = tighten(targetTokens, excess)
    }
    return stage
  }

  /** One rung further, or the same stage when the rung made nothing smaller. */
  advance(stage: Stage, name: string, after: Conversation | undefined): Stage {
    const before = stage.conversation
    if (!after || !this.goal.isSmaller(after, before)) return stage
    return { conversation: after, taken: [...stage.taken, { name, before, after }] }
  }

  async #plan(
    strategy: Strategy,
    base: Conversation,
    targetTokens: number,
    { isRetry = false, isLeast = false, tailTokens = 0, withoutHead = false } = {},
  ): Promise<readonly Edit[] | undefined> {
    const { limits, onProgress, pause } = this.#run
    // Ends that were asked for and leave no room for anything else give way.
    const asked = isRetry && this.#mayRelax ? undefined : this.#run.keep
    const keep = isLeast ? withoutShares(asked) : withoutHead ? { ...asked, head: NOTHING } : asked
    onProgress?.('plan')
    const options = { targetTokens, keep, tailTokens, limits }
    const view = this.goal.viewOf(base)
    await pause?.()
    const plan = strategy.planInSteps
      ? await inSteps(strategy.planInSteps(view, options), pause)
      : strategy.plan(view, options)
    await pause?.()
    this.reason = 'noop' in plan ? plan.noop : undefined
    return 'noop' in plan ? undefined : plan.edits
  }
}

const NOTHING: Keep = { tokens: 0 }

/**
 * The ends that have to stay however little room there is: no head, and no tail that is a share of
 * the room.
 */
function withoutShares(keep: StrategyOptions['keep']): StrategyOptions['keep'] {
  const tail = keep?.tail ?? NOTHING
  return { head: NOTHING, tail: 'fraction' in tail && tail.of !== 'messages' ? NOTHING : tail }
}

/** The same edit without its summary: no summary can make a result that is smaller. */
function toBare(edit: Edit): AppliedEdit[] {
  if (edit.type === 'rewrite') return []
  if (edit.type !== 'summarize') return [edit]
  const borders = [edit.start - 1, ...edit.keep, edit.end]
  return borders.slice(1).flatMap((border, index) => {
    const start = borders[index]! + 1
    return start < border ? [{ type: 'drop' as const, start, end: border }] : []
  })
}
