import type { Receipt } from '../facts/receipt.ts'
import type { NoopReason } from '../strategies/strategy.ts'
import type { SummaryUsage } from '../summarizers/summarizer.ts'

/** How large a conversation is, counted for the model that will read it. */
export interface Size {
  /** Upper bound where the tokenizer is only estimated. */
  readonly tokens: number
  readonly messages: number
}

/** What a compression did, counted on its result. */
export interface Report {
  readonly model: string
  /** False when the catalogue does not know the model and conservative defaults stood in. */
  readonly modelKnown: boolean
  readonly strategy: string
  /** Undefined when no summary was made. */
  readonly summarizer: string | undefined
  /** Why summarizers came to nothing before the result was made; in words for the person. */
  readonly problems: readonly string[]
  /** What models were paid for; undefined when none was called. */
  readonly usage: SummaryUsage | undefined
  readonly budgetTokens: number
  readonly before: Size
  readonly after: Size
  /** Messages that stayed verbatim before the change, that were removed or summarized, and that stayed after it. */
  readonly spans: { readonly head: number; readonly middle: number; readonly tail: number }
  /** Each step that was taken, in order. */
  readonly rungs: readonly { readonly name: string; readonly tokensBefore: number; readonly tokensAfter: number }[]
  readonly receipt: Receipt
  readonly cost: RequestCost | undefined
}

/** US dollars of input for one request that finds nothing in the provider's cache. Undefined in a report when prices are unknown. */
export interface RequestCost {
  readonly before: number
  readonly after: number
}

/** What came of a compression. Failure is a value: only bugs and bad input throw. */
export type Outcome =
  | { readonly type: 'compressed' }
  | { readonly type: 'unchanged'; readonly reason: NoopReason }
  | { readonly type: 'ineffective'; readonly savedShare: number }
  | { readonly type: 'recall-too-low'; readonly recall: number; readonly minRecall: number }
  | { readonly type: 'cannot-fit'; readonly refusal: Refusal }
  /** The summarizer came to nothing where there was room for a summary; nothing that has to stay is too large. */
  | { readonly type: 'summary-failed'; readonly summarizer: string; readonly problems: readonly string[] }

/** The one item that is too large for the budget. */
export interface Refusal {
  /** Which limit is in the way. */
  readonly limit: 'tokens' | 'bytes' | 'images'
  /** Whether what no edit can free is too large: system prompt and tool schemas. */
  readonly isOverhead: boolean
  /** What it is, in the reader's words: "message 12 of 40, a tool result (read)". */
  readonly item: string
  readonly itemTokens: number
  readonly budgetTokens: number
  /** Where tokens are the limit, a budget that is enough: it was tried. Else the tokens of the smallest result that was made. */
  readonly smallestTokens: number
  /** Why the strategy changed nothing, where it did not. */
  readonly reason?: NoopReason
}
