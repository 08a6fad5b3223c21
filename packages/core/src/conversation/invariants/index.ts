/**
 * The public API of `@precis/core/conversation/invariants`: the rules of providers, checked and
 * repaired.
 *
 * ```ts
 * import { checkInvariants, invariants, repairInvariants } from '@precis/core/conversation/invariants'
 * import { formats } from '@precis/core/formats'
 *
 * const result = { type: 'tool_result', tool_use_id: 'gone', content: 'ok' }
 * const conversation = formats['anthropic-messages'].parse([{ role: 'user', content: [result] }])
 * console.log(checkInvariants(conversation).map(({ rule }) => rule))
 * console.log(checkInvariants(repairInvariants(conversation)).length)
 * console.log(invariants.filter(({ protocols }) => protocols.includes('openai-chat')).length)
 * ```
 */

import { aConversation, checkValue } from '../check-options.ts'
import type { Conversation } from '../message.ts'
import { bondedPartAlone } from './bonded-part-alone.ts'
import { cacheControlLimit } from './cache-control-limit.ts'
import { callFollowsUserTurn } from './call-follows-user-turn.ts'
import { callWithoutId } from './call-without-id.ts'
import { duplicateCallId } from './duplicate-call-id.ts'
import { duplicateToolResult } from './duplicate-tool-result.ts'
import { emptyMessage } from './empty-message.ts'
import { emptyText } from './empty-text.ts'
import { firstMessageRole } from './first-message-role.ts'
import type { Invariant, Violation } from './invariant.ts'
import { lateServerResult } from './late-server-result.ts'
import { signedReasoningIntact } from './signed-reasoning-intact.ts'
import { systemFirst } from './system-first.ts'
import { systemPlace } from './system-place.ts'
import { toolCallWithoutResult } from './tool-call-without-result.ts'
import { toolResultWithoutCall } from './tool-result-without-call.ts'
import { toolResultsFollowCall } from './tool-results-follow-call.ts'
import { toolResultsTogether } from './tool-results-together.ts'
import { unsignedCall } from './unsigned-call.ts'
import { unsignedReasoning } from './unsigned-reasoning.ts'

export type { Invariant, Violation }

/**
 * Every rule, in the order of repair: first those that remove, then those that move, then those
 * that add.
 */
export const invariants: readonly Invariant[] = [
  callWithoutId,
  duplicateCallId,
  duplicateToolResult,
  toolResultWithoutCall,
  bondedPartAlone,
  lateServerResult,
  unsignedReasoning,
  unsignedCall,
  emptyText,
  emptyMessage,
  signedReasoningIntact,
  systemFirst,
  systemPlace,
  toolResultsFollowCall,
  toolCallWithoutResult,
  toolResultsTogether,
  callFollowsUserTurn,
  firstMessageRole,
  cacheControlLimit,
]

// One round is enough, unless one repair requires another. The most ever needed was two more.
const MAX_ROUNDS = 8

/** Every rule of its provider that the conversation breaks, in the order of its messages. */
export function checkInvariants(conversation: Conversation): Violation[] {
  checkValue('Checking', 'conversation', conversation, aConversation)
  return findRules(conversation)
    .flatMap((invariant) => invariant.check(conversation))
    .sort((a, b) => a.message - b.message)
}

/**
 * A conversation that breaks no rule and loses as little as possible. Returns the same object if
 * there is nothing to repair.
 */
export function repairInvariants(conversation: Conversation): Conversation {
  checkValue('Repairing', 'conversation', conversation, aConversation)
  const rules = findRules(conversation)
  let current = conversation
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const repaired = rules.reduce((repairing, invariant) => invariant.repair(repairing), current)
    if (repaired === current) return current
    current = repaired
  }
  return current
}

function findRules({ protocol }: Conversation): readonly Invariant[] {
  return invariants.filter(({ protocols }) => protocols.includes(protocol))
}
