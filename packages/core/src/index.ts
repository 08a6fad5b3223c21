/**
 * The public API of `@precis/core`: what most hosts need. Everything else is in the sub-paths, one
 * a folder. Each name has one place: a sub-path that exports a name of the root as well is the old
 * place.
 *
 * ```ts
 * import { auto, compress, compressConversation, createCompressionMemory, createTokenCounter, findModel, findOverflow, inspect, unpin } from '@precis/core'
 * import { bands, clearTools, createClearTools, highDensity, middleOut, oneShot, tailSummary, topDownTruncation } from '@precis/core'
 * import { formats } from '@precis/core/formats'
 *
 * const history = Array.from({ length: 40 }, (_, turn) => [
 *   { role: 'user', content: `Read file ${turn} of the parser.` },
 *   { role: 'assistant', content: 'It reads one token after the other. '.repeat(20) },
 * ]).flat()
 * const counter = createTokenCounter(findModel('gpt-5'))
 * const conversation = formats['openai-chat'].parse(history)
 * console.log(inspect(conversation, counter).tokens)
 * // `auto` is the default, and the others are single ways.
 * const ways = [auto, bands, clearTools, createClearTools({ mode: 'truncate' }), highDensity, middleOut, oneShot, tailSummary, topDownTruncation]
 * for (const strategy of ways) {
 *   const { outcome, report } = await compress(history, { budgetTokens: 3000, strategy })
 *   console.log(strategy.name, outcome.type, report.after.tokens)
 * }
 * // A loop that tries again and again asks only if something changed.
 * const memory = createCompressionMemory()
 * const options = { counter, budgetTokens: 3000, memory }
 * console.log((await compressConversation(conversation, options)).outcome.type)
 * // A provider's answer that a request was too long.
 * console.log(findOverflow({ status: 400, message: 'prompt is too long: 205000 tokens > 200000 maximum' }))
 * // A pin is in every result until you end it.
 * const { messages } = await compress(history, { budgetTokens: 3000, pins: ['The API is frozen.'] })
 * console.log(unpin(messages, ['The API is frozen.']).length)
 * ```
 */

export type { CompressNowOptions, ContextCompression } from './context/compressions.ts'
export type {
  Archive,
  Clock,
  Context,
  ContextEvents,
  ContextOptions,
  ContextState,
  PreparedRequest,
  SwitchPreview,
  SwitchResult,
  Usage,
} from './context/context.ts'
export { createContext } from './context/create-context.ts'
export type { Decision } from './context/decision.ts'
export { findOverflow, type Overflow } from './context/find-overflow.ts'
export type { Edit } from './conversation/edit.ts'
export type { Conversation, Message, Part } from './conversation/message.ts'
export type { RecallPath } from './conversation/summary-message.ts'
export { digest } from './digest/digest.ts'
export {
  type AppliedStrategies,
  type ApplyStrategiesOptions,
  applyStrategies,
  type StepsReport,
} from './engine/apply-strategies.ts'
export {
  type Compression,
  type CompressMessagesOptions,
  type CompressResult,
  compress,
  compressConversation,
} from './engine/compress-conversation.ts'
export { createCompressionMemory } from './engine/compression-memory.ts'
export { type Inspection, inspect } from './engine/inspect.ts'
export { auto, type Ladder } from './engine/ladder.ts'
export type { CompressionMemory, CompressOptions, CompressStep } from './engine/options.ts'
export type { Refusal } from './engine/refusal.ts'
export type { Outcome, Report } from './engine/report.ts'
export { unpin } from './engine/unpin.ts'
export type { Receipt } from './facts/receipt.ts'
export { createFollower } from './following/follow.ts'
export type {
  FollowedRequest,
  Follower,
  FollowerOptions,
  HostRequest,
} from './following/follower.ts'
export { findModel } from './models/find-model.ts'
export type { Model } from './models/model.ts'
export { bands, createBands } from './strategies/bands.ts'
export { clearTools, createClearTools } from './strategies/clear-tools.ts'
export { highDensity } from './strategies/high-density.ts'
export {
  /** @deprecated Import it from `@precis/core/strategies`. */
  strategies,
} from './strategies/index.ts'
export { middleOut } from './strategies/middle-out.ts'
export { oneShot } from './strategies/one-shot.ts'
export type { Keep, Plan, Strategy, StrategyOptions } from './strategies/strategy.ts'
export { tailSummary } from './strategies/tail-summary.ts'
export { topDownTruncation } from './strategies/top-down-truncation.ts'
export type { Summarizer, Summary, SummaryRequest } from './summarizers/summarizer.ts'
export { createTokenCounter, type TokenCounter } from './tokens/counter.ts'
