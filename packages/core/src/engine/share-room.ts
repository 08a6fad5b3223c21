/**
 * Shares the room out between a summary and the ends that stay, so that the fewest facts are lost.
 */
import type { Conversation } from '../conversation/message.ts'
import { inSteps, type Pause, type Steps } from '../conversation/steps.ts'
import { type FactSurvey, surveyFacts } from '../facts/receipt.ts'
import type { StrategyView } from '../strategies/strategy.ts'
import type { Climb, RoomShare } from './attempts.ts'

interface ShareOptions {
  readonly view: StrategyView
  readonly targetTokens: number
  readonly countTokens: (conversation: Conversation) => number
  readonly pins: readonly string[]
  /** What suffices without a summary. */
  readonly cleared: Climb | undefined
  /** Whether other ends than those of the strategy may stay. */
  readonly isFree: boolean
  /** Whether the beginning stays as the strategy or the host wants it. */
  readonly isHeadFixed: boolean
  readonly pause: Pause | undefined
  /** Summarizes by extraction; undefined where nothing new comes of it that is small enough. */
  readonly attempt: (share: RoomShare) => Promise<Climb | undefined>
}

/** A result, and how its room was shared out; nothing was summarized where that is undefined. */
export interface SharedRoom {
  readonly climb: Climb
  readonly share?: RoomShare
}

// How often the tail is given what a summary leaves of the room, and from which share of the target
// on.
const MOST_WIDENINGS = 3
const SMALLEST_SPARE = 0.05
// In less than this share of a history a summary fills its room whatever the tail: other ways would
// only take time.
const SMALLEST_ROOM_SHARE = 0.15
// Each tail that is tried is shorter by this factor. They are measured from the history and not
// from the target, so that more room never means that a better one is no longer tried.
const TAIL_STEP = 1.4
const SHORTEST_TAIL_SHARE = 0.03

/**
 * The result that loses fewest facts; of several, the one that changes least. Undefined when none
 * is small enough.
 */
export async function shareRoom(options: ShareOptions): Promise<SharedRoom | undefined> {
  const { view, targetTokens, cleared } = options
  const found: SharedRoom[] = cleared ? [{ climb: cleared }] : []
  const attempt = async (share: RoomShare) => {
    const climb = await options.attempt(share)
    await options.pause?.()
    if (climb) found.push({ climb, share })
    return climb
  }
  const first = await fillRoom(options, attempt)
  const total = view.tokensBefore.at(-1)!
  if (first && options.isFree && (found.length > 1 || targetTokens > total * SMALLEST_ROOM_SHARE)) {
    const shortest = Math.max(countTail(view, first.smallest), total * SHORTEST_TAIL_SHARE)
    for (const withoutHead of options.isHeadFixed ? [false] : [false, true]) {
      if (withoutHead) await attempt({ tailTokens: 0, withoutHead })
      for (let tailTokens = total; tailTokens > shortest; tailTokens /= TAIL_STEP) {
        if (tailTokens < targetTokens) await attempt({ tailTokens, withoutHead })
      }
      // The longest that leaves room for a summary at all.
      await attempt({ tailTokens: Infinity, withoutHead })
    }
  }
  const { messages, workingDirectory } = view.conversation
  const survey = () => surveyFacts(messages, { workingDirectory, pins: options.pins })
  return await inSteps(findBest(found, survey), options.pause)
}

/** Gives the tail what a summary does not need; the first result, whose tail is the shortest. */
async function fillRoom(
  { view, targetTokens, countTokens }: ShareOptions,
  attempt: (share: RoomShare) => Promise<Climb | undefined>,
): Promise<Climb | undefined> {
  const first = await attempt({ tailTokens: 0 })
  let last = first
  for (let round = 0; last && round < MOST_WIDENINGS; round++) {
    const spare = targetTokens - countTokens(last.smallest)
    if (spare < targetTokens * SMALLEST_SPARE) break
    last = await attempt({ tailTokens: countTail(view, last.smallest) + spare })
  }
  return first
}

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

function* findBest(
  [first, ...others]: readonly SharedRoom[],
  createSurvey: () => Steps<FactSurvey>,
): Steps<SharedRoom | undefined> {
  if (!first || others.length === 0) return first
  const survey = yield* createSurvey()
  const count = ({ climb }: SharedRoom) => survey.countLost(climb.smallest.messages)
  let best = { room: first, lost: yield* count(first) }
  for (const room of others) {
    const lost = yield* count(room)
    if (lost < best.lost) best = { room, lost }
  }
  return best.room
}
