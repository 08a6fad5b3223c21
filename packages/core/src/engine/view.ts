import { findCutPoints } from '../conversation/cut-points.ts'
import type { Conversation, Message } from '../conversation/message.ts'
import { isSummary } from '../conversation/summary-message.ts'
import { findLastUserRequest, findTurns } from '../conversation/turns.ts'
import type { StrategyView } from '../strategies/strategy.ts'
import type { TokenCounter } from '../tokens/counter.ts'
import { findCallViews } from './call-views.ts'
import { countImages, countMessageBytes } from './limits.ts'

/**
 * Makes the view that strategies look at, in one pass: every message is counted once, by upper bound. Calls, bytes and images only
 * when asked for. Where `isOpenFree`, results that the agent has not seen yet may go like any others: a summary behind them
 * says that they are older than it.
 */
export function createView(conversation: Conversation, counter: TokenCounter, isOpenFree = false): StrategyView {
  const cutPoints = findCutPoints(conversation.messages)
  const tokensBefore = [0]
  for (const message of conversation.messages) {
    tokensBefore.push(tokensBefore.at(-1)! + counter.countMessage(message).upper)
  }
  const readCalls = once(() => findCallViews(conversation))
  const sumBytes = once(() => addUp(conversation.messages, countMessageBytes))
  const sumImages = once(() => addUp(conversation.messages, countImages))
  return {
    conversation,
    turns: findTurns(conversation.messages),
    cutPoints:
      isOpenFree || conversation.messages.findLastIndex(isSummary) > (cutPoints.openStart ?? Infinity)
        ? { ...cutPoints, openStart: cutPoints.pendingStart }
        : cutPoints,
    tokensBefore,
    fixedTokens: counter.countFixed(conversation).upper,
    countTokens: (text) => counter.countText(text).upper,
    lastUserRequest: findLastUserRequest(conversation.messages),
    get calls() {
      return readCalls()
    },
    get bytesBefore() {
      return sumBytes()
    },
    get imagesBefore() {
      return sumImages()
    },
  }
}

function once<T>(compute: () => T): () => T {
  let known: { readonly value: T } | undefined
  return () => {
    known ??= { value: compute() }
    return known.value
  }
}

function addUp(messages: readonly Message[], measure: (message: Message) => number): number[] {
  const sums = [0]
  for (const message of messages) sums.push(sums.at(-1)! + measure(message))
  return sums
}
