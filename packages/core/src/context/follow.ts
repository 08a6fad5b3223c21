/**
 * For hosts that send their whole list every time: what is new in it goes to a context, and what the context made of the
 * rest comes before it, byte for byte the same until the next compression.
 *
 *   host     a b c d        a b c d e f        a b c d e f g
 *   sent     a b c d        a [summary] e f    a [summary] e f g
 */

import type { RequestFormat } from '../formats/index.ts'
import { findModel } from '../models/find-model.ts'
import type { Context, ContextEvents, ContextOptions, PreparedRequest, Usage } from './context.ts'
import { createContext } from './create-context.ts'
import { FollowedConversation } from './followed-conversation.ts'
import { type Keeping, KeptConversation } from './kept-conversation.ts'
import { type Hash, MessageHashes } from './list-chain.ts'
import { copyContent, isSameContent } from './live-history.ts'
import type { Lock } from './shared-run.ts'
import type { ConversationStore } from './store.ts'

/** The options of a context, but for what every request says itself. */
export type FollowSettings = Omit<ContextOptions, 'model' | 'format' | 'messages' | 'system' | 'tools'>

export interface FollowerOptions extends FollowSettings {
  readonly format: RequestFormat
  /** How many conversations are remembered; the least recently used is dropped first. 8 by default. */
  readonly maxConversations?: number
  /**
   * Where compressions are kept, so that another process goes on with the same bytes: after a restart, or beside this one.
   * What is new is written before a request is given out. It alone says from where a list goes on: from the longest list
   * that was sent and that it begins with. Where it fails, the request goes on from memory.
   */
  readonly store?: ConversationStore
  /** Needed with a store: names lists in it. */
  readonly hash?: Hash
  /** Needed with a store: called with whatever it rejects with, and with what in it is unreadable. */
  readonly onProblem?: (problem: unknown) => void
}

/** One request of the host. */
export interface HostRequest<Native extends object = object> {
  readonly model: string
  /**
   * Whose conversation it is, in words of the host; '' by default. Requests with other keys have nothing in common, whatever
   * their messages. In a store all of it begins with the key as JSON: `store.delete(JSON.stringify(key))`.
   */
  readonly key?: string
  /** The whole list, oldest first, as if nothing were ever compressed. */
  readonly messages: readonly Native[]
  readonly system?: unknown
  readonly tools?: readonly object[]
  /** The longest answer that is asked for: kept free unless `reserveTokens` says otherwise. */
  readonly answerTokens?: number
  /** Other options than those of the follower, for the conversation that begins with this request. */
  readonly settings?: FollowSettings
}

/** The request to send in its place. */
export interface FollowedRequest<Native extends object = object> {
  /** The very list of the host when nothing was changed; otherwise its newest objects wherever a message is untouched. */
  readonly messages: Native[]
  readonly prepared: PreparedRequest<Native>
  /** Takes the usage that the provider reported of this request. */
  recordUsage(usage: Usage): void
}

export interface Follower<Native extends object = object> {
  /** The contexts of the conversations that are followed, the one used last first. */
  readonly contexts: readonly Context<Native>[]
  /** Rejects when aborted, and with `FormatError` for what the format does not know: then send what the host gave. */
  next(request: HostRequest<Native>, options?: FollowOptions): Promise<FollowedRequest<Native>>
  /** As `next`, and once more, further compressed, when `send` rejects because the request was too long. */
  send<Response>(
    request: HostRequest<Native>,
    send: (request: FollowedRequest<Native>) => Promise<Response>,
    options?: FollowOptions,
  ): Promise<Response>
  /** Calls `listener` at such an event of any conversation; gives the function that ends it. */
  on<Name extends keyof ContextEvents>(name: Name, listener: (event: ContextEvents[Name]) => void): () => void
}

export interface FollowOptions {
  readonly signal?: AbortSignal
}

const MAX_CONVERSATIONS = 8

/**
 * Recognises conversations by their content, cache marks aside. A list that was cut or changed continues from the newest
 * compression that it still begins with, or begins again. Requests of one conversation are prepared one after the other.
 */
export function createFollower<Native extends object = object>(options: FollowerOptions): Follower<Native> {
  return new ListFollower(options)
}

/** Everything beside the messages that decides whether a request belongs to a conversation. */
type Frame = Pick<HostRequest, 'model' | 'system' | 'tools'> & {
  readonly key: string
  readonly pins: readonly string[]
  readonly unpins: readonly string[]
}

interface Followed<Native extends object> {
  readonly frame: Frame
  readonly conversation: FollowedConversation<Native>
  /** Undefined without a store. */
  readonly kept: KeptConversation<Native> | undefined
}

type Subscribe<Native extends object> = (context: Context<Native>) => void

class ListFollower<Native extends object> implements Follower<Native> {
  readonly #options: FollowerOptions
  /** The one used last is last. */
  readonly #followed: Followed<Native>[] = []
  readonly #subscriptions = new Set<Subscribe<Native>>()
  readonly #keeping: Keeping | undefined

  constructor(options: FollowerOptions) {
    this.#options = options
    this.#keeping = createKeeping(options)
  }

  get contexts(): readonly Context<Native>[] {
    return this.#followed.map(({ conversation }) => conversation.context).reverse()
  }

  async next(request: HostRequest<Native>, { signal }: FollowOptions = {}): Promise<FollowedRequest<Native>> {
    const { conversation, kept, count, present, leave } = await this.#enter(request, signal)
    try {
      return present(await (kept ? kept.prepare(count, signal) : conversation.context.prepare({ signal })))
    } finally {
      leave()
    }
  }

  async send<Response>(
    request: HostRequest<Native>,
    send: (request: FollowedRequest<Native>) => Promise<Response>,
    { signal }: FollowOptions = {},
  ): Promise<Response> {
    const { conversation, kept, count, present, ...entered } = await this.#enter(request, signal)
    let { leave } = entered
    try {
      // First of all, for what another process made of the same list takes the place of the context.
      const first = await kept?.prepare(count, signal)
      const { context } = conversation
      let attempts = 0
      const keep = async (given: PreparedRequest<Native>, kept: KeptConversation<Native>) => {
        if (attempts++ > 0) leave = await takeWhenFree(conversation.lock, signal)
        const isNewest = conversation.context === context
        const prepared = await (isNewest ? kept.keep(given, count, signal) : kept.prepare(count, signal))
        return attempts === 1 ? { ...prepared, compression: prepared.compression ?? first?.compression } : prepared
      }
      const sendPrepared = async (given: PreparedRequest<Native>) => {
        const followed = present(kept ? await keep(given, kept) : given)
        // The answer may take minutes; the next request need not wait for it.
        leave()
        return await send(followed)
      }
      return await context.send(sendPrepared, { signal })
    } finally {
      leave()
    }
  }

  on<Name extends keyof ContextEvents>(name: Name, listener: (event: ContextEvents[Name]) => void): () => void {
    let isOn = true
    const subscribe: Subscribe<Native> = (context) => {
      // Its promise is returned, so that a rejection is handled where events are sent.
      context.on(name, (event) => (isOn ? listener(event) : undefined))
    }
    this.#subscriptions.add(subscribe)
    this.contexts.forEach(subscribe)
    return () => {
      isOn = false
      this.#subscriptions.delete(subscribe)
    }
  }

  /** Holds the lock of its conversation until `leave`. */
  async #enter(request: HostRequest<Native>, signal: AbortSignal | undefined) {
    let known = this.#findKnown(request)
    while (known?.conversation.lock.isHeld) {
      await known.conversation.lock.untilFree(signal)
      known = this.#findKnown(request)
    }
    const { followed, fallback } = known ? { followed: this.#extend(known, request) } : this.#begin(request)
    const { conversation, kept } = followed
    // Hosts add to their list before it is answered.
    const given = [...request.messages]
    const leave = take(conversation.lock)
    try {
      if (known) kept?.setPins(conversation.context.state.pins)
      await kept?.catchUp(given.length, fallback, signal)
    } catch (error) {
      leave()
      throw error
    }
    const present = (prepared: PreparedRequest<Native>): FollowedRequest<Native> => {
      const presented = conversation.present(prepared, given)
      const { context } = conversation
      return {
        // The host may change the list that it gave.
        messages: presented === given ? (request.messages as Native[]) : presented,
        prepared,
        recordUsage: (usage) => {
          if (conversation.context === context) conversation.recordUsage(usage, given.length)
        },
      }
    }
    return { conversation, kept, count: given.length, present, leave }
  }

  /** The longest conversation that the request continues. */
  #findKnown(request: HostRequest<Native>): Followed<Native> | undefined {
    const { messages } = request
    let longest: Followed<Native> | undefined
    for (const followed of this.#followed) {
      const { frame, conversation } = followed
      const { length } = conversation
      if (length > messages.length || length < (longest?.conversation.length ?? 0)) continue
      if (!isSameContent(frame, this.#frameOf(request)) || !conversation.hasSameSystem(messages)) continue
      if (conversation.countShared(messages) === length) longest = followed
    }
    return longest
  }

  #extend(followed: Followed<Native>, request: HostRequest<Native>): Followed<Native> {
    this.#forget(followed)
    // Remembered again only when the format knew the new messages.
    followed.conversation.extend(request.messages)
    this.#followed.push(followed)
    return followed
  }

  #begin(request: HostRequest<Native>) {
    const source = this.#findSource(request)
    const create = (messages: readonly Native[]) => this.#createContext(request, messages)
    const branch = source?.followed.conversation.branchAt(source.shared, request.messages)
    const keeping = this.#keeping
    // With a store, that alone says where a list is: so it is the same in every process.
    const known = keeping && branch ? { ...branch, checkpoints: [] } : branch
    const conversation = new FollowedConversation<Native>(request.messages, create, known)
    const frame = this.#frameOf(request)
    const { format } = this.#options
    const kept = keeping && new KeptConversation(conversation, keeping, { ...frame, format })
    const followed: Followed<Native> = { frame, conversation, kept }
    // The same conversation under another system prompt, as of hosts that write the time into it.
    const isSame = source?.shared === source?.followed.conversation.length
    if (source && isSame && source.followed.frame.model === request.model) this.#forget(source.followed)
    this.#followed.push(followed)
    const { maxConversations = MAX_CONVERSATIONS } = this.#options
    if (this.#followed.length > maxConversations) this.#followed.shift()
    return { followed, fallback: branch?.checkpoints.at(-1) }
  }

  #frameOf({ model, key = '', system, tools, settings }: HostRequest<Native>): Frame {
    const { pins = [], unpins = [] } = { ...this.#options, ...settings }
    const pinned = { pins: [...new Set(pins)], unpins: [...new Set(unpins)] }
    return { model, key, system: copyContent(system), tools: tools && [...tools], ...pinned }
  }

  /** The conversation that has most in common with the request, and how much; none with other pins: its summaries say them. */
  #findSource(request: HostRequest<Native>) {
    const { key, pins } = this.#frameOf(request)
    let best: { readonly followed: Followed<Native>; readonly shared: number } | undefined
    for (const followed of this.#followed) {
      if (followed.frame.key !== key || !isSameContent(followed.conversation.context.state.pins, pins)) continue
      const shared = followed.conversation.countShared(request.messages)
      if (shared > 0 && shared >= (best?.shared ?? 0)) best = { followed, shared }
    }
    return best
  }

  #createContext(request: HostRequest<Native>, messages: readonly Native[]) {
    const { model, system, tools, answerTokens, settings } = request
    const options = { ...this.#options, ...settings }
    const windowTokens = options.windowTokens ?? findModel(model).contextWindowTokens
    const answer = answerTokens === undefined ? undefined : Math.min(answerTokens, Math.floor(windowTokens / 2))
    const { reserveTokens = answer } = options
    const context = createContext<Native>({ ...options, model, messages, system, tools, reserveTokens })
    for (const subscribe of this.#subscriptions) subscribe(context)
    return context
  }

  #forget(followed: Followed<Native>): void {
    const index = this.#followed.indexOf(followed)
    if (index >= 0) this.#followed.splice(index, 1)
  }
}

/** Throws `TypeError` for a store without all that it needs. */
function createKeeping({ store, hash, onProblem }: FollowerOptions): Keeping | undefined {
  if (!store) return undefined
  if (hash && onProblem) return { store, hashes: new MessageHashes(hash), onProblem }
  const missing = hash ? 'onProblem, to be told when the store fails' : 'hash, a SHA-256'
  throw new TypeError(`Creating a follower with a store: give it also ${missing}.`)
}

/** Gives what sets the lock free again. */
function take(lock: Lock): () => void {
  let leave = () => {}
  const left = new Promise<void>((resolve) => {
    leave = resolve
  })
  void lock.hold(() => left)
  return leave
}

async function takeWhenFree(lock: Lock, signal: AbortSignal | undefined): Promise<() => void> {
  while (lock.isHeld) await lock.untilFree(signal)
  return take(lock)
}
