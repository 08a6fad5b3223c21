import { setImmediate } from 'node:timers/promises'
import type { Conversation, Message, TokenCounter } from '@precis/core'
import { type Pricing, pricePrompt } from '@precis/core/engine'
import { findMissingNames } from '../../packages/precis/src/replay/carried-names.ts'
import type { KnownItem } from '../../packages/precis/src/replay/items.ts'
import { sum } from '../../packages/precis/src/replay/recorded-session.ts'
import { isGeneralKnowledge } from './entities/general-knowledge.ts'
import type { Score } from './measures/measure.ts'

/**
 * A token of fresh input without a cache is the unit. Anthropic's 5-minute cache
 * (docs/evaluation.md#cost).
 */
const PRICING: Pricing = {
  prices: { input: 1e6, cachedInput: 0.1e6, cacheWrite: 1.25e6, output: 0 },
  cache: { automatic: false, lifetimesSeconds: [300], minimumPrefixTokens: 0 },
}

/** A window above this is compressed before the next request. */
export const TRIGGER_TOKENS = 50_000
// After a refusal the window has to grow before it is worth another try.
const RETRY_GROWTH = 1.1

/** Makes a window smaller; undefined when it cannot. */
export type Shrink = (window: Conversation) => Promise<Conversation | undefined>

export interface ReplayedHistory {
  readonly conversation: Conversation
  /** The items of a message of this history, or of one that a method wrote. */
  readonly itemsOf: (message: Message) => readonly KnownItem[]
  /** The text of a window, as it is scored. */
  readonly render: (window: readonly Message[]) => string
  readonly counter: TokenCounter
}

export interface ReplayCost {
  readonly cost: Score
  readonly refetch: Score
  readonly compressions: number
}

/** A text replaces everything before `index`. */
interface Replacement {
  readonly index: number
  readonly text: string
}

/**
 * Walks a session request by request, as its agent would have sent it, with and without the method.
 */
export async function replayCost(history: ReplayedHistory, shrink: Shrink): Promise<ReplayCost> {
  const { conversation, counter } = history
  const fixedTokens = counter.countFixed(conversation).upper
  const countAll = (messages: readonly Message[]) =>
    sum(messages.map((message) => counter.countMessage(message).upper))
  let window: Message[] = []
  let windowTokens = fixedTokens
  let plainTokens = fixedTokens
  // Of the request before: how many messages of the window, and how many tokens, the provider may
  // have cached.
  let sentMessages = 0
  let cachedTokens = 0
  let plainCachedTokens = 0
  let shortCost = 0
  let plainCost = 0
  let triggerTokens = TRIGGER_TOKENS
  const replacements: Replacement[] = []
  for (const [index, message] of conversation.messages.entries()) {
    if (message.role === 'assistant') {
      if (windowTokens > triggerTokens) {
        await setImmediate()
        const smaller = await shrink({ ...conversation, messages: window })
        triggerTokens = smaller ? TRIGGER_TOKENS : windowTokens * RETRY_GROWTH
        if (smaller) {
          cachedTokens =
            fixedTokens + countAll(commonPrefix(window.slice(0, sentMessages), smaller.messages))
          window = [...smaller.messages]
          windowTokens = fixedTokens + countAll(window)
          replacements.push({ index, text: history.render(window) })
        }
      }
      shortCost += pricePrompt(windowTokens, cachedTokens, PRICING)
      plainCost += pricePrompt(plainTokens, plainCachedTokens, PRICING)
      sentMessages = window.length
      cachedTokens = windowTokens
      plainCachedTokens = plainTokens
    }
    const tokens = counter.countMessage(message).upper
    window.push(message)
    windowTokens += tokens
    plainTokens += tokens
  }
  const refetchCost = pricePrompt(countRefetch(history, replacements), 0, PRICING)
  return {
    cost: { kept: shortCost + refetchCost, total: plainCost },
    refetch: { kept: refetchCost, total: plainCost },
    compressions: replacements.length,
  }
}

function commonPrefix(sent: readonly Message[], window: readonly Message[]): readonly Message[] {
  const end = sent.findIndex((message, index) => message !== window[index])
  return end < 0 ? sent : sent.slice(0, end)
}

/**
 * Tokens of what was needed after each compression, was missing, and has to be read again from its
 * smallest place.
 */
function countRefetch(
  { conversation, itemsOf, counter }: ReplayedHistory,
  replacements: readonly Replacement[],
): number {
  let tokens = 0
  replacements.forEach(({ index, text }, position) => {
    const past = conversation.messages.slice(0, index).flatMap(itemsOf)
    const future = conversation.messages
      .slice(index, replacements[position + 1]?.index)
      .flatMap(itemsOf)
    const { readAgain } = findMissingNames({ past, future, text }, isGeneralKnowledge)
    tokens += sum(readAgain.map((item) => counter.countText(item.text).upper))
  })
  return tokens
}
