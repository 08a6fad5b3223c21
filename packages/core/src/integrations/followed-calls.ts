import { readObjects } from '../apis/api.ts'
import { tellOne } from '../context/compressor.ts'
import type { ContextState, Usage } from '../context/context.ts'
import { findOverflow } from '../context/find-overflow.ts'
import { EVENT_NAMES, followerKinds } from '../context/option-kinds.ts'
import { aFunction, checkOptions, isObject, type Kinds } from '../conversation/check-options.ts'
import {
  type ConversationHandle,
  type FollowedEvents,
  joinHandles,
} from '../following/conversation-handle.ts'
import { createFollower } from '../following/follow.ts'
import type {
  FollowedRequest,
  Follower,
  FollowerOptions,
  FollowSettings,
  HostRequest,
} from '../following/follower.ts'
import { NOT_FOLLOWED, NOT_KEPT, warnOnce } from '../following/warn-once.ts'
import type { RequestFormat } from '../formats/index.ts'
import { toObject } from '../formats/shared/json.ts'

/** How a wrapped client keeps its conversations within the window. Every option has a default. */
export interface WrapOptions
  extends FollowSettings,
    Pick<FollowerOptions, 'maxConversations' | 'store' | 'hash'> {
  /**
   * Called before every request. Returns the key of its conversation and other options for a new
   * conversation, or false to send the request unchanged.
   */
  readonly perRequest?: (request: AskedRequest) => RequestSettings | false | undefined
  /** Called with the events of any conversation: compressions with their reports and receipts. */
  readonly on?: { readonly [Name in keyof FollowedEvents]?: (event: FollowedEvents[Name]) => void }
  /**
   * Called if a request was sent unchanged because of a problem, or if a compression could not be
   * stored. By default, the first problem of each kind prints a line on the console.
   */
  readonly onProblem?: (problem: unknown) => void
}

/** A request as the host sent it. */
export interface AskedRequest {
  readonly model: string
  /**
   * The key that the client of a conversation or the framework gave. '' if there is no key.
   */
  readonly key: string
  /** The state of the conversation that it continues or branches off, if that is in memory. */
  readonly state: ContextState | undefined
  /** As the host gave it to the client or the framework. */
  readonly params: { readonly [name: string]: unknown }
}

export interface RequestSettings extends FollowSettings {
  /**
   * The key of the conversation. Requests with different keys share nothing, even if their
   * messages are equal.
   */
  readonly key?: string
}

/** What adapters for a framework have in addition. */
export interface Conversations {
  /** The conversation with this key. Throws `RangeError` for ''. */
  conversation(key: string): ConversationHandle
}

/** A wrapped client: the client with the additional method `conversation`. */
export type Wrapped<Client> = Client & {
  /**
   * The conversation with this key, and a client that sends all its requests in this conversation.
   * Throws `RangeError` for ''.
   */
  conversation(key: string): ClientConversation<Client>
}

export interface ClientConversation<Client> extends ConversationHandle {
  readonly client: Client
}

/** The handle of a conversation that several APIs of one client share. */
export function openConversation<Client>(
  key: string,
  calls: readonly FollowedCalls[],
  client: Client,
): ClientConversation<Client> {
  const handle = joinHandles(
    key,
    calls.map((one) => one.follower.conversation(key)),
  )
  return Object.assign(handle, { client })
}

export const wrapKinds: Kinds = {
  ...followerKinds,
  perRequest: aFunction,
  on: {
    allowed: `an object with functions under names of events: ${EVENT_NAMES.join(', ')}`,
    accepts: (value) =>
      isObject(value) &&
      Object.keys(value).every((name) => EVENT_NAMES.some((known) => known === name)),
    members: Object.fromEntries(EVENT_NAMES.map((name) => [name, aFunction])),
  },
}

/** The calls of one client in one format. */
export function followCalls(format: RequestFormat, options: WrapOptions): FollowedCalls {
  checkOptions('Wrapping', options, wrapKinds)
  const onProblem = options.onProblem ?? ((problem: unknown) => warnOnce(NOT_KEPT, problem))
  const follower = createFollower({ ...options, format, onProblem })
  const listen = <Name extends keyof FollowedEvents>(name: Name) => {
    const listener = options.on?.[name]
    if (listener) follower.on(name, listener)
  }
  EVENT_NAMES.forEach(listen)
  return new FollowedCalls(follower, options)
}

/** Follows calls. If precis itself fails, a call is sent as it was given. */
export class FollowedCalls {
  readonly follower: Follower
  readonly #options: WrapOptions
  readonly #key: string

  constructor(follower: Follower, options: WrapOptions, key = '') {
    this.follower = follower
    this.#options = options
    this.#key = key
  }

  /** Calls of the same client that are all of one conversation. */
  withKey(key: string): FollowedCalls {
    return new FollowedCalls(this.follower, this.#options, key)
  }

  /**
   * Undefined for a request that is to stay as it is, or that `read` throws on: then it is
   * reported. `params` is all of it.
   */
  admit(read: () => HostRequest | undefined, params: unknown): HostRequest | undefined {
    return this.#attempt(() => {
      const request = read()
      if (!request || request.messages.length === 0) return undefined
      const { key: own = this.#key, model } = request
      const keyed = { ...request, key: own }
      const { follower } = this
      const answer = this.#options.perRequest?.({
        model,
        key: own,
        params: { ...toObject(params) },
        get state() {
          return follower.find(keyed)?.state
        },
      })
      if (answer === false) return undefined
      const { key = own, ...settings } = answer ?? {}
      return { ...keyed, key, ...(answer && { settings }) }
    })
  }

  /** Rejects with what `send` rejects with. `sendGiven` sends the request as it was given. */
  async send<Response>(
    request: HostRequest,
    send: (followed: FollowedRequest) => Promise<Response>,
    sendGiven: () => Promise<Response>,
    signal?: AbortSignal,
  ): Promise<Response> {
    let isSent = false
    const sendFollowed = (followed: FollowedRequest) => {
      isSent = true
      return send(followed)
    }
    try {
      return await this.follower.send(request, sendFollowed, signal ? { signal } : {})
    } catch (problem) {
      if (isSent) throw problem
      // An aborted request is left to the client: it has an error of its own for that.
      if (!signal?.aborted) this.report(problem)
      return sendGiven()
    }
  }

  /**
   * The same for an answer that began, and then failed with `overflow`. Undefined when the request
   * cannot get shorter.
   */
  async sendAgain<Response>(
    request: HostRequest,
    send: (followed: FollowedRequest) => Promise<Response>,
    overflow: unknown,
    signal?: AbortSignal,
  ): Promise<Response | undefined> {
    const refuse = () => Promise.reject(overflow)
    let attempts = 0
    const sendShorter = (followed: FollowedRequest) =>
      attempts++ === 0 ? refuse() : send(followed)
    try {
      return await this.send(request, sendShorter, refuse, signal)
    } catch (problem) {
      if (problem === overflow) return undefined
      throw problem
    }
  }

  recordUsage(followed: FollowedRequest | undefined, read: () => Usage | undefined): void {
    this.#attempt(() => {
      const usage = read()
      if (usage) followed?.recordUsage(usage)
      return undefined
    })
  }

  report(problem: unknown): void {
    const { onProblem } = this.#options
    if (onProblem) tellOne(onProblem, problem)
    else warnOnce(NOT_FOLLOWED, problem)
  }

  #attempt<Value>(run: () => Value | undefined): Value | undefined {
    try {
      return run()
    } catch (problem) {
      this.report(problem)
      return undefined
    }
  }
}

/**
 * The list of messages in a call. Throws `TypeError` for anything else: that is reported, and the
 * call passes.
 */
export function readCallMessages(call: string, name: string, given: unknown): readonly object[] {
  const messages = readObjects(given)
  if (messages) return messages
  throw createUnreadable(call, name, given)
}

export function createUnreadable(call: string, name: string, found: unknown): TypeError {
  const type = Array.isArray(found)
    ? 'a list of other things than objects'
    : found === null
      ? 'null'
      : typeof found
  return new TypeError(
    `Reading a call of ${call}: its ${name} is ${type}. The call was sent as it is.`,
  )
}

/** The member, even of a class or a proxy. Undefined for anything but an object. */
export function readProperty(owner: unknown, name: string): unknown {
  return typeof owner === 'object' && owner !== null ? Reflect.get(owner, name) : undefined
}

/**
 * The class itself, even through another library. A library changes the members of an object, not
 * its class.
 */
export function classOf(value: object): new (...parts: readonly unknown[]) => object {
  return Object.getPrototypeOf(value).constructor
}

/** Undefined for anything but a signal. */
export function asSignal(value: unknown): AbortSignal | undefined {
  const isSignal =
    typeof value === 'object' && value !== null && 'aborted' in value && 'throwIfAborted' in value
  return isSignal ? (value as AbortSignal) : undefined
}

/** Looks into the events of a stream while they pass. */
export interface StreamWatch {
  onEvent(event: unknown): void
  /** Whether the model has not answered anything yet. */
  isPrelude(event: unknown): boolean
  /** Reads the error out of an event that ends the answer. */
  findFailure(event: unknown): unknown
  /** Whether the reader of the stream has aborted it. */
  isAborted?(): boolean
  /** Sends the request again, shorter. Undefined if it cannot be made shorter. */
  retry(overflow: unknown): Promise<AsyncIterable<unknown> | undefined>
}

/**
 * The same events in the same order. Events before the model's first word are held back until that
 * word. After status 200 a provider may still say that the request is too long. The host then gets
 * the events of the second attempt instead.
 */
export async function* watchEvents(
  events: AsyncIterable<unknown>,
  watch: StreamWatch,
): AsyncGenerator<unknown> {
  const held: unknown[] = []
  let isHolding = true
  let overflow: unknown
  try {
    for await (const event of events) {
      watch.onEvent(event)
      if (!isHolding) {
        yield event
        continue
      }
      held.push(event)
      const failure = watch.findFailure(event)
      if (failure !== undefined && findOverflow(failure)) overflow = failure
      // Read to the end all the same: a stream that is left early takes itself for aborted.
      if (overflow !== undefined || watch.isPrelude(event)) continue
      isHolding = false
      for (const first of held.splice(0)) {
        // A host that aborts at one of them does not get the others, as without precis.
        if (watch.isAborted?.()) return
        yield first
      }
    }
  } catch (error) {
    const again = isHolding && findOverflow(error) ? await watch.retry(error) : undefined
    if (again) {
      yield* again
      return
    }
    yield* held
    throw error
  }
  yield* (overflow === undefined ? undefined : await watch.retry(overflow)) ?? held
}

/**
 * Puts `watch` between a stream of the official clients and all its readers. It stays the same
 * object.
 */
export function interposeStream(
  stream: object,
  watch: (events: AsyncIterable<unknown>) => AsyncIterable<unknown>,
): void {
  // Iteration, `tee` and `toReadableStream` of these streams all begin with `iterator`.
  const key =
    typeof Reflect.get(stream, 'iterator') === 'function' ? 'iterator' : Symbol.asyncIterator
  const iterate: unknown = Reflect.get(stream, key)
  if (typeof iterate !== 'function') return
  const events = { [Symbol.asyncIterator]: () => iterate.call(stream) }
  Object.defineProperty(stream, key, {
    value: () => watch(events)[Symbol.asyncIterator](),
    configurable: true,
    writable: true,
  })
}

export function isStream(value: unknown): value is AsyncIterable<unknown> & object {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}
