import { ACKNOWLEDGEMENT, REMOVAL_NOTICE } from '../conversation/injected-text.ts'
import { checkInvariants } from '../conversation/invariants/index.ts'
import { type Conversation, type Message, readText } from '../conversation/message.ts'
import { isSummary, readSummary } from '../conversation/summary-message.ts'
import type { Strategy } from '../strategies/strategy.ts'

/** Outputs are asserted, never repaired: a violation here is a bug of the strategy. */
export function assertValid(conversation: Conversation, strategy: Strategy): void {
  const [violation] = checkInvariants(conversation)
  if (!violation) return
  throw new Error(
    `Checking the plan of "${strategy.name}": message ${violation.message} breaks ${violation.rule} (${violation.detail}). This is a bug in precis; nothing was changed.`,
  )
}

/** Whether a message of the history is left, or a summary of it: what only says what the user settled is neither. */
export function holdsHistory({ messages }: Conversation): boolean {
  return messages.some((message) => {
    if (message.role === 'system' || message.parts.length === 0) return false
    return isSummary(message) ? readSummary(message) !== '' : !isBridge(message)
  })
}

/** Texts of precis that stand between messages so that roles take turns. */
function isBridge(message: Message): boolean {
  const text = message.origin === 'synthetic' ? readText(message) : ''
  return text === ACKNOWLEDGEMENT || text === REMOVAL_NOTICE
}
