import type { Message } from '../conversation/message.ts'
import type { StrategyView } from './strategy.ts'

/**
 * Where the newest answer of the agent begins, neighbouring ones included. What stands from here on is not settled: the
 * agent may not have read its results yet, and Anthropic refuses the newest answer when its reasoning was touched.
 */
export function findNewestAnswer(messages: readonly Message[]): number {
  let start = messages.findLastIndex(({ role }) => role === 'assistant')
  if (start < 0) return messages.length
  while (messages[start - 1]?.role === 'assistant') start--
  return start
}

/** Messages from here on are not settled: the newest answer, and a call that still waits. */
export function findUnsettled(view: StrategyView): number {
  return Math.min(findNewestAnswer(view.conversation.messages), view.cutPoints.pendingStart ?? Infinity)
}
