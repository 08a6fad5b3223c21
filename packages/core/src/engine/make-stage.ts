/** The stages of one series: each step of the plan, made from what earlier steps have left. */
import { apply } from '../conversation/apply.ts'
import type { SummarizeEdit } from '../conversation/edit.ts'
import type { Conversation, Message } from '../conversation/message.ts'
import { digest } from '../digest/digest.ts'
import { clearImages } from '../strategies/clear-images.ts'
import { clearReasoning } from '../strategies/clear-reasoning.ts'
import { clipOlderParts, clipParts } from '../strategies/clip-parts.ts'
import type { Keep, NoopReason, Strategy, StrategyOptions } from '../strategies/strategy.ts'
import { topDownTruncation } from '../strategies/top-down-truncation.ts'
import type { Summarizer } from '../summarizers/summarizer.ts'
import { attempt, isSummarizeEdit, toBare, widen } from './attempt.ts'
import type { CarriedLedger } from './carry-ledger.ts'
import { withoutWordsBefore } from './forgotten.ts'
import { Goal, type GoalOptions, tighten } from './goal.ts'
import { lighten } from './lighten.ts'
import type { EngineRun } from './options.ts'
import type { StageName, Step } from './plan-attempts.ts'
import { OWN_SHARE, type RoomShare } from './share-room.ts'
import { SummaryWork } from './summary-work.ts'
import type { Stage } from './verdict.ts'
import { assertValid } from './view.ts'

/** A run, and what its results are held against. */
export interface SearchRun extends EngineRun, GoalOptions {
  readonly keep?: StrategyOptions['keep']
}

/** What a summary was made from, and the stage that it led to. */
export interface Summarized {
  readonly stage: Stage
  readonly spans: readonly SummarizeEdit[]
  /** What is left if no summary fit. */
  readonly bare: readonly Conversation[]
}

const MOST_ROUNDS = 4
const MOST_DROPS = 8
// When a target is lowered, a result gets smaller by at least this share of the difference.
const LEAST_GAIN = 0.25
const TIGHTER = 0.7

/** Returns the next stage, or the same one if a step made nothing smaller. */
export class StageMaker {
  readonly goal: Goal
  /** With nothing gone but what a limit or the last request demands. */
  readonly start: Stage
  /** Why the last strategy changed nothing. Undefined if it did. */
  reason: NoopReason | undefined
  readonly #run: SearchRun
  readonly #ledger: CarriedLedger
  readonly #mayRelax: boolean
  readonly #stages = new Map<StageName, Stage>()
  /** Whether clearing can be enough, and has not been yet. */
  #mayClear: boolean
  /** Strategies that are not enough. They clear when a last resort starts from what is left. */
  readonly #deferred: Strategy[] = []

  /**
   * `mayRelax`: ends that the host asked to keep may give way, because there is more than one rung.
   */
  constructor(given: Conversation, run: SearchRun, ledger: CarriedLedger, mayRelax: boolean) {
    this.goal = new Goal(run, ledger)
    this.#run = run
    this.#ledger = ledger
    this.#mayRelax = mayRelax
    // The ledger says again what was said before a compaction of the provider.
    const remembered = { conversation: withoutWordsBefore(given), taken: [] }
    this.start = this.#clip(this.#lighten(remembered), false)
    this.#mayClear = this.#mayClearingSuffice(this.start, ({ role }) => role === 'tool')
  }

  /** As earlier steps have left the history. */
  async stageOf(name: StageName): Promise<Stage> {
    let stage = this.#stages.get(name)
    if (stage && (name !== 'cleared' || this.#deferred.length === 0)) return stage
    stage ??= await this.#prepare(name)
    if (name === 'cleared')
      for (const strategy of this.#deferred.splice(0)) stage = await this.#clear(strategy, stage)
    this.#stages.set(name, stage)
    return stage
  }

  async #prepare(name: StageName): Promise<Stage> {
    if (name === 'clipped') return this.#clip(await this.stageOf('whole'), true)
    if (name === 'truncated')
      return await this.#drop(topDownTruncation, await this.stageOf('clipped'))
    return this.start
  }

  /** Undefined if it changes nothing. */
  async clear({ strategy, isForAll }: Step & { type: 'clear' }): Promise<Stage | undefined> {
    const before = this.#stages.get('cleared') ?? this.start
    const isTooLittle = this.#mayClear && this.#clearsTooLittle(strategy, before)
    if (isTooLittle) this.#deferred.push(strategy)
    const isMade = this.#mayClear && !isTooLittle
    const after = isMade ? await this.#clear(strategy, await this.stageOf('cleared')) : before
    this.#stages.set('cleared', after)
    if (isForAll)
      this.#stages.set('whole', await this.#clear(strategy, await this.stageOf('whole'), 0))
    // A history that no clearing changed does not fit now either.
    return after === before ? undefined : after
  }

  /** Whether a strategy, and those after it that clear only reasoning, can never be enough. */
  #clearsTooLittle(strategy: Strategy, stage: Stage): boolean {
    if (this.#deferred.length > 0) return strategy === clearReasoning
    const changed = strategy.findChanged?.(this.goal.viewOf(stage.conversation))
    return (
      changed !== undefined && !this.#mayClearingSuffice(stage, (_, index) => changed.has(index))
    )
  }

  /** Clearing was enough: the rungs after it need not clear more. */
  endClearing(): void {
    this.#mayClear = false
  }

  async drop({ strategies, from, mostShare }: Step & { type: 'drop' }): Promise<Stage> {
    const mostTokens = mostShare < 1 ? this.#run.limits.tokens * mostShare : Infinity
    let stage = await this.stageOf(from)
    for (const strategy of strategies) {
      const chosen = strategy === 'clip-rest' ? await this.#chooseClip() : strategy
      stage = await this.#drop(chosen, stage, mostTokens)
    }
    return stage
  }

  /** Only what has to stay, clipped. Undefined if even that does not fit. */
  async keepLeast(): Promise<Stage | undefined> {
    const clipped = await this.stageOf('clipped')
    const least = this.goal.keepWhatStays(clipped.conversation)
    return least && this.#advance(clipped, topDownTruncation.name, least)
  }

  /** The spans that a strategy would have summarized at first. */
  planSpans(
    strategy: Strategy,
    { conversation }: Stage,
    share: RoomShare,
  ): readonly SummarizeEdit[] | undefined {
    const targetTokens = this.goal.targetFor(conversation) - this.#ledger.reserveTokens
    const options = this.#optionsOf(targetTokens, share)
    const plan = strategy.plan(this.goal.viewOf(conversation), options)
    if ('noop' in plan) return undefined
    return plan.edits.map((edit) => widen(edit, this.#ledger.reserveTokens)).filter(isSummarizeEdit)
  }

  /** Replaces spans by summaries. */
  async summarize(
    strategy: Strategy,
    stage: Stage,
    summarizer: Summarizer,
    { share = OWN_SHARE, isTrial = false, isQuiet = false } = {},
  ): Promise<Summarized> {
    // A trial is not heard of, and no part of the price.
    const work = isTrial ? new SummaryWork() : this.#run.work
    const run = {
      ...this.#run,
      summarizer,
      work,
      ledger: this.#ledger,
      ...(isQuiet && { onProgress: undefined }),
    }
    const base = stage.conversation
    const { reserveTokens } = this.#ledger
    const { asked } = work
    const bare: Conversation[] = []
    let targetTokens = this.goal.targetFor(base)
    // A tail that leaves no space for a summary is too long. No attempt is needed to know that.
    const isOwn = share.tailTokens === 0 && !share.withoutHead
    const rounds = isOwn ? MOST_ROUNDS : 1
    // Without other rungs, ends that are shares of the space are removed last.
    const lastRound = this.#mayRelax || !isOwn ? rounds : rounds + 1
    let spans: readonly SummarizeEdit[] = []
    for (let round = 0; round < lastRound; round++) {
      const isLeast = round === MOST_ROUNDS
      if (isLeast) targetTokens = this.goal.targetFor(base)
      work.startAgain()
      // The ledger gets its space before the kept ends are measured.
      const { noop, planned, edits, conversation } = await attempt(
        strategy,
        {
          view: this.goal.viewOf(base),
          options: this.#optionsOf(targetTokens - reserveTokens, share, round > 0, isLeast),
          change: (plan) => plan.map((edit) => widen(edit, reserveTokens)),
        },
        run,
      )
      this.reason = noop
      // Smaller ends may leave space for a summary between them.
      if (noop) {
        targetTokens = Math.floor(targetTokens * TIGHTER)
        continue
      }
      spans = planned.filter(isSummarizeEdit)
      if (!edits || !conversation) {
        bare.push(this.#ledger.say(apply(base, planned.flatMap(toBare))))
        // A model that came to nothing is not paid again for a little less.
        if (work.asked > asked && summarizer.name !== digest().name) break
        targetTokens = Math.floor(targetTokens * TIGHTER)
        continue
      }
      const excess = this.goal.findExcess(conversation)
      if (excess?.of === 'tokens' && spans.length > 0) {
        const found = `${excess.amount} tokens of ${excess.limit}`
        work.reject(
          `Summarizing with "${summarizer.name}": with its summary the result has ${found}.`,
        )
      }
      // Only a limit in bytes can be missed by a summary that keeps to its tokens.
      if (excess?.of !== 'bytes')
        return { stage: this.#advance(stage, strategy.name, conversation), spans, bare }
      targetTokens = tighten(targetTokens, excess)
    }
    return { stage, spans, bare }
  }

  /**
   * Makes the changes that need no summarizer and drop no message. The ledger is added if that is
   * enough.
   */
  async #clear(
    strategy: Strategy,
    stage: Stage,
    target = this.goal.targetFor(stage.conversation),
  ): Promise<Stage> {
    const { conversation } = await this.#change(strategy, stage, target - this.#ledger.pinnedTokens)
    return this.#advance(stage, strategy.name, conversation)
  }

  /** Applies edits that need no summarizer. The ledger replaces the first dropped message. */
  async #drop(strategy: Strategy, stage: Stage, mostTokens = Infinity): Promise<Stage> {
    const base = stage.conversation
    let targetTokens = Math.min(this.goal.targetFor(base), mostTokens)
    let result: Conversation | undefined
    let missedTokens = 0
    let loweredTokens = 0
    // The ledger grows with what goes: a target is lowered by what the last lowering left missing.
    // At last all that may go goes.
    for (let round = 0; round <= MOST_DROPS; round++) {
      const isLast = round === MOST_DROPS
      if (isLast && result && this.goal.fits(result)) break
      const { edits, conversation = base } = await this.#change(
        strategy,
        stage,
        isLast ? 0 : targetTokens,
      )
      if (!edits && this.reason !== 'already-under-target') break
      const place = edits?.find(({ type }) => type === 'drop')?.start
      const tried = this.#ledger.say(conversation, place)
      if (!result || this.goal.isSmaller(tried, result)) result = tried
      const excess = this.goal.findMiss(tried, base)
      if (!excess) break
      const missing = excess.amount - excess.limit
      const gain = loweredTokens > 0 ? (missedTokens - missing) / loweredTokens : 1
      missedTokens = missing
      // Only whole messages can be removed. If none was added, twice as much is requested.
      if (!edits) loweredTokens = this.#ledger.reserveTokens
      else if (gain > 0) loweredTokens = missing / Math.min(Math.max(gain, LEAST_GAIN), 1)
      else loweredTokens = Math.max(loweredTokens * 2, missing)
      if (edits && excess.of !== 'tokens') targetTokens = tighten(targetTokens, excess)
      else targetTokens = Math.max(targetTokens - loweredTokens, 0)
    }
    return this.#advance(stage, strategy.name, result)
  }

  /** A strategy that needs no summarizer. */
  async #change(strategy: Strategy, { conversation }: Stage, targetTokens: number) {
    const changed = await attempt(
      strategy,
      {
        view: this.goal.viewOf(conversation),
        options: this.#optionsOf(targetTokens),
        withoutSummaries: true,
      },
      { ...this.#run, ledger: this.#ledger },
    )
    this.reason = changed.noop
    return changed
  }

  async #chooseClip(): Promise<Strategy> {
    const { conversation } = await this.stageOf('clipped')
    return this.goal.keepWhatStays(conversation) ? clipOlderParts : clipParts
  }

  /**
   * Removes images and files beyond their own limits, because nothing else can. A line may be
   * longer than an icon.
   */
  #lighten(stage: Stage): Stage {
    const before = stage.conversation
    const after = lighten(before, this.#run.limits, this.#run.counter)
    return after === before
      ? stage
      : { conversation: after, taken: [...stage.taken, { name: clearImages.name, before, after }] }
  }

  #clip(stage: Stage, mayClipRequest: boolean): Stage {
    return this.#advance(stage, clipParts.name, this.goal.clip(stage.conversation, mayClipRequest))
  }

  /** One rung further, or the same stage when the rung made nothing smaller. */
  #advance(stage: Stage, name: string, after: Conversation | undefined): Stage {
    const before = stage.conversation
    if (!after || !this.goal.isSmaller(after, before)) return stage
    assertValid(after, { name }, before, this.#run.known.violationsOf(after))
    return { conversation: after, taken: [...stage.taken, { name, before, after }] }
  }

  /**
   * Whether the history without these messages, and without a single image or thought, would fit:
   * otherwise nothing has to be cleared to know.
   */
  #mayClearingSuffice(
    { conversation }: Stage,
    isCleared: (message: Message, index: number) => boolean,
  ): boolean {
    const messages = conversation.messages.filter(
      (message, index) =>
        !isCleared(message, index) &&
        !message.parts.some(({ type }) => type === 'reasoning' || type === 'image'),
    )
    return this.goal.countTokens({ ...conversation, messages }) <= this.#run.limits.tokens
  }

  #optionsOf(
    targetTokens: number,
    { tailTokens, withoutHead } = OWN_SHARE,
    isRetry = false,
    isLeast = false,
  ): StrategyOptions {
    // Requested ends give way if they leave no space for anything else.
    const asked = isRetry && this.#mayRelax ? undefined : this.#run.keep
    const keep = isLeast ? withoutShares(asked) : withoutHead ? { ...asked, head: NOTHING } : asked
    return { targetTokens, keep, tailTokens, limits: this.#run.limits }
  }
}

const NOTHING: Keep = { tokens: 0 }

/**
 * The ends that have to stay even in the smallest space: no head, and no tail that is a share of
 * the space.
 */
function withoutShares(keep: StrategyOptions['keep']): StrategyOptions['keep'] {
  const tail = keep?.tail ?? NOTHING
  return { head: NOTHING, tail: 'fraction' in tail && tail.of !== 'messages' ? NOTHING : tail }
}
