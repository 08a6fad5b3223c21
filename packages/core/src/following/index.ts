/**
 * The public API of `@precis/core/following`: hosts that send their whole list with each request,
 * and stores that keep their conversations over restarts.
 */

export type { SentBefore } from '../context/settings.ts'
export type {
  ConversationHandle,
  ConversationUsage,
  FollowedEvents,
} from './conversation-handle.ts'
export { createFollower } from './follow.ts'
export type {
  FollowedRequest,
  Follower,
  FollowerOptions,
  FollowOptions,
  FollowSettings,
  HostRequest,
} from './follower.ts'
export type { Hash } from './list-chain.ts'
export {
  createMemoryStore,
  type EvictedEntry,
  MemoryFullError,
  type MemoryStore,
  type MemoryStoreOptions,
  RepeatedCompressionError,
  type StoreSnapshot,
} from './memory-store.ts'
export type { ConversationStore, StoredEntry, StoredValue } from './store.ts'
