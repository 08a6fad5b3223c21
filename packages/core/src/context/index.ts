/**
 * The public API of `@precis/core/context`: the live history of an agent, and hosts that send their
 * whole list.
 */

export type { RequestFormat } from '../formats/index.ts'
export type {
  Archive,
  ArchivedChange,
  Clock,
  CompressionBeginning,
  CompressionEnd,
  CompressionTrigger,
  CompressNowOptions,
  Context,
  ContextCompression,
  ContextEvents,
  ContextHooks,
  ContextOptions,
  ContextOutcome,
  ContextSnapshot,
  ContextState,
  HookAnswer,
  PreparedRequest,
  SwitchLoss,
  SwitchOptions,
  SwitchPreview,
  SwitchResult,
  SwitchVerdict,
  Usage,
} from './context.ts'
export type {
  ConversationHandle,
  ConversationUsage,
  FollowedEvents,
} from './conversation-handle.ts'
export { createContext, restoreContext } from './create-context.ts'
export type { Decision, DecisionReason } from './decide.ts'
export { findOverflow, type Overflow } from './find-overflow.ts'
export { createFollower } from './follow.ts'
export type {
  FollowedRequest,
  Follower,
  FollowerOptions,
  FollowOptions,
  FollowSettings,
  HostRequest,
} from './follower.ts'
export { MemoryFullError } from './keeping.ts'
export type { Hash } from './list-chain.ts'
export { renderMediaLimits } from './media-limits.ts'
export {
  createMemoryStore,
  type EvictedEntry,
  type MemoryStore,
  type MemoryStoreOptions,
  type StoreSnapshot,
} from './memory-store.ts'
export {
  createRecall,
  type Recall,
  type RecallHit,
  type RecallSchema,
  type RecallTool,
} from './recall.ts'
export type { ConversationStore, StoredEntry, StoredValue } from './store.ts'
