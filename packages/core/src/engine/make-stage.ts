/** The stages of one series: each step of the plan, made from what earlier steps have left. */
import { type Conversation, changeParts, type Message } from '../conversation/message.ts'
import { clearImages } from '../strategies/clear-images.ts'
import { clearReasoning } from '../strategies/clear-reasoning.ts'
import { clipOlderParts, clipParts } from '../strategies/clip-parts.ts'
import type { NoopReason, Strategy } from '../strategies/strategy.ts'
import { topDownTruncation } from '../strategies/top-down-truncation.ts'
import { attempt } from './attempt.ts'
import type { CarriedLedger } from './carry-ledger.ts'
import { withoutWordsBefore } from './forgotten.ts'
import { Goal, tighten } from './goal.ts'
import type { Stage } from './ladder.ts'
import { lighten } from './lighten.ts'
import type { StageName, Step } from './plan-attempts.ts'
import type { SearchRun } from './summarize-spans.ts'

const MOST_DROPS = 8
// When a target is lowered, a result gets smaller by at least this share of the difference.
const LEAST_GAIN = 0.25

/** Returns the next stage, or the same one if a step made nothing smaller. */
export class StageMaker {
  readonly goal: Goal
  /** With nothing gone but what a limit or the last request demands. */
  readonly start: Stage
  /** Why the last strategy changed nothing. Undefined if it did. */
  reason: NoopReason | undefined
  readonly #run: SearchRun
  readonly #ledger: CarriedLedger
  readonly #stages = new Map<StageName, Stage>()
  /** Whether clearing can be enough, and has not been yet. */
  #mayClear: boolean
  /** Strategies that are not enough. They clear when a last resort starts from what is left. */
  readonly #deferred: Strategy[] = []

  constructor(given: Conversation, run: SearchRun, ledger: CarriedLedger) {
    this.goal = new Goal(run, ledger)
    this.#run = run
    this.#ledger = ledger
    // The ledger says again what was said before a compaction of the provider.
    const remembered = { conversation: withoutWordsBefore(given), taken: [] }
    this.start = this.#clip(this.#lighten(remembered), false)
    this.#mayClear = this.#mayClearingSuffice(this.start, ({ role }) =>
      role === 'tool' ? 0 : undefined,
    )
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
      changed !== undefined && !this.#mayClearingSuffice(stage, (_, index) => changed.get(index))
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
    return least && this.goal.advance(clipped, topDownTruncation.name, least)
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
    return this.goal.advance(stage, strategy.name, conversation)
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
    return this.goal.advance(stage, strategy.name, result)
  }

  /** A strategy that needs no summarizer. */
  async #change(strategy: Strategy, { conversation }: Stage, targetTokens: number) {
    const { keep, limits } = this.#run
    const changed = await attempt(
      strategy,
      {
        view: this.goal.viewOf(conversation),
        options: { targetTokens, keep, tailTokens: 0, limits },
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
    return this.goal.advance(
      stage,
      clipParts.name,
      this.goal.clip(stage.conversation, mayClipRequest),
    )
  }

  /**
   * Whether the history would fit with only so many tokens of these messages, and without a single
   * image or thought: otherwise nothing has to be cleared to know.
   */
  #mayClearingSuffice(
    { conversation }: Stage,
    findLeft: (message: Message, index: number) => number | undefined,
  ): boolean {
    let leftTokens = 0
    const messages = conversation.messages.flatMap((message, index) => {
      if (message.parts.some(({ type }) => type === 'reasoning' || type === 'image')) return []
      const left = findLeft(message, index)
      leftTokens += left ?? 0
      if (left === undefined) return message
      return left > 0 ? withoutOutputs(message) : []
    })
    const tokens = this.goal.countTokens({ ...conversation, messages }) + leftTokens
    return tokens <= this.#run.limits.tokens
  }
}

const withoutOutputs = (message: Message): Message =>
  changeParts(message, (parts) =>
    parts.map((part) => (part.type === 'tool-result' ? { ...part, output: [] } : part)),
  )
