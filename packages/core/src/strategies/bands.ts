import type { RewriteEdit } from '../conversation/edit.ts'
import { type Message, readText } from '../conversation/message.ts'
import { type Band, type BandOptions, checkBands, checkMinTokens, readLevel } from './bands/band.ts'
import { findTurnBands } from './bands/turn-bands.ts'
import { countBetween } from './ends.ts'
import type { Strategy, StrategyView } from './strategy.ts'

const DEFAULT_BANDS: readonly Band[] = [
  { start: 0, end: 50, level: 'heavy-compress' },
  { start: 50, end: 80, level: 'compress' },
]
/** A rewrite of fewer tokens saves less than its call is worth (coding-agent-manager: 50). */
export const DEFAULT_MIN_TOKENS = 50

/**
 * Says the older answers of the agent in fewer words, message by message; calls and results stay. Does not aim at a
 * target: it leaves a history alone that is within it, and otherwise asks for everything its bands cover.
 * Source: coding-agent-manager. Throws `RangeError` on bands that are not ordered and disjoint.
 */
export function createBands(options: BandOptions = {}): Strategy {
  const bands = checkBands(options.bands ?? DEFAULT_BANDS)
  const minTokens = checkMinTokens(options.minTokens ?? DEFAULT_MIN_TOKENS)
  const includeUser = options.includeUser ?? false
  return {
    name: 'bands',
    summarizes: true,
    plan(view, { targetTokens }) {
      if (view.conversation.messages.length === 0) return { noop: 'empty-history' }
      if (view.tokensBefore.at(-1)! + view.fixedTokens <= targetTokens) return { noop: 'already-under-target' }
      const edits: RewriteEdit[] = []
      const turnBands = findTurnBands(view.turns.length, bands)
      view.turns.forEach((turn, index) => {
        const band = turnBands[index]
        if (!band) return
        for (let message = turn.start; message < turn.end; message++) {
          if (!mayRewrite(view, message, includeUser)) continue
          const tokens = countTextTokens(view, message, minTokens)
          if (tokens < minTokens) continue
          edits.push({ type: 'rewrite', start: message, end: message + 1, targetTokens: aim(tokens, band) })
        }
      })
      return edits.length > 0 ? { edits } : { noop: 'nothing-eligible' }
    },
  }
}

/** The older half heavily, then up to 80 % of the turns moderately; the newest fifth stays. */
export const bands = createBands()

// Nobody says anything in fewer: 10 % of a short text would only make its call fail.
const SENTENCE_TOKENS = 20

/** The share that the level leaves, but room for a sentence as long as that is at most half of the text. */
function aim(tokens: number, { level }: Band): number {
  return Math.max(Math.ceil(tokens * readLevel(level)), Math.min(SENTENCE_TOKENS, Math.floor(tokens / 2)))
}

/** What the agent said, and on request what the user did: never the last request, nor calls that the agent has not answered yet. */
function mayRewrite(view: StrategyView, index: number, includeUser: boolean): boolean {
  const message: Message | undefined = view.conversation.messages[index]
  if (!message || index >= (view.cutPoints.openStart ?? Infinity)) return false
  if (message.role === 'assistant') return message.origin === 'agent'
  return includeUser && message.role === 'user' && message.origin === 'user' && index !== view.lastUserRequest
}

/** A message that is too small as a whole is not counted again for its text. */
function countTextTokens(view: StrategyView, index: number, minTokens: number): number {
  const message = view.conversation.messages[index]
  if (!message || countBetween(view, index, index + 1) < minTokens) return 0
  const text = readText(message)
  return text === '' ? 0 : view.countTokens(text)
}
