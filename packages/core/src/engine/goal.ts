/**
 * The goal that results are compared with: the limits, and a size to aim at if the kept parts allow
 * it.
 */
import { apply } from '../conversation/apply.ts'
import type { AppliedEdit } from '../conversation/edit.ts'
import type { Conversation, Message } from '../conversation/message.ts'
import { clipParts, clipResults } from '../strategies/clip-parts.ts'
import type { Strategy, StrategyView } from '../strategies/strategy.ts'
import type { TokenCounter } from '../tokens/counter.ts'
import type { CarriedLedger } from './carry-ledger.ts'
import { raiseTarget } from './economics.ts'
import type { Known } from './known.ts'
import type { Stage } from './ladder.ts'
import { countBytes, type Excess, findExcess, type Limits } from './limits.ts'
import { assertValid, createView } from './view.ts'

export interface GoalOptions {
  readonly limits: Limits
  /** The size that a result aims at if the kept parts allow it. Never above the limit. */
  readonly targetTokens: number
  readonly counter: TokenCounter
  /** Upper limit of what a ledger may take. */
  readonly ledgerTokens: number
  readonly known: Known
}

interface MeasuredGoal {
  readonly view: StrategyView
  readonly targetTokens: number
  /**
   * Results that the agent has not seen yet do not fit next to the last request, whatever else is
   * removed.
   */
  readonly isOpenFree: boolean
}

/** Which messages every plan has to keep, in addition to the opening of the history. */
interface Staying {
  readonly request: boolean
  /** Calls that are not answered yet, with their results and all that came since. */
  readonly open: boolean
}

const ALL: Staying = { request: true, open: true }
const ONLY_REQUEST: Staying = { request: true, open: false }
const ONLY_OPEN: Staying = { request: false, open: true }
const NOTHING: Staying = { request: false, open: false }

// If the latest results take more than this share of the space next to the ledger, in a budget
// without a target, a summary of them and of everything before them is better. At 4,000 tokens it
// kept .67 of the references that were needed later, instead of .60 (26 cuts of recorded sessions).
const MOST_OPEN_SHARE = 0.75
// Tokens of an empty summary message, its notes included.
const FRAME_TOKENS = 300
// Clipped parts may take this share of the space, and more if there is little else to summarize.
const CLIPPED_SHARE = 0.5
const SUMMARY_FRAME_TOKENS = 100
// Aiming a little lower ends the search for a size in one or two rounds.
const AIM = 0.95

export class Goal {
  readonly #options: GoalOptions
  /** The ledger of the history that was given first: every result says it. */
  readonly #ledger: CarriedLedger
  readonly #measured = new WeakMap<Conversation, MeasuredGoal>()

  constructor(options: GoalOptions, ledger: CarriedLedger) {
    this.#options = options
    this.#ledger = ledger
  }

  countTokens(conversation: Conversation): number {
    return this.#options.counter.countConversation(conversation).upper
  }

  fits(conversation: Conversation): boolean {
    return this.findExcess(conversation) === undefined
  }

  findExcess(conversation: Conversation): Excess | undefined {
    return findExcess(conversation, this.#options.limits, this.#options.counter)
  }

  /**
   * By how much a result made of `base`, with all that is in it, misses the size that it aims at.
   */
  findMiss(conversation: Conversation, base: Conversation): Excess | undefined {
    const { limits, counter } = this.#options
    return findExcess(
      conversation,
      { ...limits, tokens: this.#measure(base).targetTokens },
      counter,
    )
  }

  /** Whether a result made of `base` is as small as was wished. */
  reaches(conversation: Conversation, base: Conversation): boolean {
    return this.findMiss(conversation, base) === undefined
  }

  isSmaller(result: Conversation, base: Conversation): boolean {
    return result !== base && this.countTokens(result) < this.countTokens(base)
  }

  /** One rung further, or the same stage if the rung made nothing smaller. */
  advance(stage: Stage, name: string, after: Conversation | undefined): Stage {
    const before = stage.conversation
    if (!after || !this.isSmaller(after, before)) return stage
    assertValid(after, { name }, before, this.#options.known.violationsOf(after))
    return { conversation: after, taken: [...stage.taken, { name, before, after }] }
  }

  viewOf(base: Conversation): StrategyView {
    return this.#measure(base).view
  }

  /**
   * Tokens that a plan over `base` aims at. If bytes are the tighter limit, tokens follow them,
   * because both grow with text.
   */
  targetFor(base: Conversation): number {
    const { limits, counter } = this.#options
    const { targetTokens } = this.#measure(base)
    const excess = findExcess(base, { ...limits, tokens: Infinity }, counter)
    if (excess?.of !== 'bytes') return targetTokens
    return Math.min(targetTokens, tighten(this.countTokens(base), excess))
  }

  /** Removes everything that may be removed. Undefined if even that does not fit. */
  keepWhatStays(base: Conversation): Conversation | undefined {
    const least = this.#keep(this.viewOf(base), ALL)
    const isValid = this.fits(least) && this.#options.known.violationsOf(least).length === 0
    return isValid ? least : undefined
  }

  /**
   * Clips messages that have to stay but do not fit whole: results that the agent has not seen yet.
   * If that is not enough and `mayClipRequest`, it also clips the words around them, and a request
   * that does not fit by itself.
   */
  clip(base: Conversation, mayClipRequest: boolean): Conversation {
    const view = this.#options.known.viewOf(base)
    const whole = this.#keep(view, ALL)
    if (this.fits(whole)) return base
    if (this.#leavesNoSummary(view) && !mayClipRequest) return base
    const beside = this.#keep(view, ONLY_REQUEST)
    const isRequestSafe = this.fits(beside)
    if (!isRequestSafe && !mayClipRequest) return base
    const clipped = isRequestSafe
      ? this.#clip(
          view,
          ONLY_OPEN,
          this.#findRoom(beside, whole),
          mayClipRequest ? clipParts : clipResults,
        )
      : this.#clip(view, ALL, this.#findRoom(this.#keep(view, NOTHING), whole), clipParts)
    return mayClipRequest || !this.#measure(clipped).isOpenFree ? clipped : base
  }

  /** Measures a history once. All rungs plan over a few histories. */
  #measure(base: Conversation): MeasuredGoal {
    const measured = this.#measured.get(base) ?? this.#measureNew(base)
    this.#measured.set(base, measured)
    return measured
  }

  #measureNew(base: Conversation): MeasuredGoal {
    const { known, limits, targetTokens, ledgerTokens } = this.#options
    const view = known.viewOf(base)
    const most = countStaying(view, ALL) + ledgerTokens + FRAME_TOKENS
    const leavesNoSummary = this.#leavesNoSummary(view)
    const isInReach = raiseTarget(targetTokens, most, limits.tokens) === targetTokens
    // The ledger is read only if it matters.
    if (!leavesNoSummary && limits.bytes === undefined && isInReach)
      return { view, targetTokens, isOpenFree: false }
    const whole = this.#keep(view, ALL)
    const isOpenFree = leavesNoSummary || !this.fits(whole)
    const staying = isOpenFree ? this.#keep(view, ONLY_REQUEST) : whole
    return {
      view: isOpenFree ? known.viewOf(base, true) : view,
      targetTokens: raiseTarget(targetTokens, this.countTokens(staying), limits.tokens),
      isOpenFree,
    }
  }

  /** Whether results that the agent has not seen yet are better summarized with the rest. */
  #leavesNoSummary(view: StrategyView): boolean {
    const { limits, targetTokens } = this.#options
    if (targetTokens < limits.tokens) return false
    const room = limits.tokens - this.#ledger.reserveTokens
    const { openStart = Infinity } = view.cutPoints
    // What the user sent is no result.
    const results = countMessages(
      view,
      (index, { origin }) => index >= openStart && origin !== 'user',
    )
    return results > room * MOST_OPEN_SHARE
  }

  /**
   * The history without anything that may go, and with its ledger: no plan makes less of it unless
   * it changes what stays.
   */
  #keep(view: StrategyView, staying: Staying): Conversation {
    const stays = findStaying(view, staying)
    const drops = view.conversation.messages.flatMap((_, index): AppliedEdit[] =>
      stays(index) ? [] : [{ type: 'drop', start: index, end: index + 1 }],
    )
    return this.#ledger.say(apply(view.conversation, drops), drops[0]?.start)
  }

  /** Tokens left for the messages of `whole` that `beside` does not contain. */
  #findRoom(beside: Conversation, whole: Conversation): number {
    const { limits } = this.#options
    const count = (conversation: Conversation) => this.countTokens(conversation)
    const room = limits.tokens - count(beside)
    if (limits.bytes === undefined) return room
    const share =
      (limits.bytes - countBytes(beside)) / Math.max(countBytes(whole) - countBytes(beside), 1)
    return Math.min(room, (count(whole) - count(beside)) * share * AIM)
  }

  /**
   * Clips messages that have to stay, so that a part of `room` is left for a summary of the rest.
   */
  #clip(view: StrategyView, staying: Staying, room: number, strategy: Strategy): Conversation {
    const { counter } = this.#options
    const { conversation } = view
    const stays = findStaying(view, staying)
    const positions = conversation.messages.flatMap((_, index) => (stays(index) ? [index] : []))
    const bare = {
      ...conversation,
      messages: positions.map((index) => conversation.messages[index]!),
    }
    const system = { ...bare, messages: conversation.messages.slice(0, view.cutPoints.fixedEnd) }
    const restTokens = view.tokensBefore.at(-1)! + view.fixedTokens - countStaying(view, ALL)
    const shareTokens = Math.max(
      Math.floor(room * CLIPPED_SHARE),
      room - restTokens - SUMMARY_FRAME_TOKENS,
      0,
    )
    const targetTokens = counter.countConversation(system).upper + shareTokens
    const plan = strategy.plan(createView(bare, counter), { targetTokens })
    if ('noop' in plan) return conversation
    const edits = plan.edits.flatMap((edit): AppliedEdit[] => {
      const start = positions[edit.start]!
      return edit.type === 'replace' && edit.end === edit.start + 1
        ? [{ ...edit, start, end: start + 1 }]
        : []
    })
    return apply(conversation, edits)
  }
}

/** A size for the next try, after one that missed a limit by `excess`. */
export function tighten(targetTokens: number, { amount, limit }: Excess): number {
  return Math.floor(targetTokens * Math.min(limit / amount, 1) * AIM)
}

/**
 * Tokens of the last request and, with `withOpen`, of what the agent has not answered yet. They
 * include system prompts and tool schemas.
 */
export const countWhatStays = (view: StrategyView, withOpen: boolean): number =>
  countStaying(view, withOpen ? ALL : ONLY_REQUEST)

/** Tokens of what stays, system prompts and tool schemas included. */
const countStaying = (view: StrategyView, staying: Staying): number =>
  view.fixedTokens + countMessages(view, findStaying(view, staying))

const countMessages = (
  { conversation: { messages }, tokensBefore }: StrategyView,
  isCounted: (index: number, message: Message) => boolean,
): number =>
  messages.reduce(
    (sum, message, index) =>
      isCounted(index, message) ? sum + tokensBefore[index + 1]! - tokensBefore[index]! : sum,
    0,
  )

function findStaying(
  { cutPoints, lastUserRequest, asked }: StrategyView,
  { request, open }: Staying,
) {
  const openStart = open ? (cutPoints.openStart ?? Infinity) : Infinity
  const last = lastUserRequest ?? -1
  // A request that is tied to what was before it stays with that.
  const start = cutPoints.isTied(last) ? cutPoints.nearestCut(last, 'backward')! : last
  return (index: number): boolean => {
    if (index < cutPoints.fixedEnd) return true
    if (asked.includes(index) || (start <= index && index <= last)) return request
    return index >= openStart
  }
}
