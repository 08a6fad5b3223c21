/**
 * The public API of `@precis/core/engine`: compressing, applying strategies, inspecting, and what
 * requests cost.
 *
 * ```ts
 * import { createTokenCounter, findModel, inspect } from '@precis/core'
 * import { checkLimits, countCompactionBudget, countModelSummary, findLimitsOf, findUncounted, inspectMessages, lighten } from '@precis/core/engine'
 * import { billPrompt, pricePrompt, priceSummary, priceTokens, UNIT_PRICES } from '@precis/core/engine'
 * import { cleanPin, listPins, summarizeConversation, withoutPins, withoutRecall } from '@precis/core/engine'
 * import { formats } from '@precis/core/formats'
 *
 * const model = findModel('claude-opus-4-8')
 * const counter = createTokenCounter(model)
 * const words = 'The cart rounds each price before it adds the tax. '.repeat(200)
 * const before = formats['anthropic-messages'].parse([{ role: 'user', content: words }])
 * const limits = findLimitsOf(before, model)
 * console.log(checkLimits(before, limits), findUncounted(before, limits), inspectMessages(before, counter))
 * console.log(inspect(lighten(before, limits, counter), counter).tokens)
 * // A summary with a pin, and the same without it.
 * const pins = ['The API freeze is on 2026-12-01.'].map(cleanPin)
 * const budgetTokens = countCompactionBudget(before, counter, pins)
 * const result = await summarizeConversation(before, { counter, budgetTokens, pins })
 * const { conversation } = withoutRecall(result)
 * console.log(result.outcome.type, listPins(conversation), listPins(withoutPins(conversation, pins)))
 * // The next request with 40,000 of 50,000 tokens in the cache, and a summary by a model.
 * const { pricesPerMillionTokens: prices = UNIT_PRICES, cache } = model
 * console.log(pricePrompt(50_000, 40_000, { prices, cache }), priceTokens(billPrompt(50_000, 40_000, { prices, cache }), prices))
 * console.log(priceSummary(prices, 50_000, countModelSummary(50_000, model)))
 * ```
 */

import * as is from '../conversation/check-options.ts'
import { aModel } from '../tokens/counter.ts'
import * as checks from './check-limits.ts'
import * as light from './lighten.ts'
import * as limits from './limits.ts'
import { aCounter } from './option-kinds.ts'
import * as reports from './report.ts'
import * as pins from './unpin.ts'

export {
  /** @deprecated Import it from `@precis/core`. */
  type AppliedStrategies,
  /** @deprecated Import it from `@precis/core`. */
  type ApplyStrategiesOptions,
  /** @deprecated Import it from `@precis/core`. */
  applyStrategies,
  type PartChanges,
  type Rewrites,
  type StepReport,
  /** @deprecated Import it from `@precis/core`. */
  type StepsReport,
} from './apply-strategies.ts'
export type { AttemptRefusal, AttemptReport } from './attempt-report.ts'
export { checkLimits } from './check-limits.ts'
export type { ChosenParts, KeptFile } from './choose-parts.ts'
export {
  /** @deprecated Import it from `@precis/core`. */
  type Compression,
  /** @deprecated Import it from `@precis/core`. */
  type CompressMessagesOptions,
  /** @deprecated Import it from `@precis/core`. */
  type CompressResult,
  /** @deprecated Import it from `@precis/core`. */
  compress,
  /** @deprecated Import it from `@precis/core`. */
  compressConversation,
} from './compress-conversation.ts'
export {
  /** @deprecated Import it from `@precis/core`. */
  createCompressionMemory,
} from './compression-memory.ts'
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
  /** @deprecated Import it from `@precis/core`. */
  type Inspection,
  /** @deprecated Import it from `@precis/core`. */
  inspect,
  inspectMessages,
} from './inspect.ts'
export {
  /** @deprecated Import it from `@precis/core`. */
  auto,
  /** @deprecated Import it from `@precis/core`. */
  type Ladder,
  type Rung,
} from './ladder.ts'
export type { Limits } from './limits.ts'
export type {
  /** @deprecated Import it from `@precis/core`. */
  CompressionMemory,
  /** @deprecated Import it from `@precis/core`. */
  CompressOptions,
  /** @deprecated Import it from `@precis/core`. */
  CompressStep,
  EngineOptions,
} from './options.ts'
export type {
  /** @deprecated Import it from `@precis/core`. */
  Refusal,
} from './refusal.ts'
export type {
  /** @deprecated Import it from `@precis/core`. */
  Outcome,
  /** @deprecated Import it from `@precis/core`. */
  Report,
  RequestCost,
  Size,
} from './report.ts'
export { readReceipt } from './report.ts'
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
export {
  /** @deprecated Import it from `@precis/core`. */
  unpin,
} from './unpin.ts'

const conversation = is.aConversation
const ofModel = { conversation, model: aModel, windowTokens: is.orNothing(is.aNumber) }
const ofLimits = { conversation, limits: is.anObject }
const ofCounter = { ...ofLimits, counter: aCounter }
const ofPins = { conversation, pins: is.orNothing(is.texts) }
const ofTexts = { conversation, texts: is.texts }
const ofResult = { result: is.allOf({ conversation, report: is.anObject }) }
const aWindow = is.allOf({ contextWindowTokens: is.aNumber })
const ofWindow = { tokens: is.aNumber, model: aWindow }

export const cleanPin = is.checking('Cleaning a pin', { text: is.aText }, pins.cleanPin)
export const countModelSummary = is.checking('Counting', ofWindow, limits.countModelSummary)
export const findLimitsOf = is.checking('Finding limits', ofModel, limits.findLimitsOf)
export const findUncounted = is.checking('Finding media', ofLimits, checks.findUncounted)
export const lighten = is.checking('Removing media', ofCounter, light.lighten)
export const listPins = is.checking('Listing pins', ofPins, pins.listPins)
export const withoutPins = is.checking('Ending pins', ofTexts, pins.withoutPins)
export const withoutRecall = is.checking('Removing recall', ofResult, reports.withoutRecall)
