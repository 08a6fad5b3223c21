import { apply } from '../conversation/apply.ts'
import { type Edit, isSettled } from '../conversation/edit.ts'
import { checkInvariants } from '../conversation/invariants/index.ts'
import type { Conversation } from '../conversation/message.ts'
import { clearImages } from '../strategies/clear-images.ts'
import { clipParts } from '../strategies/clip-parts.ts'
import type { NoopReason, Strategy, StrategyOptions, StrategyView } from '../strategies/strategy.ts'
import { topDownTruncation } from '../strategies/top-down-truncation.ts'
import { digest } from '../summarizers/digest.ts'
import type { Summarizer } from '../summarizers/summarizer.ts'
import type { TokenCounter } from '../tokens/counter.ts'
import { applyBare } from './apply-bare.ts'
import { assertValid } from './assert-valid.ts'
import { type CarriedLedger, carryLedger } from './carry-ledger.ts'
import { clipWhatStays } from './clip-what-stays.ts'
import { fulfil, settleWithLedger } from './fulfil.ts'
import type { Ladder, Rung } from './ladder.ts'
import { lighten } from './lighten.ts'
import { findExcess, type Limits } from './limits.ts'
import type { SummaryWork } from './summary-work.ts'
import { createView } from './view.ts'

export interface ClimbOptions {
  readonly limits: Limits
  readonly counter: TokenCounter
  readonly summarizer: Summarizer
  readonly work: SummaryWork
  readonly pins: readonly string[]
  /** Upper limit of what is said again of the person's. */
  readonly ledgerTokens: number
  readonly keep?: StrategyOptions['keep']
  readonly instructions?: string
  readonly signal?: AbortSignal
  readonly onStep?: (step: 'plan' | 'summarize', done?: number, total?: number) => void
}

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
  return await new Climber(given, options).climb(ladder)
}

class Climber {
  readonly #given: Conversation
  readonly #options: ClimbOptions
  readonly #ledgers = new WeakMap<Conversation, CarriedLedger>()
  readonly #views = new WeakMap<Conversation, StrategyView>()
  #smallest: Conversation
  /** Fits, with nothing in the place of what was removed. */
  #bare: Stage | undefined
  #reason: NoopReason | undefined
  #mayRelax = false

  constructor(given: Conversation, options: ClimbOptions) {
    this.#given = given
    this.#smallest = given
    this.#options = options
  }

  async climb({ rungs }: Ladder): Promise<Climb> {
    this.#mayRelax = rungs.length > 1
    const start: Stage = { conversation: this.#given, taken: [] }
    let cleared = this.#advance(
      start,
      clearImages.name,
      lighten(this.#given, this.#options.limits, this.#options.counter),
    )
    const lightened = this.#sayPins(cleared)
    if (this.#fits(lightened.conversation)) return arrive(lightened)
    // What summaries are made of.
    let whole = cleared
    const mayClear = this.#mayClearingSuffice(whole.conversation)
    for (const rung of rungs) {
      this.#options.signal?.throwIfAborted()
      const stage = rung.type === 'clear' && !mayClear ? cleared : await this.#step(rung, cleared, whole)
      const said = rung.type === 'clear' ? this.#sayPins(stage) : stage
      // What a clearing left as it was does not fit now either.
      const isKnown = rung.type === 'clear' && stage === cleared
      if (!isKnown && this.#fits(said.conversation)) return arrive(said)
      if (this.#isSmaller(stage.conversation, this.#smallest)) this.#smallest = stage.conversation
      if (rung.type !== 'clear') continue
      cleared = stage
      if (rung.isForAll) {
        whole = this.#advance(whole, rung.strategy.name, this.#clear(rung.strategy, whole.conversation, 0))
      }
    }
    return {
      result: undefined,
      smallest: this.#smallest,
      taken: [],
      ...(this.#reason && { reason: this.#reason }),
    }
  }

  /** Whether the history without a single result, image or thought would fit: otherwise nothing has to be cleared to know. */
  #mayClearingSuffice(base: Conversation): boolean {
    const { counter, limits } = this.#options
    const rest = base.messages.filter(
      ({ role, parts }) => role !== 'tool' && !parts.some(({ type }) => type === 'reasoning' || type === 'image'),
    )
    return counter.countConversation({ ...base, messages: rest }).upper <= limits.tokens
  }

  /** One rung further, or the same stage when the rung made nothing smaller. */
  #advance(stage: Stage, name: string, after: Conversation | undefined): Stage {
    const before = stage.conversation
    if (!after || !this.#isSmaller(after, before)) return stage
    return { conversation: after, taken: [...stage.taken, { name, before, after }] }
  }

  /** What the person settled is read before it is clipped, and said again where a clipped message said it. */
  #clip(stage: Stage): Stage {
    const { counter, limits } = this.#options
    const before = stage.conversation
    const after = clipWhatStays(before, counter, limits.tokens)
    this.#ledgers.set(
      after,
      this.#carryLedger(before, (index) => before.messages[index] === after.messages[index]),
    )
    return this.#advance(stage, clipParts.name, after)
  }

  async #step({ type, strategy, ...rung }: Rung, cleared: Stage, whole: Stage): Promise<Stage> {
    const { summarizer } = this.#options
    switch (type) {
      case 'clear':
        return this.#advance(cleared, strategy.name, this.#clear(strategy, cleared.conversation))
      case 'truncate':
        return this.#advance(cleared, strategy.name, this.#drop(strategy, cleared.conversation))
      case 'summarize': {
        const isByDigest = 'byDigest' in rung && rung.byDigest
        // Asking the same summarizer again would give the same answer.
        if (isByDigest && summarizer.name === digest().name) return whole
        const writer = isByDigest ? digest() : summarizer
        return this.#advance(whole, strategy.name, await this.#summarize(strategy, whole, writer))
      }
      case 'clip':
        return await this.#clipAndGoOn(strategy, whole)
    }
  }

  /** With what has to stay clipped there may be room for a summary; else for the newest messages, clipped too. */
  async #clipAndGoOn(strategy: Strategy, whole: Stage): Promise<Stage> {
    const clipped = this.#clip(whole)
    const base = clipped.conversation
    const summarized = this.#advance(clipped, strategy.name, await this.#summarize(strategy, clipped, digest()))
    if (this.#fits(summarized.conversation)) return summarized
    const truncated = this.#advance(clipped, topDownTruncation.name, this.#drop(topDownTruncation, base))
    if (this.#fits(truncated.conversation)) return truncated
    const last = this.#advance(truncated, clipParts.name, this.#drop(clipParts, truncated.conversation))
    return this.#fits(last.conversation) || !this.#bare ? last : this.#bare
  }

  /** What neither needs a summarizer nor drops a message; pins find their place when it suffices. */
  #clear(strategy: Strategy, base: Conversation, target = this.#targetFor(base)): Conversation | undefined {
    const { isPinned, reserveTokens } = this.#ledgerOf(base)
    const edits = this.#plan(strategy, base, isPinned ? target - reserveTokens : target)
    if (!edits) return undefined
    const result = apply(base, edits.filter(isSettled))
    assertValid(result, strategy)
    return result
  }

  /** What was pinned now has to be said even where nothing was dropped. */
  #sayPins(stage: Stage): Stage {
    const ledger = this.#ledgerOf(stage.conversation)
    if (!ledger.isPinned) return stage
    return { ...stage, conversation: apply(stage.conversation, settleWithLedger(stage.conversation, [], ledger)) }
  }

  /** What needs no summarizer; where it drops what the person settled, that is said again in a ledger. */
  #drop(strategy: Strategy, base: Conversation): Conversation | undefined {
    let targetTokens = this.#targetFor(base)
    let result: Conversation | undefined
    // A ledger takes room, and so more may have to go, which may add to the ledger.
    for (let round = 0; round < MOST_ROUNDS; round++) {
      const edits = this.#plan(strategy, base, targetTokens)
      if (!edits) return result
      result = apply(base, settleWithLedger(base, edits.filter(isSettled), this.#ledgerOf(base)))
      assertValid(result, strategy)
      const excess = findExcess(result, this.#options.limits, this.#options.counter)
      if (!excess) return result
      targetTokens = tighten(targetTokens, excess)
    }
    return result
  }

  async #summarize(strategy: Strategy, stage: Stage, summarizer: Summarizer): Promise<Conversation | undefined> {
    const base = stage.conversation
    const { work, onStep } = this.#options
    const ledger = this.#ledgerOf(base)
    let targetTokens = this.#targetFor(base)
    let wasAsked = false
    const watched: Summarizer = {
      ...summarizer,
      summarize: (request) => {
        wasAsked = true
        return summarizer.summarize(request)
      },
    }
    for (let round = 0; round < MOST_ROUNDS; round++) {
      // What the person settled has its room before the ends that stay are measured.
      const plan = this.#plan(strategy, base, targetTokens - ledger.reserveTokens, round > 0)
      // With less for the ends there may be room for a summary between them.
      if (!plan) {
        targetTokens = Math.floor(targetTokens * TIGHTER)
        continue
      }
      const edits = plan.map((edit) =>
        edit.type === 'summarize' ? { ...edit, targetTokens: edit.targetTokens + ledger.reserveTokens } : edit,
      )
      work.startAnew()
      onStep?.('summarize')
      const settled = await fulfil(base, edits, {
        ...this.#options,
        summarizer: watched,
        work,
        ledger,
        onProgress: (done, total) => onStep?.('summarize', done, total),
      })
      if (!settled) {
        this.#noteBare(stage, strategy, edits)
        // A model that came to nothing is not paid again for a little less.
        if (wasAsked && summarizer.name !== digest().name) return undefined
        targetTokens = Math.floor(targetTokens * TIGHTER)
        continue
      }
      const result = apply(base, settled)
      assertValid(result, strategy)
      const excess = findExcess(result, this.#options.limits, this.#options.counter)
      // Only a limit in bytes can be missed by a summary that keeps to its tokens.
      if (excess?.of !== 'bytes') return result
      targetTokens = tighten(targetTokens, excess)
    }
    return undefined
  }

  #plan(strategy: Strategy, base: Conversation, targetTokens: number, isRetry = false): readonly Edit[] | undefined {
    const { limits, onStep } = this.#options
    // Ends that were asked for and leave no room for anything else give way, where there is more than one way to go.
    const keep = isRetry && this.#mayRelax ? undefined : this.#options.keep
    onStep?.('plan')
    const plan = strategy.plan(this.#viewOf(base), {
      targetTokens,
      ...(keep && { keep }),
      ...(limits.bytes !== undefined && { targetBytes: limits.bytes }),
      ...(limits.images !== undefined && { targetImages: limits.images }),
    })
    this.#reason = 'noop' in plan ? plan.noop : undefined
    return 'noop' in plan ? undefined : plan.edits
  }

  /** Where bytes are the tighter limit, tokens follow them: both are about proportional to text. */
  #targetFor(base: Conversation): number {
    const { limits, counter } = this.#options
    const excess = findExcess(base, { ...limits, tokens: Infinity }, counter)
    if (excess?.of !== 'bytes') return limits.tokens
    return Math.min(limits.tokens, tighten(counter.countConversation(base).upper, excess))
  }

  #fits(conversation: Conversation): boolean {
    return findExcess(conversation, this.#options.limits, this.#options.counter) === undefined
  }

  #isSmaller(result: Conversation, base: Conversation): boolean {
    const { counter } = this.#options
    return result !== base && counter.countConversation(result).upper < counter.countConversation(base).upper
  }

  /** What would be left without any summary: no summary can make a result that is smaller. */
  #noteBare(stage: Stage, strategy: Strategy, edits: readonly Edit[]): void {
    const base = stage.conversation
    const bare = applyBare(base, edits, this.#ledgerOf(base))
    if (this.#isSmaller(bare, this.#smallest)) this.#smallest = bare
    if (!this.#fits(bare) || checkInvariants(bare).length > 0) return
    this.#bare ??= this.#advance(stage, strategy.name, bare)
  }

  /** Every rung plans over one of few histories. */
  #viewOf(base: Conversation): StrategyView {
    let view = this.#views.get(base)
    if (!view) {
      view = createView(base, this.#options.counter)
      this.#views.set(base, view)
    }
    return view
  }

  #ledgerOf(base: Conversation): CarriedLedger {
    let ledger = this.#ledgers.get(base)
    if (!ledger) {
      ledger = this.#carryLedger(base)
      this.#ledgers.set(base, ledger)
    }
    return ledger
  }

  #carryLedger(base: Conversation, isIntact: (message: number) => boolean = () => true): CarriedLedger {
    const { counter, pins, ledgerTokens } = this.#options
    return carryLedger(base, { counter, pins, limitTokens: ledgerTokens, isIntact })
  }
}

function arrive({ conversation, taken }: Stage): Climb {
  return { result: conversation, smallest: conversation, taken }
}

const MOST_ROUNDS = 4
const TIGHTER = 0.7
// Aiming a little lower ends the search in one or two rounds.
const AIM = 0.95

function tighten(targetTokens: number, { amount, limit }: { amount: number; limit: number }): number {
  return Math.floor(targetTokens * Math.min(limit / amount, 1) * AIM)
}
