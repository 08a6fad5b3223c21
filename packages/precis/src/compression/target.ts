/** How large a result may be, and where this limit comes from, in the numbers of the report. */
import type { Conversation, TokenCounter } from '@precis/core'
import { countModelSummary } from '@precis/core/engine'
import { renderCount } from '../terminal/render.ts'
import type { Budget, CompressionSettings } from './settings.ts'

/** The most tokens that a result may have. */
export interface Target {
  readonly tokens: number
  /**
   * Where the limit comes from, in the numbers of the report: `50% of 24,310`. Undefined if it was
   * given in tokens.
   */
  readonly source: string | undefined
}

/** The tighter of the two limits. Below 1 if text outside the file fills the window. */
export function findTarget(
  { budget, windowTokens }: Pick<CompressionSettings, 'budget' | 'windowTokens'>,
  conversation: Conversation,
  counter: TokenCounter,
  notInFileTokens?: number,
): Target {
  const byBudget = budget && measureBudget(budget, conversation, counter)
  const byWindow =
    windowTokens === undefined ? undefined : measureRoom(windowTokens, notInFileTokens)
  if (!byBudget || !byWindow)
    return byBudget ?? byWindow ?? measureBudget(WHOLE, conversation, counter)
  return byWindow.tokens < byBudget.tokens ? byWindow : byBudget
}

const WHOLE: Budget = { type: 'share', fraction: 1 }

function measureRoom(windowTokens: number, notInFileTokens: number | undefined): Target {
  const window = `a window of ${renderCount(windowTokens)}`
  if (notInFileTokens === undefined) return { tokens: windowTokens, source: window }
  const source = `${window} − ${renderCount(notInFileTokens)} not in the file`
  return { tokens: windowTokens - notInFileTokens, source }
}

/** A share of the report's "before", which is the upper bound of the whole conversation. */
function measureBudget(budget: Budget, conversation: Conversation, counter: TokenCounter): Target {
  if (budget.type === 'tokens') return { tokens: budget.tokens, source: undefined }
  const beforeTokens = counter.countConversation(conversation).upper
  if (budget.type === 'model') {
    return {
      tokens: countModelSummary(beforeTokens, counter.model),
      source: "the size of a model's summary",
    }
  }
  // 0.29 of 100 is 28.999999999999996 in floating point.
  const tokens = Math.max(Math.floor(Number((beforeTokens * budget.fraction).toFixed(6))), 1)
  return { tokens, source: `${renderPercent(budget.fraction)} of ${renderCount(beforeTokens)}` }
}

function renderPercent(fraction: number): string {
  return `${Number((fraction * 100).toFixed(6))}%`
}

/** `50% of 24,310 = 12,155`, or only the tokens. */
export function describeTarget({ tokens, source }: Target): string {
  return source === undefined ? renderCount(tokens) : `${source} = ${renderCount(tokens)}`
}
