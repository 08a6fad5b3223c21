/**
 * The public API of `@precis/core/following`: hosts that send their whole list with each request,
 * and stores that keep their conversations over restarts.
 *
 * ```ts
 * import { createFollower } from '@precis/core'
 * import { createMemoryStore, MemoryFullError, RepeatedCompressionError } from '@precis/core/following'
 *
 * const follower = createFollower({
 *   format: 'openai-chat',
 *   store: createMemoryStore(),
 *   onProblem: (problem) => {
 *     if (problem instanceof MemoryFullError) console.log('Give the store more space.')
 *     if (problem instanceof RepeatedCompressionError) console.log('Use one follower for all requests.')
 *   },
 * })
 * console.log(follower)
 * ```
 */

export type { SentBefore } from '../context/settings.ts'
export type {
  ConversationHandle,
  ConversationUsage,
  FollowedEvents,
} from './conversation-handle.ts'
export {
  /** @deprecated Import it from `@precis/core`. */
  createFollower,
} from './follow.ts'
export type {
  /** @deprecated Import it from `@precis/core`. */
  FollowedRequest,
  /** @deprecated Import it from `@precis/core`. */
  Follower,
  /** @deprecated Import it from `@precis/core`. */
  FollowerOptions,
  FollowOptions,
  FollowSettings,
  /** @deprecated Import it from `@precis/core`. */
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
