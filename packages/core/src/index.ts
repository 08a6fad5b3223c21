/** The public API of `@precis/core`, every name listed by hand. */

export type { Archive, ArchivedChange } from './context/archive.ts'
export type { Clock } from './context/clock.ts'
export type { CompressNowOptions, Context, ContextOptions, ContextState, PreparedRequest } from './context/context.ts'
export type { CompressionTrigger, ContextCompression, ContextOutcome } from './context/context-compression.ts'
export type { CompressionBeginning, CompressionEnd, ContextEvents } from './context/context-events.ts'
export type { ContextHooks, HookAnswer } from './context/context-hooks.ts'
export { createContext } from './context/create-context.ts'
export type { Decision, DecisionReason } from './context/decision.ts'
export { findOverflow, type Overflow } from './context/find-overflow.ts'
export {
  createFollower,
  type FollowedRequest,
  type Follower,
  type FollowerOptions,
  type FollowOptions,
  type FollowSettings,
  type HostRequest,
} from './context/follow.ts'
export type { RequestFormat } from './context/request-format.ts'
export type { SwitchLoss, SwitchOptions, SwitchPreview, SwitchResult, SwitchVerdict } from './context/switch.ts'
export type { Usage } from './context/usage.ts'
export { apply } from './conversation/apply.ts'
export { type CutPoints, findCutPoints, type Unit } from './conversation/cut-points.ts'
export type {
  DropEdit,
  Edit,
  ReplaceEdit,
  RewriteEdit,
  SettledEdit,
  SummarizeEdit,
  SummaryBrief,
} from './conversation/edit.ts'
export { checkInvariants, invariants, repairInvariants } from './conversation/invariants/index.ts'
export type { Invariant, Violation } from './conversation/invariants/invariant.ts'
export {
  type AssistantMessage,
  type ContentPart,
  type Conversation,
  type MediaPart,
  type Message,
  type OpaquePart,
  type Origin,
  type Part,
  type Protocol,
  type ReasoningPart,
  type Role,
  readText,
  renderPart,
  type SystemMessage,
  type TextPart,
  type ToolCallPart,
  type ToolMessage,
  type ToolResultPart,
  type UserMessage,
} from './conversation/message.ts'
export type { RecallPath } from './conversation/recall-path.ts'
export { readLedgerText, readSummary } from './conversation/summary-message.ts'
export { findLastUserRequest, findTurns, isUserRequest, type Turn } from './conversation/turns.ts'
export { type AppliedStrategies, type ApplyStrategiesOptions, applyStrategies } from './engine/apply-strategies.ts'
export { type CompressMessagesOptions, type CompressResult, compress } from './engine/compress.ts'
export {
  type Compression,
  type CompressOptions,
  type CompressStep,
  compressConversation,
} from './engine/compress-conversation.ts'
export { type CompressionMemory, createCompressionMemory } from './engine/compression-memory.ts'
export {
  type BilledTokens,
  billPrompt,
  type Pricing,
  pricePrompt,
  priceSummary,
  priceTokens,
  UNIT_PRICES,
} from './engine/economics.ts'
export type { FileRead, ReadState } from './engine/file-tokens.ts'
export { type Inspection, inspect } from './engine/inspect.ts'
export { type InspectedMessage, type InspectedPart, inspectMessages } from './engine/inspect-messages.ts'
export { auto, type Ladder, type Rung } from './engine/ladder.ts'
export type { Limits } from './engine/limits.ts'
export type { Outcome, Refusal, Report, RequestCost, Size } from './engine/report.ts'
export type { PartChanges, Rewrites, StepReport, StepsReport } from './engine/steps-report.ts'
export type { TokenKind } from './engine/token-kind.ts'
export { withoutRecall } from './engine/without-recall.ts'
export type { FactKind } from './facts/fact.ts'
export type { FactCounts, FactState, Receipt } from './facts/receipt.ts'
export { findModel, modelIds } from './models/find-model.ts'
export type { CacheRules, Model, Prices } from './models/model.ts'
export { redactSecrets } from './secrets/redact-secrets.ts'
export {
  type Band,
  type BandLevel,
  type BandOptions,
  bands,
  type ClearReasoningOptions,
  type ClearToolsMode,
  type ClearToolsOptions,
  clearReasoning,
  clearTools,
  createBands,
  createClearReasoning,
  createClearTools,
  createHighDensity,
  type HighDensityOptions,
  highDensity,
  type Keep,
  middleOut,
  type NoopReason,
  oneShot,
  type Plan,
  type Strategy,
  type StrategyOptions,
  type StrategyView,
  strategies,
  tailSummary,
  topDownTruncation,
  type Zone,
} from './strategies/index.ts'
export { digest } from './summarizers/digest.ts'
export type { Summarizer, Summary, SummaryRequest, SummaryUsage } from './summarizers/summarizer.ts'
export { createTokenCounter, type TokenCounter } from './tokens/counter.ts'
export type { TokenCount } from './tokens/token-count.ts'
