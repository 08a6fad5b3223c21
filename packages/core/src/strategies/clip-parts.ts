import { bisect } from '../conversation/bisect.ts'
import { type ContentPart, isContentPart, type ToolResultPart } from '../conversation/message.ts'
import { type Clippable, findClippable, RANKS } from './clip-parts/clippable.ts'
import { findExcessTokens, type PartChange, planPartChanges } from './part-changes.ts'
import type { Strategy, StrategyOptions, StrategyView } from './strategy.ts'

// Sizes are estimated: the plan aims this much lower, so that it fits when it is counted.
const AIM = 0.95
// Nothing is clipped to less than a few words, or for less than the note of it takes.
const FLOOR_TOKENS = 40

/**
 * Clips the largest parts, head and tail, all down to one size: no part loses anything while another is larger. A summary,
 * results that the agent has not seen yet, the words around them and then the last request come last, and only if nothing
 * else suffices; system prompts, tools and calls that wait never.
 *
 *   sizes   ▇ ▂ ▅ ▁ ▇ ▃          cap   ▄ ▂ ▄ ▁ ▄ ▃
 */
export const clipParts: Strategy = createClipParts(RANKS.request)

/** The same for what the agent has answered, and nothing else. */
export const clipOlderParts: Strategy = createClipParts(RANKS.summary)

/** The same, and for results that it has not seen yet. */
export const clipResults: Strategy = createClipParts(RANKS.unread)

function createClipParts(lastRank: number): Strategy {
  return {
    name: 'clip-parts',
    summarizes: false,
    plan(view, options) {
      const excess = findExcessTokens(view, options)
      if (typeof excess === 'string') return { noop: excess }
      return planPartChanges(view, writeClipped(view, findClipped(view, options, lastRank)))
    },
  }
}

/** What becomes smaller, and what is left of it. */
function findClipped(view: StrategyView, { targetTokens }: StrategyOptions, lastRank: number): Map<Clippable, number> {
  const items = findClippable(view).filter(({ tokens }) => tokens > FLOOR_TOKENS)
  const clipped = new Map<Clippable, number>()
  let excess = view.tokensBefore.at(-1)! + view.fixedTokens - targetTokens * AIM
  for (let rank = 0; rank <= lastRank && excess > 0; rank++) {
    const ranked = items.filter((item) => item.rank === rank)
    const cap = findCommonCap(ranked, excess)
    for (const item of ranked) {
      const left = leave(item, cap)
      if (left >= item.tokens) continue
      clipped.set(item, cap)
      excess -= item.tokens - left
    }
  }
  return clipped
}

/** The largest cap under which enough goes; the floor when even that does not suffice. */
function findCommonCap(items: readonly Clippable[], excess: number): number {
  const largest = items.reduce((most, { tokens }) => Math.max(most, tokens), FLOOR_TOKENS)
  const steps = Math.ceil(largest) - FLOOR_TOKENS
  const isEnough = (step: number) => {
    const cap = Math.ceil(largest) - step
    return items.reduce((freed, item) => freed + item.tokens - leave(item, cap), 0) >= excess
  }
  return Math.ceil(largest) - bisect(steps, isEnough)
}

function leave(item: Clippable, cap: number): number {
  return item.tokens <= cap ? item.tokens : Math.min(item.leave(cap), item.tokens)
}

interface ChangedOutput {
  readonly message: number
  readonly part: number
  readonly result: ToolResultPart
  readonly output: ContentPart[]
}

function writeClipped(view: StrategyView, clipped: ReadonlyMap<Clippable, number>): PartChange[] {
  const changes: PartChange[] = []
  const results = new Map<string, ChangedOutput>()
  for (const [item, cap] of clipped) {
    const { message, part, place } = item
    const shorter = item.clip(cap)
    const result = view.conversation.messages[message]?.parts[part]
    if (place === undefined || result?.type !== 'tool-result') {
      if (shorter !== result) changes.push({ message, part, becomes: shorter ? [shorter] : [] })
      continue
    }
    if (!shorter || !isContentPart(shorter) || shorter === result.output[place]) continue
    const key = `${message} ${part}`
    const known = results.get(key) ?? { message, part, result, output: [...result.output] }
    known.output[place] = shorter
    results.set(key, known)
  }
  for (const { message, part, result, output } of results.values()) {
    changes.push({ message, part, becomes: [{ ...result, output }] })
  }
  return changes
}
