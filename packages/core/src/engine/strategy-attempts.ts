import { apply } from '../conversation/apply.ts'
import { type Edit, isSettled, type SettledEdit } from '../conversation/edit.ts'
import { checkInvariants } from '../conversation/invariants/index.ts'
import type { Conversation } from '../conversation/message.ts'
import { clipParts, clipResults } from '../strategies/clip-parts.ts'
import type { NoopReason, Strategy, StrategyOptions, StrategyView } from '../strategies/strategy.ts'
import { digest } from '../summarizers/digest.ts'
import type { Summarizer } from '../summarizers/summarizer.ts'
import type { TokenCounter } from '../tokens/counter.ts'
import { assertValid } from './assert-valid.ts'
import type { CarriedLedger } from './carry-ledger.ts'
import { raiseTarget } from './economics.ts'
import { fulfil } from './fulfil.ts'
import { countBytes, findExcess, type Limits } from './limits.ts'
import type { SummaryWork } from './summary-work.ts'
import { createView } from './view.ts'
import { clipWhatStays, countStaying, keepWhatStays, type Staying } from './what-stays.ts'

export interface AttemptOptions {
  readonly limits: Limits
  /** The size that a result aims at, as long as what has to stay leaves room for it; never above the limit. */
  readonly targetTokens: number
  readonly counter: TokenCounter
  readonly summarizer: Summarizer
  readonly work: SummaryWork
  /** Standing instructions, pins and tasks of the history that was given first: every result says them. */
  readonly ledger: CarriedLedger
  /** Upper limit of what is said again of it. */
  readonly ledgerTokens: number
  readonly keep?: StrategyOptions['keep']
  readonly instructions?: string
  readonly signal?: AbortSignal
  /** Ends that were asked for may give way: there is more than one way to go. */
  readonly mayRelax: boolean
  readonly onStep?: (step: 'plan' | 'summarize', done?: number, total?: number) => void
}

/** Applies one strategy to one history. `mostTokens` is for a result that has to be smaller still than the target. */
export class StrategyAttempts {
  readonly #options: AttemptOptions
  readonly #measured = new WeakMap<Conversation, Measured>()
  #reason: NoopReason | undefined

  constructor(options: AttemptOptions) {
    this.#options = options
  }

  /** Why the last strategy that was asked changed nothing; undefined when it did. */
  get reason(): NoopReason | undefined {
    return this.#reason
  }

  /**
   * What has to stay, clipped as far as it cannot stay whole: results that the agent has not seen yet, and where that is not
   * enough, and `mayClipRequest`, the words around them and a request that does not fit by itself.
   */
  clip(base: Conversation, mayClipRequest: boolean): Conversation {
    const { counter } = this.#options
    const view = createView(base, counter)
    const whole = this.#keepWhatStays(view, ALL)
    if (this.fits(whole)) return base
    if (this.#leavesNoSummary(view) && !mayClipRequest) return base
    const beside = this.#keepWhatStays(view, ONLY_REQUEST)
    const isRequestSafe = this.fits(beside)
    if (!isRequestSafe && !mayClipRequest) return base
    const clipped = isRequestSafe
      ? clipWhatStays(view, ONLY_OPEN, this.#findRoom(beside, whole), counter, mayClipRequest ? clipParts : clipResults)
      : clipWhatStays(view, ALL, this.#findRoom(this.#keepWhatStays(view, NOTHING), whole), counter, clipParts)
    return mayClipRequest || !this.#measure(clipped).isOpenFree ? clipped : base
  }

  /** Nothing but what has to stay, with what has to be said beside it; undefined where that does not fit either. */
  keepWhatStays(base: Conversation): Conversation | undefined {
    const least = this.#keepWhatStays(this.#measure(base).view, ALL)
    return this.fits(least) && checkInvariants(least).length === 0 ? least : undefined
  }

  /** What neither needs a summarizer nor drops a message; what has to be said finds its place when it suffices. */
  clear(strategy: Strategy, base: Conversation, target = this.#targetFor(base)): Conversation | undefined {
    const edits = this.#plan(strategy, base, target - this.#options.ledger.standingTokens)
    if (!edits) return undefined
    const result = apply(base, edits.filter(isSettled))
    assertValid(result, strategy)
    return result
  }

  /** Applies edits that need no summarizer; the ledger goes where the first message was dropped. */
  drop(strategy: Strategy, base: Conversation, mostTokens = Infinity): Conversation | undefined {
    const { ledger } = this.#options
    let targetTokens = Math.min(this.#targetFor(base), mostTokens)
    let result: Conversation | undefined
    // A ledger takes room, and so more may have to go, which may add to the ledger.
    for (let round = 0; round < MOST_ROUNDS; round++) {
      const edits = this.#plan(strategy, base, targetTokens)?.filter(isSettled)
      if (!edits && this.#reason !== 'already-under-target') return result
      result = ledger.say(apply(base, edits ?? []), edits?.find(({ type }) => type === 'drop')?.start)
      assertValid(result, strategy)
      const excess = findExcess(result, this.#options.limits, this.#options.counter)
      if (!excess) return result
      targetTokens = edits ? tighten(targetTokens, excess) : targetTokens - ledger.reserveTokens
    }
    return result
  }

  /** What `summarizer` makes of it. `noteBare` is told what is left where no summary fits in. */
  async summarize(
    strategy: Strategy,
    base: Conversation,
    summarizer: Summarizer,
    noteBare: (bare: Conversation) => void,
  ): Promise<Conversation | undefined> {
    const { work, onStep, ledger } = this.#options
    let targetTokens = this.#targetFor(base)
    let wasAsked = false
    const { name, share } = summarizer
    const watched: Summarizer = {
      name,
      ...(share !== undefined && { share }),
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
        noteBare(ledger.say(apply(base, edits.flatMap(toBare))))
        // A model that came to nothing is not paid again for a little less.
        if (wasAsked && name !== digest().name) return undefined
        targetTokens = Math.floor(targetTokens * TIGHTER)
        continue
      }
      const result = apply(base, settled)
      assertValid(result, strategy)
      const excess = findExcess(result, this.#options.limits, this.#options.counter)
      if (excess?.of === 'tokens' && edits.some(({ type }) => type === 'summarize')) {
        work.reject(
          `Summarizing with "${name}": with its summary the result has ${excess.amount} tokens of ${excess.limit}.`,
        )
      }
      // Only a limit in bytes can be missed by a summary that keeps to its tokens.
      if (excess?.of !== 'bytes') return result
      targetTokens = tighten(targetTokens, excess)
    }
    return undefined
  }

  #plan(strategy: Strategy, base: Conversation, targetTokens: number, isRetry = false): readonly Edit[] | undefined {
    const { limits, mayRelax, onStep } = this.#options
    // Ends that were asked for and leave no room for anything else give way.
    const keep = isRetry && mayRelax ? undefined : this.#options.keep
    onStep?.('plan')
    const plan = strategy.plan(this.#measure(base).view, {
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
    const { targetTokens } = this.#measure(base)
    const excess = findExcess(base, { ...limits, tokens: Infinity }, counter)
    if (excess?.of !== 'bytes') return targetTokens
    return Math.min(targetTokens, tighten(counter.countConversation(base).upper, excess))
  }

  fits(conversation: Conversation): boolean {
    return findExcess(conversation, this.#options.limits, this.#options.counter) === undefined
  }

  /** Whether a result made of `base` is as small as was wished. */
  reaches(conversation: Conversation, base: Conversation): boolean {
    const { limits, counter } = this.#options
    return findExcess(conversation, { ...limits, tokens: this.#measure(base).targetTokens }, counter) === undefined
  }

  isSmaller(result: Conversation, base: Conversation): boolean {
    const { counter } = this.#options
    return result !== base && counter.countConversation(result).upper < counter.countConversation(base).upper
  }

  /** Every rung plans over one of few histories. */
  #measure(base: Conversation): Measured {
    let measured = this.#measured.get(base)
    if (!measured) {
      measured = this.#measureAnew(base)
      this.#measured.set(base, measured)
    }
    return measured
  }

  #measureAnew(base: Conversation): Measured {
    const { counter, limits, targetTokens, ledgerTokens } = this.#options
    const view = createView(base, counter)
    const most = countStaying(view, ALL) + ledgerTokens + FRAME_TOKENS
    const leavesNoSummary = this.#leavesNoSummary(view)
    // The ledger is read only where it matters.
    if (
      !leavesNoSummary &&
      limits.bytes === undefined &&
      raiseTarget(targetTokens, most, limits.tokens) === targetTokens
    ) {
      return { view, targetTokens, isOpenFree: false }
    }
    const whole = this.#keepWhatStays(view, ALL)
    const isOpenFree = leavesNoSummary || !this.fits(whole)
    const staying = isOpenFree ? this.#keepWhatStays(view, ONLY_REQUEST) : whole
    return {
      view: isOpenFree ? createView(base, counter, true) : view,
      targetTokens: raiseTarget(targetTokens, counter.countConversation(staying).upper, limits.tokens),
      isOpenFree,
    }
  }

  /** Whether results that the agent has not seen yet are better summarized with the rest. */
  #leavesNoSummary(view: StrategyView): boolean {
    const { limits, targetTokens } = this.#options
    if (targetTokens < limits.tokens) return false
    return countStaying(view, ALL) - countStaying(view, ONLY_REQUEST) > limits.tokens * MOST_OPEN_SHARE
  }

  #keepWhatStays(view: StrategyView, staying: Staying): Conversation {
    return keepWhatStays(view, staying, this.#options.ledger)
  }

  /** For what `whole` has and `beside` has not. */
  #findRoom(beside: Conversation, whole: Conversation): number {
    const { limits, counter } = this.#options
    const count = (conversation: Conversation) => counter.countConversation(conversation).upper
    const room = limits.tokens - count(beside)
    if (limits.bytes === undefined) return room
    const share = (limits.bytes - countBytes(beside)) / Math.max(countBytes(whole) - countBytes(beside), 1)
    return Math.min(room, (count(whole) - count(beside)) * share * AIM)
  }
}

/** Turns an edit into the same without any summary: no summary can make a result that is smaller. */
function toBare(edit: Edit): SettledEdit[] {
  if (edit.type === 'rewrite') return []
  if (edit.type !== 'summarize') return [edit]
  const borders = [edit.start - 1, ...edit.keep, edit.end]
  return borders.slice(1).flatMap((border, index) => {
    const start = borders[index]! + 1
    return start < border ? [{ type: 'drop' as const, start, end: border }] : []
  })
}

interface Measured {
  readonly view: StrategyView
  /** The size that results made of it aim at. */
  readonly targetTokens: number
  /** Results that the agent has not seen yet cannot stay beside the last request, whatever else is removed. */
  readonly isOpenFree: boolean
}

const ALL: Staying = { request: true, open: true }
const ONLY_REQUEST: Staying = { request: true, open: false }
const ONLY_OPEN: Staying = { request: false, open: true }
const NOTHING: Staying = { request: false, open: false }

// A budget without a target below it is for a whole session. Where the newest results take more than this of it, a summary of
// them and of all that came before says more: at 4 000 tokens .67 of the references that were needed later, against .60
// beside results that stay, clipped where they have to be (26 cuts of recorded sessions).
const MOST_OPEN_SHARE = 0.75
// Of a summary without words, its notes included.
const FRAME_TOKENS = 300
const MOST_ROUNDS = 4
const TIGHTER = 0.7
// Aiming a little lower ends the search in one or two rounds.
const AIM = 0.95

function tighten(targetTokens: number, { amount, limit }: { amount: number; limit: number }): number {
  return Math.floor(targetTokens * Math.min(limit / amount, 1) * AIM)
}
