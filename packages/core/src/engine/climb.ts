import { checkInvariants } from '../conversation/invariants/index.ts'
import type { Conversation } from '../conversation/message.ts'
import { clearImages } from '../strategies/clear-images.ts'
import { clipOlderParts, clipParts } from '../strategies/clip-parts.ts'
import type { NoopReason, Strategy } from '../strategies/strategy.ts'
import { topDownTruncation } from '../strategies/top-down-truncation.ts'
import { digest } from '../summarizers/digest.ts'
import type { Summarizer } from '../summarizers/summarizer.ts'
import type { Ladder, Rung } from './ladder.ts'
import { lighten } from './lighten.ts'
import { type AttemptOptions, StrategyAttempts } from './strategy-attempts.ts'

export type ClimbOptions = Omit<AttemptOptions, 'mayRelax'>

export interface Climb {
  /** Keeps the limits; undefined when no rung got there. */
  readonly result: Conversation | undefined
  /** The smallest that any rung made: what a refusal speaks of. */
  readonly smallest: Conversation
  /** The rungs that led to the result, in order. */
  readonly taken: readonly TakenRung[]
  /** Why the last strategy that was asked changed nothing; undefined when it did. */
  readonly reason?: NoopReason
}

interface Stage {
  readonly conversation: Conversation
  readonly taken: readonly TakenRung[]
}

export interface TakenRung {
  readonly name: string
  readonly before: Conversation
  readonly after: Conversation
}

/** Rung after rung until the limits are kept. Every rung makes the history smaller or is passed over, so it ends. */
export async function climb(given: Conversation, ladder: Ladder, options: ClimbOptions): Promise<Climb> {
  return await new Climber(given, ladder, options).climb()
}

class Climber {
  readonly #given: Conversation
  readonly #ladder: Ladder
  readonly #options: ClimbOptions
  readonly #attempts: StrategyAttempts
  #smallest: Conversation
  /** Fits, with nothing in the place of what was removed. */
  #bare: Stage | undefined

  constructor(given: Conversation, ladder: Ladder, options: ClimbOptions) {
    this.#given = given
    this.#ladder = ladder
    this.#options = options
    this.#attempts = new StrategyAttempts({ ...options, mayRelax: ladder.rungs.length > 1 })
    this.#smallest = given
  }

  async climb(): Promise<Climb> {
    const { limits, counter, signal } = this.#options
    const start: Stage = { conversation: this.#given, taken: [] }
    const light = this.#advance(start, clearImages.name, lighten(this.#given, limits, counter))
    let cleared = this.#advance(light, clipParts.name, this.#attempts.clip(light.conversation, false))
    const base = cleared.conversation
    const isReached = ({ conversation }: Stage) => this.#attempts.reaches(conversation, base)
    const said = this.#sayStanding(cleared)
    if (isReached(said)) {
      const isNothing = this.#fits(start) && !this.#attempts.isSmaller(said.conversation, this.#given)
      return isNothing ? { result: undefined, smallest: this.#given, taken: [] } : arrive(said)
    }
    let fitting = this.#choose(undefined, said)
    // What summaries are made of.
    let whole = cleared
    const mayClear = this.#mayClearingSuffice(whole.conversation)
    for (const rung of this.#ladder.rungs) {
      signal?.throwIfAborted()
      // What fits is not made smaller at the price of what no summary tells of.
      if ((fitting || this.#fits(start)) && this.#isLastResort(rung)) break
      const stage = rung.type === 'clear' && !mayClear ? cleared : await this.#step(rung, cleared, whole)
      const said = rung.type === 'clear' ? this.#sayStanding(stage) : stage
      // What a clearing left as it was does not fit now either.
      const isKnown = rung.type === 'clear' && stage === cleared
      if (!isKnown && isReached(said)) return arrive(said)
      fitting = this.#choose(fitting, said)
      if (this.#attempts.isSmaller(stage.conversation, this.#smallest)) this.#smallest = stage.conversation
      if (rung.type !== 'clear') continue
      cleared = stage
      if (rung.isForAll) {
        whole = this.#advance(whole, rung.strategy.name, this.#attempts.clear(rung.strategy, whole.conversation, 0))
      }
    }
    if (fitting) return arrive(fitting)
    const { reason } = this.#attempts
    return { result: undefined, smallest: this.#smallest, taken: [], ...(reason && { reason }) }
  }

  /** The smallest stage that keeps the limits, and is not just what was given. */
  #choose(fitting: Stage | undefined, stage: Stage): Stage | undefined {
    const { conversation } = stage
    if (!this.#attempts.isSmaller(conversation, fitting?.conversation ?? this.#given)) return fitting
    return this.#fits(stage) ? stage : fitting
  }

  /** Whether a rung takes away what no summary tells of, and is not the way that was asked for. */
  #isLastResort({ type }: Rung): boolean {
    return this.#ladder.rungs.length > 1 && (type === 'truncate' || type === 'clip')
  }

  /** Whether the history without a single result, image or thought would fit: otherwise nothing has to be cleared to know. */
  #mayClearingSuffice(base: Conversation): boolean {
    const { counter, limits } = this.#options
    const rest = base.messages.filter(
      ({ role, parts }) => role !== 'tool' && !parts.some(({ type }) => type === 'reasoning' || type === 'image'),
    )
    return counter.countConversation({ ...base, messages: rest }).upper <= limits.tokens
  }

  async #step({ type, strategy, ...rung }: Rung, cleared: Stage, whole: Stage): Promise<Stage> {
    const { summarizer } = this.#options
    switch (type) {
      case 'clear':
        return this.#advance(cleared, strategy.name, this.#attempts.clear(strategy, cleared.conversation))
      case 'truncate':
        return this.#drop(strategy, cleared)
      case 'summarize': {
        const isByDigest = 'byDigest' in rung && rung.byDigest
        // Asking the same summarizer again would give the same answer.
        if (isByDigest && summarizer.name === digest().name) return whole
        return await this.#summarize(strategy, whole, isByDigest ? digest() : summarizer)
      }
      case 'clip':
        return await this.#clipAndGoOn(strategy, whole)
    }
  }

  /** With what has to stay clipped there may be room for a summary; else for the newest messages, clipped too. */
  async #clipAndGoOn(strategy: Strategy, whole: Stage): Promise<Stage> {
    const clipped = this.#advance(whole, clipParts.name, this.#attempts.clip(whole.conversation, true))
    const summarized = await this.#summarize(strategy, clipped, digest())
    if (this.#fits(summarized)) return summarized
    const truncated = this.#drop(topDownTruncation, clipped)
    if (this.#fits(truncated)) return truncated
    const least = this.#attempts.keepWhatStays(clipped.conversation)
    const last = this.#drop(least ? clipOlderParts : clipParts, truncated)
    if (this.#fits(last)) return last
    return this.#bare ?? this.#advance(clipped, topDownTruncation.name, least)
  }

  #drop(strategy: Strategy, stage: Stage): Stage {
    return this.#advance(stage, strategy.name, this.#attempts.drop(strategy, stage.conversation))
  }

  async #summarize(strategy: Strategy, stage: Stage, summarizer: Summarizer): Promise<Stage> {
    const noteBare = (bare: Conversation) => this.#noteBare(stage, strategy, bare)
    const result = await this.#attempts.summarize(strategy, stage.conversation, summarizer, noteBare)
    return this.#advance(stage, strategy.name, result)
  }

  /** What would be left without any summary: no summary can make a result that is smaller. */
  #noteBare(stage: Stage, strategy: Strategy, bare: Conversation): void {
    if (this.#attempts.isSmaller(bare, this.#smallest)) this.#smallest = bare
    if (!this.#attempts.fits(bare) || checkInvariants(bare).length > 0) return
    this.#bare ??= this.#advance(stage, strategy.name, bare)
  }

  #sayStanding(stage: Stage): Stage {
    return { ...stage, conversation: this.#attempts.sayStanding(stage.conversation) }
  }

  /** One rung further, or the same stage when the rung made nothing smaller. */
  #advance(stage: Stage, name: string, after: Conversation | undefined): Stage {
    const before = stage.conversation
    if (!after || !this.#attempts.isSmaller(after, before)) return stage
    return { conversation: after, taken: [...stage.taken, { name, before, after }] }
  }

  #fits({ conversation }: Stage): boolean {
    return this.#attempts.fits(conversation)
  }
}

function arrive({ conversation, taken }: Stage): Climb {
  return { result: conversation, smallest: conversation, taken }
}
