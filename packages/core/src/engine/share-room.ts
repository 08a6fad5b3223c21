/**
 * Divides the space between a summary and the ends that stay, so that the fewest facts and lines of
 * answers are lost.
 * Many tails are possible, and writing a summary for each takes too long. So the loss of a summary
 * is predicted from two counts: the facts that appear nowhere else, and how many of these a token
 * kept in earlier summaries. Only the most promising tails are tried.
 */
import type { SummarizeEdit } from '../conversation/edit.ts'
import type { Conversation } from '../conversation/message.ts'
import { inSteps, type Pause } from '../conversation/steps.ts'
import type { FactSet, FactSurvey } from '../facts/survey.ts'
import type { StrategyView } from '../strategies/strategy.ts'
import type { Fit } from './verdict.ts'

/** How much of a history stays next to its summary. */
export interface RoomShare {
  /**
   * At least this many tokens at the end stay, if that leaves space for a summary. 0 for what the
   * strategy keeps by default.
   */
  readonly tailTokens: number
  /** Whether the beginning is summarized too. */
  readonly withoutHead: boolean
}

export const OWN_SHARE: RoomShare = { tailTokens: 0, withoutHead: false }

interface ShareOptions {
  readonly view: StrategyView
  readonly targetTokens: number
  readonly countTokens: (conversation: Conversation) => number
  /** Whether other ends than the strategy's may stay. */
  readonly isFree: boolean
  /** Whether the beginning stays as the strategy or the host wants it. */
  readonly isHeadFixed: boolean
  readonly pause: Pause
  readonly readSurvey: () => Promise<FactSurvey>
  /** The spans that would be summarized. Undefined if the strategy finds none. */
  readonly plan: (share: RoomShare) => readonly SummarizeEdit[] | undefined
}

/** A result, how its space was divided, and the spans that its summaries replace. */
interface Tried {
  readonly fit: Fit
  /** Undefined if nothing was summarized. */
  readonly share?: RoomShare
  readonly spans: readonly SummarizeEdit[]
  /** Whether a model is to write its summary. */
  readonly isTrial: boolean
}

// A tail gets what the last summary left of the space, if that is at least this share of the
// target.
const SMALLEST_SPARE = 0.05
// In less than this share of a history, a summary fills its space with any tail. Trying others
// would only take time.
const SMALLEST_ROOM_SHARE = 0.15
// Each tail is shorter by this factor. Tails are measured from the history and not from the target.
// Otherwise a larger budget could skip a better tail.
const TAIL_STEP = Math.sqrt(1.4)
const SHORTEST_TAIL_SHARE = 0.03

/** The results of a series that are small enough, and the shares that are still to be tried. */
export class SharedRoom {
  readonly #options: ShareOptions
  #tried: readonly Tried[] = []
  /** Gives way to the next result, because that has all it has and more. */
  #narrow: Tried | undefined
  readonly #lost = new Map<Tried, FactSet>()
  readonly #within = new Map<string, FactSet>()
  readonly #spans = new Set<string>()

  constructor(options: ShareOptions) {
    this.#options = options
  }

  note(fit: Fit, share?: RoomShare, spans: readonly SummarizeEdit[] = [], isTrial = false): void {
    const others = this.#tried.filter((tried) => tried !== this.#narrow)
    this.#tried = [...others, { fit, share, spans, isTrial }]
    this.#spans.add(render(spans))
  }

  /** Notes spans whose summary came to nothing. */
  pass(spans: readonly SummarizeEdit[]): void {
    this.#spans.add(render(spans))
  }

  /** The result that loses the fewest facts. If several do, the one that changes least. */
  async best(withTrials = true): Promise<Tried | undefined> {
    const [first, ...others] = this.#tried.filter(({ isTrial }) => withTrials || !isTrial)
    if (!first || others.length === 0) return first
    let best = first
    for (const tried of others)
      if ((await this.#countLost(tried)) < (await this.#countLost(best))) best = tried
    return best
  }

  /** The share that promises to lose the fewest facts. Undefined if none is worth a summary. */
  async next(): Promise<RoomShare | undefined> {
    const summaries = this.#tried.filter(({ share }) => share !== undefined)
    const [first] = summaries
    if (!first) return undefined
    const widened = this.#widen(summaries.at(-1)!)
    const { view, targetTokens, isFree } = this.#options
    const total = view.tokensBefore.at(-1)!
    const hasRoom =
      this.#tried.length > summaries.length || targetTokens > total * SMALLEST_ROOM_SHARE
    if (!isFree || !hasRoom) {
      this.#narrow = summaries.at(-1)
      return widened
    }
    const survey = await this.#options.readSurvey()
    const best = (await this.best()) ?? first
    const leastLost = await this.#countLost(best)
    let promising: { readonly share: RoomShare; readonly lost: number } | undefined
    for (const share of [...(widened ? [widened] : []), ...this.#listShares(first)]) {
      const spans = this.#options.plan(share)
      if (!spans || this.#spans.has(render(spans))) continue
      if (summaries.some((tried) => this.#isAlike(tried.spans, spans, survey))) continue
      const lost =
        (await this.#foretell(spans, summaries, survey)) * (share.withoutHead ? MARGIN : 1)
      if (!promising || lost < promising.lost) promising = { share, lost }
    }
    const mostLost =
      leastLost * MOST_FORETOLD[Math.min(summaries.length, MOST_FORETOLD.length) - 1]!
    return promising && promising.lost < mostLost ? promising.share : undefined
  }

  /** Gives the tail what the summary next to it did not need. */
  #widen({ fit, share }: Tried): RoomShare | undefined {
    const { view, plan } = this.#options
    const spare = this.#countSpare({ fit })
    if (spare === 0) return undefined
    const tailTokens = countTail(view, fit.result) + spare
    const widened = { tailTokens, withoutHead: share?.withoutHead ?? false }
    const spans = plan(widened)
    return spans && !this.#spans.has(render(spans)) ? widened : undefined
  }

  /** Tokens that a result left unused. 0 if there are only a few. */
  #countSpare({ fit }: Pick<Tried, 'fit'>): number {
    const { targetTokens, countTokens } = this.#options
    const spare = targetTokens - countTokens(fit.result)
    return spare < targetTokens * SMALLEST_SPARE ? 0 : spare
  }

  #listShares({ fit }: Tried): RoomShare[] {
    const { view, targetTokens, isHeadFixed } = this.#options
    const total = view.tokensBefore.at(-1)!
    const shortest = Math.max(countTail(view, fit.result), total * SHORTEST_TAIL_SHARE)
    return (isHeadFixed ? [false] : [false, true]).flatMap((withoutHead) => {
      const tails = withoutHead ? [0] : []
      for (let tokens = total; tokens > shortest; tokens /= TAIL_STEP)
        if (tokens < targetTokens) tails.push(tokens)
      // The last one is the longest that leaves space for a summary.
      return [...tails, Infinity].map((tailTokens) => ({ tailTokens, withoutHead }))
    })
  }

  /**
   * What a summary of other spans lost is lost again if it is in these spans too. The same share of
   * the additional facts is lost. A summary loses less if it has more space for each fact.
   */
  async #foretell(
    spans: readonly SummarizeEdit[],
    summaries: readonly Tried[],
    survey: FactSurvey,
  ): Promise<number> {
    const inside = this.#listWithin(spans, survey)
    if (inside.size === 0) return 0
    const differ = (tried: Tried) => countOthers(inside, this.#listWithin(tried.spans, survey))
    const known = summaries.reduce((nearest, tried) =>
      differ(tried) < differ(nearest) ? tried : nearest,
    )
    const knownInside = this.#listWithin(known.spans, survey)
    const lost = await this.#findLost(known)
    const knownShare = lost.size / Math.max(knownInside.size, 1)
    let again = 0
    inside.weights.forEach((weight, fact) => {
      if (weight === 0) return
      if (lost.weights[fact] !== 0) again += weight
      else if (knownInside.weights[fact] === 0) again += knownShare * weight
    })
    const spare = this.#countSpare(known)
    const knownRoom = (countRoom(known.spans) - spare) / Math.max(knownInside.size, 1)
    // A summary that left space had no more to say, and another one would not either.
    const room = Math.min(countRoom(spans) / inside.size, spare > 0 ? knownRoom : Infinity)
    const share = Math.min(Math.max(again, LEAST_LOST) / inside.size, 1)
    return inside.size * share ** ((room / knownRoom) ** ROOM_POWER)
  }

  async #countLost(tried: Tried): Promise<number> {
    return (await this.#findLost(tried)).size
  }

  async #findLost(tried: Tried): Promise<FactSet> {
    const known = this.#lost.get(tried)
    if (known !== undefined) return known
    const survey = await this.#options.readSurvey()
    const lost = await inSteps(survey.findLost(tried.fit.result.messages), this.#options.pause)
    this.#lost.set(tried, lost)
    return lost
  }

  #listWithin(spans: readonly SummarizeEdit[], survey: FactSurvey): FactSet {
    const key = render(spans)
    const found = this.#within.get(key) ?? survey.listWithin(spans)
    this.#within.set(key, found)
    return found
  }

  /** Whether both would be summaries of nearly the same facts in about the same space. */
  #isAlike(
    some: readonly SummarizeEdit[],
    others: readonly SummarizeEdit[],
    survey: FactSurvey,
  ): boolean {
    if (Math.abs(countRoom(some) / countRoom(others) - 1) > ALIKE_ROOM) return false
    const inside = this.#listWithin(some, survey)
    return countOthers(inside, this.#listWithin(others, survey)) <= inside.size * ALIKE_FACTS
  }
}

// A share of zero would predict no loss in any space.
const LEAST_LOST = 0.5

/** The weight of facts that only one of both has. */
function countOthers(some: FactSet, others: FactSet): number {
  let count = 0
  for (let fact = 0; fact < some.weights.length; fact++)
    count += Math.abs(some.weights[fact]! - others.weights[fact]!)
  return count
}

const render = (spans: readonly SummarizeEdit[]): string =>
  spans.map(({ start, end }) => `${start} ${end}`).join(', ')

// Twice the space keeps less than twice the facts, because the first facts need the fewest tokens.
const ROOM_POWER = 0.3
// So many times what the best result loses may be foretold from one, two and three summaries. Of 32
// summaries of recorded sessions beyond that, none was the best.
const MOST_FORETOLD = [3, 2, 1.25]
// The beginning is removed only if that promises clearly more.
const MARGIN = 1.1
// A tail that is more similar to one that was tried shows little that is new.
const ALIKE_ROOM = 0.1
const ALIKE_FACTS = 0.05

const countRoom = (spans: readonly SummarizeEdit[]): number =>
  spans.reduce((sum, { targetTokens }) => sum + targetTokens, 1)

/** Tokens at the end that a result has as they were. */
function countTail(
  { conversation: { messages }, tokensBefore }: StrategyView,
  result: Conversation,
): number {
  let count = 0
  while (count < messages.length && messages.at(-1 - count) === result.messages.at(-1 - count))
    count++
  return tokensBefore.at(-1)! - tokensBefore[messages.length - count]!
}
