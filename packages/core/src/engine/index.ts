/**
 * The public API of `@precis/core/engine`: compressing, applying strategies, inspecting, and what
 * requests cost.
 *
 * ```ts
 * import { createTokenCounter, findModel } from '@precis/core'
 * import { billPrompt, checkLimits, findLimitsOf, inspect, lighten, listPins, priceTokens, summarizeConversation, withoutPins } from '@precis/core/engine'
 * import { formats } from '@precis/core/formats'
 *
 * const model = findModel('claude-opus-4-8')
 * const counter = createTokenCounter(model)
 * const words = 'The cart rounds each price before it adds the tax. '.repeat(200)
 * const before = formats['anthropic-messages'].parse([{ role: 'user', content: words }])
 * const limits = findLimitsOf(before, model)
 * console.log(checkLimits(before, limits), inspect(lighten(before, limits, counter), counter).tokens)
 * const pins = ['The API freeze is on 2026-12-01.']
 * const { conversation, outcome } = await summarizeConversation(before, { counter, budgetTokens: 1000, pins })
 * console.log(outcome.type, listPins(conversation), listPins(withoutPins(conversation, pins)))
 * const { pricesPerMillionTokens: prices, cache } = model
 * if (prices) console.log(priceTokens(billPrompt(50_000, 40_000, { prices, cache }), prices))
 * ```
 */

export {
  type AppliedStrategies,
  type ApplyStrategiesOptions,
  applyStrategies,
  type PartChanges,
  type Rewrites,
  type StepReport,
  type StepsReport,
} from './apply-strategies.ts'
export type { AttemptRefusal, AttemptReport } from './attempt-report.ts'
export { checkLimits, findUncounted } from './check-limits.ts'
export type { ChosenParts, KeptFile } from './choose-parts.ts'
export {
  type Compression,
  type CompressMessagesOptions,
  type CompressResult,
  compress,
  compressConversation,
} from './compress-conversation.ts'
export { createCompressionMemory } from './compression-memory.ts'
export {
  type BilledTokens,
  billPrompt,
  type Pricing,
  pricePrompt,
  priceSummary,
  priceTokens,
  UNIT_PRICES,
} from './economics.ts'
export type { FileRead, ReadState, TokenKind } from './file-tokens.ts'
export {
  type InspectedMessage,
  type InspectedPart,
  type Inspection,
  inspect,
  inspectMessages,
} from './inspect.ts'
export { auto, type Ladder, type Rung } from './ladder.ts'
export { lighten } from './lighten.ts'
export { countModelSummary, findLimitsOf, type Limits } from './limits.ts'
export type { CompressionMemory, CompressOptions, CompressStep, EngineOptions } from './options.ts'
export {
  type Outcome,
  type Refusal,
  type Report,
  type RequestCost,
  readReceipt,
  type Size,
  withoutRecall,
} from './report.ts'
export {
  applyRewrites,
  listRewriteTasks,
  type RewriteTask,
  type RewriteTaskOptions,
} from './rewrite-tasks.ts'
export {
  countCompactionBudget,
  type SummarizeOptions,
  summarizeConversation,
} from './summarize-conversation.ts'
export { cleanPin, listPins, unpin, withoutPins } from './unpin.ts'
