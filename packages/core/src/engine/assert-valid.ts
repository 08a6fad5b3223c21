import { checkInvariants } from '../conversation/invariants/index.ts'
import type { Conversation } from '../conversation/message.ts'
import type { Strategy } from '../strategies/strategy.ts'

/** Outputs are asserted, never repaired: a violation here is a bug of the strategy. */
export function assertValid(conversation: Conversation, strategy: Strategy): void {
  const [violation] = checkInvariants(conversation)
  if (!violation) return
  throw new Error(
    `Checking the plan of "${strategy.name}": message ${violation.message} breaks ${violation.rule} (${violation.detail}). This is a bug in precis; nothing was changed.`,
  )
}
