/** The contract of what follows hosts that send their whole list every time. */

import type { Context, ContextOptions, PreparedRequest, Usage } from '../context/context.ts'
import type { SentBefore } from '../context/settings.ts'
import type { RequestFormat } from '../formats/index.ts'
import type { ConversationHandle, FollowedEvents } from './conversation-handle.ts'
import type { Hash } from './list-chain.ts'
import type { ConversationStore } from './store.ts'

/** The options of a context, except values that every request contains. */
export type FollowSettings = Omit<
  ContextOptions,
  'model' | 'format' | 'messages' | 'system' | 'tools'
>

export interface FollowerOptions extends FollowSettings {
  readonly format: RequestFormat
  /**
   * How many conversations stay whole in memory, so that the next request reads only new messages.
   * 16 by default. The store has the compressions of the others.
   */
  readonly maxConversations?: number
  /**
   * Where compressions are kept, so that another process sends the same bytes after a restart or at
   * the same time. New compressions are written before a request is returned. Only the store
   * decides where a list continues: at the longest list that was sent and that it begins with. If
   * the store fails, the request continues from memory. By default a store in memory of 64 MiB.
   */
  readonly store?: ConversationStore
  /** Names lists in the store. By default the SHA-256 of the platform, in hexadecimal digits. */
  readonly hash?: Hash
  /**
   * Required with a store. Called with every rejection of the store, and with unreadable values in
   * it. Without a store, it is called once, when memory of a conversation was dropped for lack of
   * space. By default a line on the console then, once for each process.
   */
  readonly onProblem?: (problem: unknown) => void
}

/** One request of the host. */
export interface HostRequest<Native extends object = object> {
  readonly model: string
  /**
   * The owner of the conversation, in words of the host. '' by default. Requests with different
   * keys have nothing in common, regardless of their messages. Never use a key that another person
   * may choose. In a store, all entries of a key begin with it as JSON:
   * `store.delete(JSON.stringify(key))`.
   */
  readonly key?: string
  /** The whole list, oldest first, as if nothing were ever compressed. */
  readonly messages: readonly Native[]
  readonly system?: unknown
  readonly tools?: readonly object[]
  /**
   * The longest answer that is asked for: kept free, up to half of the window, unless
   * `reserveTokens` says otherwise.
   */
  readonly answerTokens?: number
  /**
   * Options that replace those of the follower, for the conversation that begins with this request.
   * With another `windowTokens` it continues in that window.
   */
  readonly settings?: FollowSettings
  /**
   * The latest request of the conversation, if another follower sent it. Tells a new follower
   * whether the provider's cache is warm.
   */
  readonly sentBefore?: SentBefore | undefined
}

/** The request to send in its place. */
export interface FollowedRequest<Native extends object = object> {
  /**
   * The host's own list if nothing was changed. Otherwise its newest objects for every untouched
   * message.
   */
  readonly messages: Native[]
  readonly prepared: PreparedRequest<Native>
  /** Takes the usage that the provider reported of this request. A later report replaces it. */
  recordUsage(usage: Usage): void
}

export interface Follower<Native extends object = object> {
  /** The contexts of the conversations that are followed, the one used last first. */
  readonly contexts: readonly Context<Native>[]
  /**
   * Rejects when aborted, and with `FormatError` for what the format does not know: then send what
   * the host gave.
   */
  next(request: HostRequest<Native>, options?: FollowOptions): Promise<FollowedRequest<Native>>
  /**
   * The same as `next`. If `send` rejects because the request was too long, it is sent a second
   * time, further compressed.
   */
  send<Response>(
    request: HostRequest<Native>,
    send: (request: FollowedRequest<Native>) => Promise<Response>,
    options?: FollowOptions,
  ): Promise<Response>
  /** The conversation with this key. Throws `RangeError` for ''. */
  conversation(key: string): ConversationHandle
  /** The context that a request continues or branches off, if it is in memory. */
  find(request: HostRequest<Native>): Context<Native> | undefined
  /**
   * Calls `listener` at such an event of any conversation, and returns the function that removes
   * it.
   */
  on<Name extends keyof FollowedEvents>(
    name: Name,
    listener: (event: FollowedEvents[Name]) => void,
  ): () => void
}

export interface FollowOptions {
  readonly signal?: AbortSignal | undefined
}
