/** The contract of what follows hosts that send their whole list every time. */

import type { Context, ContextOptions, PreparedRequest, Usage } from '../context/context.ts'
import type { RequestFormat } from '../formats/index.ts'
import type { ConversationHandle, FollowedEvents } from './conversation-handle.ts'
import type { Hash } from './list-chain.ts'
import type { ConversationStore } from './store.ts'

/** The options of a context, but for what every request says itself. */
export type FollowSettings = Omit<
  ContextOptions,
  'model' | 'format' | 'messages' | 'system' | 'tools'
>

export interface FollowerOptions extends FollowSettings {
  readonly format: RequestFormat
  /**
   * How many conversations are held whole in memory, so that the next request reads only what is
   * new in it; 16 by default. What compressions made of the others is in the store.
   */
  readonly maxConversations?: number
  /**
   * Where compressions are kept, so that another process goes on with the same bytes: after a
   * restart, or beside this one. What is new is written before a request is given out. It alone
   * says from where a list goes on: from the longest list that was sent and that it begins with.
   * Where it fails, the request goes on from memory. By default one in memory, of 64 MiB.
   */
  readonly store?: ConversationStore
  /** Names lists in the store; by default the SHA-256 of the platform, in hexadecimal digits. */
  readonly hash?: Hash
  /**
   * Needed with a store: called with whatever it rejects with, and with what in it is unreadable.
   * Without one: called once, when what was kept in memory of a conversation had to make room.
   */
  readonly onProblem?: (problem: unknown) => void
}

/** One request of the host. */
export interface HostRequest<Native extends object = object> {
  readonly model: string
  /**
   * Whose conversation it is, in words of the host; '' by default. Requests with other keys have
   * nothing in common, whatever their messages. Never a key that somebody else may choose. In a
   * store all of it begins with the key as JSON: `store.delete(JSON.stringify(key))`.
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
   * Other options than those of the follower, for the conversation that begins with this request;
   * with another `windowTokens` it goes on in that window.
   */
  readonly settings?: FollowSettings
}

/** The request to send in its place. */
export interface FollowedRequest<Native extends object = object> {
  /**
   * The very list of the host when nothing was changed; otherwise its newest objects wherever a
   * message is untouched.
   */
  readonly messages: Native[]
  readonly prepared: PreparedRequest<Native>
  /** Takes the usage that the provider reported of this request. */
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
   * As `next`, and once more, further compressed, when `send` rejects because the request was too
   * long.
   */
  send<Response>(
    request: HostRequest<Native>,
    send: (request: FollowedRequest<Native>) => Promise<Response>,
    options?: FollowOptions,
  ): Promise<Response>
  /** The conversation with this key. Throws `RangeError` for ''. */
  conversation(key: string): ConversationHandle
  /** The context that a request goes on with or branches off, as far as it is in memory. */
  find(request: HostRequest<Native>): Context<Native> | undefined
  /** Calls `listener` at such an event of any conversation; gives the function that ends it. */
  on<Name extends keyof FollowedEvents>(
    name: Name,
    listener: (event: FollowedEvents[Name]) => void,
  ): () => void
}

export interface FollowOptions {
  readonly signal?: AbortSignal | undefined
}
