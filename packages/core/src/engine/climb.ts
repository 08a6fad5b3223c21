import { checkInvariants } from '../conversation/invariants/index.ts'
import type { Conversation } from '../conversation/message.ts'
import { clearImages } from '../strategies/clear-images.ts'
import { clipOlderParts, clipParts } from '../strategies/clip-parts.ts'
import type { NoopReason, Strategy } from '../strategies/strategy.ts'
import { topDownTruncation } from '../strategies/top-down-truncation.ts'
import { digest } from '../summarizers/digest.ts'
import type { Summarizer } from '../summarizers/summarizer.ts'
import { holdsHistory } from './assert-valid.ts'
import { type CarriedLedger, carryLedger } from './carry-ledger.ts'
import type { ClearingRung, Ladder, Rung } from './ladder.ts'
import { lighten } from './lighten.ts'
import { type AttemptOptions, StrategyAttempts } from './strategy-attempts.ts'

export interface ClimbOptions extends Omit<AttemptOptions, 'mayRelax' | 'ledger'> {
  readonly pins: readonly string[]
  /** Upper limit of what is said again of the user's. */
  readonly ledgerTokens: number
  /** How the model looks up what was removed; empty where it cannot. */
  readonly recall: string
  /** Whether a result without a word on it counts too: the tool is there all the same. */
  readonly isRecallOptional: boolean
  /** Whether what was given keeps the limits itself, so that nothing has to come of it. */
  readonly mayStay: boolean
}

export interface Climb {
  /** Keeps the limits and says all it has to; undefined when no rung got there. */
  readonly result: Conversation | undefined
  /** The smallest that any rung made and that says all it has to: what a refusal speaks of. */
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
  /** Ways in which results may mention recalling, best first. */
  readonly #ledgers: readonly CarriedLedger[]
  #smallest: Conversation | undefined
  /** Fits, with nothing in the place of what was removed. */
  #bare: Stage | undefined

  constructor(given: Conversation, ladder: Ladder, options: ClimbOptions) {
    const { counter, pins, ledgerTokens, recall, isRecallOptional } = options
    const carry = (said: string) => carryLedger(given, { counter, pins, limitTokens: ledgerTokens, recall: said })
    const ledger = carry(isRecallOptional ? '' : recall)
    this.#given = given
    this.#ladder = ladder
    this.#options = options
    this.#ledgers = isRecallOptional && recall !== '' ? [carry(recall), ledger] : [ledger]
    this.#attempts = new StrategyAttempts({ ...options, ledger, mayRelax: ladder.rungs.length > 1 })
  }

  async climb(): Promise<Climb> {
    const { limits, counter, signal } = this.#options
    const start: Stage = { conversation: this.#given, taken: [] }
    const light = this.#advance(start, clearImages.name, lighten(this.#given, limits, counter))
    let cleared = this.#advance(light, clipParts.name, this.#attempts.clip(light.conversation, false))
    const base = cleared.conversation
    const isReached = ({ smallest }: Climb) => this.#attempts.reaches(smallest, base)
    const lightened = this.#arrive(cleared)
    let fitting = this.#choose(undefined, lightened)
    if (lightened && isReached(lightened)) return fitting ?? { result: undefined, smallest: this.#given, taken: [] }
    // What summaries are made of.
    let whole = cleared
    const mayClear = this.#mayClearingSuffice(whole.conversation)
    for (const rung of this.#ladder.rungs) {
      signal?.throwIfAborted()
      if (rung.type === 'clear') {
        const stage = mayClear ? this.#clear(rung.strategy, cleared) : cleared
        // What a clearing left as it was does not fit now either.
        const arrived = stage === cleared ? undefined : this.#arrive(stage)
        if (arrived && isReached(arrived)) return arrived
        fitting = this.#choose(fitting, arrived)
        cleared = stage
        if (rung.isForAll) {
          whole = this.#advance(whole, rung.strategy.name, this.#attempts.clear(rung.strategy, whole.conversation, 0))
        }
        continue
      }
      // What fits is not made smaller at the price of what no summary tells of.
      const isLastResort = this.#ladder.rungs.length > 1 && rung.type !== 'summarize'
      if (isLastResort && (fitting || this.#options.mayStay)) break
      for await (const stage of this.#step(rung, cleared, whole)) {
        const arrived = this.#arrive(stage)
        if (arrived && (isLastResort || isReached(arrived))) return arrived
        fitting = this.#choose(fitting, arrived)
      }
    }
    if (fitting) return fitting
    const { reason } = this.#attempts
    return { result: undefined, smallest: this.#smallest ?? this.#given, taken: [], ...(reason && { reason }) }
  }

  /** The smaller of two that keep the limits; never what was given, where that may stay. */
  #choose(fitting: Climb | undefined, arrived: Climb | undefined): Climb | undefined {
    if (!arrived || (!fitting && !this.#options.mayStay)) return arrived ?? fitting
    return this.#attempts.isSmaller(arrived.smallest, fitting?.smallest ?? this.#given) ? arrived : fitting
  }

  /**
   * The one way out: with ledger, pins and recall said, read back from its text, within every limit, valid for its
   * provider, and with something of the history left. Undefined for what is not all of that.
   */
  #arrive({ conversation, taken }: Stage): Climb | undefined {
    if (!holdsHistory(conversation)) return undefined
    for (const ledger of this.#ledgers) {
      const result = ledger.say(conversation)
      const isFitting = this.#attempts.fits(result)
      const isSmallest = !this.#smallest || this.#attempts.isSmaller(result, this.#smallest)
      if (!isFitting && !isSmallest) continue
      if (!ledger.isSaidIn(result) || checkInvariants(result).length > 0) continue
      if (isSmallest) this.#smallest = result
      if (isFitting) return { result, smallest: result, taken }
    }
    return undefined
  }

  /** Whether the history without a single result, image or thought would fit: otherwise nothing has to be cleared to know. */
  #mayClearingSuffice(base: Conversation): boolean {
    const { counter, limits } = this.#options
    const rest = base.messages.filter(
      ({ role, parts }) => role !== 'tool' && !parts.some(({ type }) => type === 'reasoning' || type === 'image'),
    )
    return counter.countConversation({ ...base, messages: rest }).upper <= limits.tokens
  }

  /** Results that a rung can make of the history, best first. */
  async *#step(
    { type, strategy, ...rung }: Exclude<Rung, ClearingRung>,
    cleared: Stage,
    whole: Stage,
  ): AsyncGenerator<Stage> {
    const { summarizer } = this.#options
    switch (type) {
      case 'truncate':
        yield this.#drop(strategy, cleared)
        return
      case 'summarize': {
        const isByDigest = 'byDigest' in rung && rung.byDigest
        // Asking the same summarizer again would give the same answer.
        if (isByDigest && summarizer.name === digest().name) return
        yield await this.#summarize(strategy, whole, isByDigest ? digest() : summarizer)
        return
      }
      case 'clip':
        yield* this.#clipAndGoOn(strategy, whole)
    }
  }

  /** With what has to stay clipped there may be room for a summary; else for the newest messages, clipped too. */
  async *#clipAndGoOn(strategy: Strategy, whole: Stage): AsyncGenerator<Stage> {
    const clipped = this.#advance(whole, clipParts.name, this.#attempts.clip(whole.conversation, true))
    yield await this.#summarize(strategy, clipped, digest())
    const truncated = this.#drop(topDownTruncation, clipped)
    yield truncated
    const least = this.#attempts.keepWhatStays(clipped.conversation)
    yield this.#drop(least ? clipOlderParts : clipParts, truncated)
    if (this.#bare) yield this.#bare
    if (least) yield this.#advance(clipped, topDownTruncation.name, least)
    // What stands beside it may need more of the room than was left to it.
    for (const share of LAST_SHARES) {
      const mostTokens = this.#options.limits.tokens * share
      yield this.#drop(clipParts, this.#drop(topDownTruncation, whole, mostTokens), mostTokens)
    }
  }

  #clear(strategy: Strategy, stage: Stage): Stage {
    return this.#advance(stage, strategy.name, this.#attempts.clear(strategy, stage.conversation))
  }

  #drop(strategy: Strategy, stage: Stage, mostTokens?: number): Stage {
    return this.#advance(stage, strategy.name, this.#attempts.drop(strategy, stage.conversation, mostTokens))
  }

  async #summarize(strategy: Strategy, stage: Stage, summarizer: Summarizer): Promise<Stage> {
    const noteBare = (bare: Conversation) => this.#noteBare(stage, strategy, bare)
    const result = await this.#attempts.summarize(strategy, stage.conversation, summarizer, noteBare)
    return this.#advance(stage, strategy.name, result)
  }

  /** What would be left without any summary: no summary can make a result that is smaller. */
  #noteBare(stage: Stage, strategy: Strategy, bare: Conversation): void {
    if (!holdsHistory(bare) || checkInvariants(bare).length > 0) return
    if (!this.#smallest || this.#attempts.isSmaller(bare, this.#smallest)) this.#smallest = bare
    if (this.#attempts.fits(bare)) this.#bare ??= this.#advance(stage, strategy.name, bare)
  }

  /** One rung further, or the same stage when the rung made nothing smaller. */
  #advance(stage: Stage, name: string, after: Conversation | undefined): Stage {
    const before = stage.conversation
    if (!after || !this.#attempts.isSmaller(after, before)) return stage
    return { conversation: after, taken: [...stage.taken, { name, before, after }] }
  }
}

const LAST_SHARES = [0.8, 0.5, 0.2, 0]
