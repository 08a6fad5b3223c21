import { findCutPoints } from '../conversation/cut-points.ts'
import type { Conversation } from '../conversation/message.ts'
import { findLastUserRequest, findTurns } from '../conversation/turns.ts'
import type { StrategyView } from '../strategies/strategy.ts'
import type { TokenCounter } from '../tokens/counter.ts'

/** What a strategy looks at, made in one pass: every message is counted once, by upper bound. */
export function createView(conversation: Conversation, counter: TokenCounter): StrategyView {
  const tokensBefore = [0]
  for (const message of conversation.messages) {
    tokensBefore.push(tokensBefore.at(-1)! + counter.countMessage(message).upper)
  }
  return {
    conversation,
    turns: findTurns(conversation.messages),
    cutPoints: findCutPoints(conversation.messages),
    tokensBefore,
    fixedTokens: counter.countFixed(conversation).upper,
    lastUserRequest: findLastUserRequest(conversation.messages),
  }
}
