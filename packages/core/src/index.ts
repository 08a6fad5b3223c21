/**
 * The public API of `@precis/core`: what most hosts need. Everything else is in the sub-paths, one
 * a folder, every name listed by hand.
 */

export {
  type Archive,
  type Clock,
  type CompressNowOptions,
  type Context,
  type ContextCompression,
  type ContextEvents,
  type ContextOptions,
  type ContextState,
  createContext,
  type Decision,
  findOverflow,
  type Overflow,
  type PreparedRequest,
  type SwitchPreview,
  type SwitchResult,
  type Usage,
} from './context/index.ts'
export type { Conversation, Edit, Message, Part, RecallPath } from './conversation/index.ts'
export { digest } from './digest/index.ts'
export {
  type AppliedStrategies,
  type ApplyStrategiesOptions,
  applyStrategies,
  auto,
  type Compression,
  type CompressionMemory,
  type CompressMessagesOptions,
  type CompressOptions,
  type CompressResult,
  type CompressStep,
  compress,
  compressConversation,
  createCompressionMemory,
  type Inspection,
  inspect,
  type Ladder,
  type Outcome,
  type Refusal,
  type Report,
  type StepsReport,
  unpin,
} from './engine/index.ts'
export type { Receipt } from './facts/index.ts'
export {
  createFollower,
  type FollowedRequest,
  type Follower,
  type FollowerOptions,
  type HostRequest,
} from './following/index.ts'
export { findModel, type Model } from './models/index.ts'
export {
  bands,
  clearTools,
  createBands,
  createClearTools,
  highDensity,
  type Keep,
  middleOut,
  oneShot,
  type Plan,
  type Strategy,
  type StrategyOptions,
  strategies,
  tailSummary,
  topDownTruncation,
} from './strategies/index.ts'
export type { Summarizer, Summary, SummaryRequest } from './summarizers/index.ts'
export { createTokenCounter, type TokenCounter } from './tokens/index.ts'
