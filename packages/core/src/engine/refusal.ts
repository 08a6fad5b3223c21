import { findCutPoints } from '../conversation/cut-points.ts'
import type { Conversation, Message } from '../conversation/message.ts'
import { isSummary } from '../conversation/summary-message.ts'
import { findLastUserRequest, isUserRequest } from '../conversation/turns.ts'
import type { NoopReason } from '../strategies/strategy.ts'
import type { TokenCounter } from '../tokens/counter.ts'
import { countPins } from './carry-ledger.ts'
import {
  countMessageBytes,
  countMessageMedia,
  findExcess,
  findRequestExcess,
  type Limits,
} from './limits.ts'

/** The one item that is too large for the budget. */
export interface Refusal {
  /** Which limit is exceeded. `images` also stands for documents. */
  readonly limit: 'tokens' | 'bytes' | 'images'
  /** Whether what no edit can free is too large: system prompt and tool schemas. */
  readonly isOverhead: boolean
  /** Names the item in the reader's words: "message 12 of 40, a tool result (read)". */
  readonly item: string
  readonly itemTokens: number
  readonly budgetTokens: number
  /**
   * If tokens are the limit, a budget that was tried and is enough. Otherwise the tokens of the
   * smallest result.
   */
  readonly smallestTokens: number
  /** Why the strategy changed nothing, if it did not. */
  readonly reason?: NoopReason
}

/**
 * Names the obstacle: the largest message of the smallest conversation that could be made of
 * `given`.
 */
export function createRefusal(
  given: Conversation,
  smallest: Conversation,
  counter: TokenCounter,
  limits: Limits,
  reason?: NoopReason,
): Refusal {
  const limit = findExcess(smallest, limits, counter)?.of ?? 'tokens'
  const measure = {
    tokens: (message: Message) => counter.countMessage(message).upper,
    bytes: countMessageBytes,
    images: countMessageMedia,
  }[limit]
  const sizes = smallest.messages.map(measure)
  const largestSize = sizes.reduce((most, size) => Math.max(most, size), 0)
  const largest = largestSize > 0 ? smallest.messages[sizes.indexOf(largestSize)] : undefined
  const fixedTokens = counter.countFixed(smallest).upper
  const isOverhead = limit === 'tokens' && fixedTokens > largestSize
  return {
    limit,
    isOverhead: isOverhead || largest?.role === 'system',
    item: isOverhead ? 'the tool schemas' : describeMessage(given, largest),
    itemTokens: isOverhead ? fixedTokens : largest ? counter.countMessage(largest).upper : 0,
    budgetTokens: limits.tokens,
    smallestTokens: counter.countConversation(smallest).upper,
    reason,
  }
}

/** System prompt and tool schemas, in tokens: what no edit can free. */
export function countOverhead(given: Conversation, counter: TokenCounter): number {
  return counter.countConversation(onlySystem(given)).upper
}

/**
 * A refusal that no attempt can avoid: the overhead exceeds the budget, or nothing fits next to it.
 */
export function findOverheadExcess(
  given: Conversation,
  repaired: Conversation,
  counter: TokenCounter,
  limits: Limits,
): Refusal | undefined {
  const overhead = onlySystem(repaired)
  const hasHistory = overhead.messages.length < repaired.messages.length
  if (counter.countConversation(overhead).upper > limits.tokens) {
    const refusal = createRefusal(repaired, overhead, counter, limits)
    return { ...refusal, isOverhead: true, reason: hasHistory ? undefined : 'empty-history' }
  }
  if (hasHistory) return undefined
  const refusal = createRefusal(given, given, counter, limits, 'empty-history')
  return { ...refusal, item: `${refusal.item}, of which no provider takes anything` }
}

/** A refusal that no attempt can avoid: the pins exceed the budget and all that is there. */
export function findPinExcess(
  given: Conversation,
  pins: readonly string[],
  counter: TokenCounter,
  limits: Limits,
): Refusal | undefined {
  if (pins.length === 0) return undefined
  const smallestTokens = counter.countConversation(given).upper
  // More tokens are not enough if another limit is exceeded too.
  if (smallestTokens <= limits.tokens || findRequestExcess(given, limits)) return undefined
  const itemTokens = countPins(given.messages, pins, counter)
  // No result is larger than the history.
  return itemTokens < smallestTokens
    ? undefined
    : {
        limit: 'tokens',
        isOverhead: false,
        item: PINNED,
        itemTokens,
        budgetTokens: limits.tokens,
        smallestTokens,
      }
}

function onlySystem(given: Conversation): Conversation {
  return { ...given, messages: given.messages.filter(({ role }) => role === 'system') }
}

/**
 * Describes a message by its position in the conversation that was given: the only one a reader can
 * look up.
 */
function describeMessage({ messages }: Conversation, message: Message | undefined): string {
  if (!message) return 'an empty conversation'
  const index = messages.indexOf(message)
  if (index < 0 || message.role === 'system') return describeRole(message)
  if (index === findLastUserRequest(messages)) return 'the last request of the user'
  const place = `message ${index + 1} of ${messages.length}, ${describeRole(message)}`
  const unit = findCutPoints(messages).units.find(({ start, end }) => start <= index && index < end)
  // A call and its results need no explanation.
  const isJoined = unit && messages.slice(unit.start, unit.end).some(isUserRequest)
  return isJoined ? `${place}, tied by ids to messages ${unit.start + 1} to ${unit.end}` : place
}

const PINNED = 'what was pinned and said'

function describeRole(message: Message): string {
  const tools = message.parts.flatMap((part) =>
    part.type === 'tool-call' || part.type === 'tool-result' ? [part.name ?? part.callId] : [],
  )
  const named = tools.length > 0 ? ` (${[...new Set(tools)].slice(0, 3).join(', ')})` : ''
  switch (message.role) {
    case 'system':
      return 'the system prompt'
    case 'tool':
      return `a tool result${named}`
    case 'assistant':
      return `an answer of the agent${named}`
    case 'user':
      if (isSummary(message)) return PINNED
      return message.origin === 'user'
        ? 'a request of the user'
        : 'a message in the role of the user'
  }
}
