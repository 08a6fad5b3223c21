/** Measures the ends of a history that are kept. Legal cuts come from `cut-points.ts`. */
import {
  aCount,
  aShareOrNone,
  checkValue,
  type Kind,
  oneMember,
  oneOf,
} from '../conversation/check-options.ts'
import { bisect } from '../conversation/lists.ts'
import type { Message } from '../conversation/message.ts'
import type { Keep, StrategyView } from './strategy.ts'

const NEWEST_STEP_SHARE = 0.6

/** What a `Keep` may be. */
export const aKeep: Kind = oneMember(
  { fraction: aShareOrNone, tokens: aCount, messages: aCount, turns: aCount },
  { of: oneOf(['tokens', 'messages']) },
)

/**
 * Throws `RangeError` on a fraction that is not from 0 to 1, and on any other number that is not
 * whole.
 */
export const assertKeep = (keep: Keep, end: 'head' | 'tail'): void =>
  checkValue('Planning', `keep.${end}`, keep, aKeep)

export function countBetween(view: StrategyView, start: number, end: number): number {
  return end <= start ? 0 : view.tokensBefore[end]! - view.tokensBefore[start]!
}

export const countAt = (view: StrategyView, positions: readonly number[]): number =>
  positions.reduce((sum, position) => sum + countBetween(view, position, position + 1), 0)

/**
 * End of the kept head: a legal cut at or after `floor`. `basisTokens` is what a fraction is of.
 */
export function findHeadEnd(
  view: StrategyView,
  keep: Keep,
  basisTokens: number,
  floor: number,
): number {
  const { messages } = view.conversation
  if ('turns' in keep) {
    const start = keep.turns > 0 ? (view.turns[keep.turns]?.start ?? messages.length) : floor
    // A user who steers begins a turn between a call and its result.
    return Math.max(view.cutPoints.nearestCut(start, 'forward') ?? floor, floor)
  }
  const wanted = countKept(keep, messages.length - floor)
  if (wanted !== undefined) return view.cutPoints.nearestCut(floor + wanted, 'forward') ?? floor
  const limit = view.tokensBefore[floor]! + limitTokens(keep, basisTokens)
  const lastWithin = firstIndexFrom(view.tokensBefore, limit + 1) - 1
  return view.cutPoints.nearestCut(lastWithin, 'backward', floor) ?? floor
}

/**
 * Start of the kept tail: a legal cut at or after `floor`, never after the start of calls that are
 * not answered yet.
 */
export function findTailStart(
  view: StrategyView,
  keep: Keep,
  basisTokens: number,
  floor: number,
): number {
  const start = Math.min(
    findUnboundTailStart(view, keep, basisTokens),
    view.cutPoints.openStart ?? Infinity,
  )
  return Math.max(start, floor)
}

function findUnboundTailStart(view: StrategyView, keep: Keep, basisTokens: number): number {
  const count = view.conversation.messages.length
  if ('turns' in keep) {
    const start = keep.turns > 0 ? (view.turns.at(-keep.turns)?.start ?? 0) : count
    return view.cutPoints.nearestCut(start, 'backward') ?? 0
  }
  const end = findStepsEnd(view)
  const wanted = countKept(keep, count)
  if (wanted === 0) return count
  if (wanted !== undefined) return view.cutPoints.nearestCut(end - wanted, 'backward') ?? 0
  const limit = limitTokens(keep, basisTokens)
  const start = findTailStartWithin(view, limit)
  const newest = view.cutPoints.nearestCut(end - 1, 'backward') ?? count
  if (start <= newest || limit <= 0) return start
  // The newest step exceeds its share even on its own. It is still worth more than anything else,
  // up to most of the space.
  return countBetween(view, newest, count) <= basisTokens * NEWEST_STEP_SHARE ? newest : start
}

/**
 * Notices of a host at the end, such as that a turn was interrupted, are no step of their own: the
 * tail is measured before them.
 */
function findStepsEnd({ conversation: { messages } }: StrategyView): number {
  const isOfStep = ({ role, origin }: Message) =>
    role === 'assistant' || role === 'tool' || (role === 'user' && origin === 'user')
  return messages.findLastIndex(isOfStep) + 1 || messages.length
}

/**
 * Start of the longest tail of whole units that fits `limitTokens`. The length of the history if no
 * tail fits.
 */
export function findTailStartWithin(view: StrategyView, limitTokens: number): number {
  const count = view.conversation.messages.length
  const from = firstIndexFrom(view.tokensBefore, view.tokensBefore[count]! - limitTokens)
  return view.cutPoints.nearestCut(from, 'forward') ?? count
}

/** Messages that a keep asks for, if it counts messages. */
function countKept(keep: Keep, messageCount: number): number | undefined {
  if ('messages' in keep) return keep.messages
  if ('fraction' in keep && keep.of === 'messages') return Math.ceil(messageCount * keep.fraction)
  return undefined
}

function limitTokens(keep: Keep, basisTokens: number): number {
  if ('tokens' in keep) return keep.tokens
  return 'fraction' in keep ? Math.floor(basisTokens * keep.fraction) : 0
}

/** The smallest index whose value is at least `limit`. The length if there is no such index. */
function firstIndexFrom(ascending: readonly number[], limit: number): number {
  return bisect(ascending.length, (index) => ascending[index]! >= limit)
}
