import type { Edit } from '../conversation/edit.ts'
import { bisect } from '../conversation/lists.ts'
import type { Message } from '../conversation/message.ts'
import { countAt, findTailStartWithin } from './ends.ts'
import type { Strategy, StrategyView } from './strategy.ts'

/**
 * Drops the oldest whole units until the rest fits, without a model or synthetic text. The rest is
 * a contiguous suffix after the request of the turn it begins in. So every answer has its question,
 * and the last request is always there. Source: llxprt-code, which counts the whole rest again for
 * every dropped message. Here prefix sums are searched.
 */
export const topDownTruncation: Strategy = {
  name: 'top-down-truncation',
  summarizes: false,
  plan(view, options) {
    const { messages } = view.conversation
    const fixedEnd = view.cutPoints.fixedEnd
    if (messages.length === fixedEnd) return { noop: 'empty-history' }
    if (view.tokensBefore.at(-1)! + view.fixedTokens <= options.targetTokens)
      return { noop: 'already-under-target' }
    const available = options.targetTokens - view.fixedTokens - view.tokensBefore[fixedEnd]!
    const { start, opening } = findSuffix(view, available, fixedEnd)
    const kept = [...opening.filter((index) => index >= fixedEnd), start]
    const edits = kept.flatMap((end, place): Edit[] => {
      const from = place === 0 ? fixedEnd : kept[place - 1]! + 1
      return from < end ? [{ type: 'drop', start: from, end }] : []
    })
    return edits.length > 0 ? { edits } : { noop: 'no-legal-cut' }
  },
}

// A conversation is at least a question and an answer (llxprt-code keeps two messages).
const MINIMUM_MESSAGES = 2

/**
 * The longest suffix that fits together with what opened its turn, if that comes before it.
 */
function findSuffix(view: StrategyView, available: number, fixedEnd: number) {
  const newest = newestStart(view)
  let start = Math.max(Math.min(findTailStartWithin(view, available), newest), fixedEnd)
  for (;;) {
    const opening = findOpening(view, start)
    if (opening.length === 0) return { start, opening }
    const room = available - countAt(view, opening)
    // If no part of this turn fits beside its request, the whole next turn may: without this request
    // there is more room.
    const wanted = Math.min(findTailStartWithin(view, room), findNextTurn(view, start) ?? Infinity)
    const next = Math.max(Math.min(wanted, newest), start)
    if (next === start) return { start, opening }
    start = next
  }
}

/**
 * The start of the part that is never dropped: the last messages, and calls that are not answered
 * yet.
 */
function newestStart(view: StrategyView): number {
  const { cutPoints, conversation } = view
  const minimum =
    cutPoints.nearestCut(
      Math.max(conversation.messages.length - MINIMUM_MESSAGES, 0),
      'backward',
    ) ?? 0
  return Math.min(minimum, cutPoints.openStart ?? Infinity)
}

/** The first cut after `index` that has a later turn on its right, whole or without its request. */
function findNextTurn({ turns, cutPoints }: StrategyView, index: number): number | undefined {
  const next = turns[bisect(turns.length, (turn) => turns[turn]!.start > index)]
  return next && cutPoints.nearestCut(next.start, 'forward')
}

/**
 * What comes before `index` and opens its turn: the request, and if it is the last one, what the
 * user showed with it. Before the first turn: the message that opened the history.
 */
function findOpening(
  { turns, asked, lastUserRequest, conversation, cutPoints }: StrategyView,
  index: number,
): readonly number[] {
  const next = bisect(turns.length, (turn) => turns[turn]!.start > index)
  const request = turns[next - 1]?.start ?? findFirst(conversation.messages.slice(0, index + 1))
  const opening = request === lastUserRequest ? asked : request === undefined ? [] : [request]
  return opening.filter((each) => each < index && !cutPoints.isTied(each))
}

/** A history may open with a summary instead of a request. */
function findFirst(messages: readonly Message[]): number | undefined {
  // A notice of the host leads nothing: the agent may send it in another role, or not at all.
  const last = messages.findLastIndex(
    ({ role, origin }) => role === 'user' && origin !== 'environment',
  )
  return last < 0 ? undefined : last
}
