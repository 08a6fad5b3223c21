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
import { copyContent, isSameContent } from './live-history.ts'

/** The options of a context, but for what every request says itself. */
export type FollowSettings = Omit<ContextOptions, 'model' | 'format' | 'messages' | 'system' | 'tools'>

export interface FollowerOptions extends FollowSettings {
  readonly format: RequestFormat
  /** How many conversations are remembered; the least recently used is dropped first. 8 by default. */
  readonly maxConversations?: number
}

/** One request of the host. */
export interface HostRequest<Native extends object = object> {
  readonly model: string
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
  readonly pins: readonly string[]
  readonly unpins: readonly string[]
}

interface Followed<Native extends object> {
  readonly frame: Frame
  readonly conversation: FollowedConversation<Native>
}

type Subscribe<Native extends object> = (context: Context<Native>) => void

class ListFollower<Native extends object> implements Follower<Native> {
  readonly #options: FollowerOptions
  /** The one used last is last. */
  readonly #followed: Followed<Native>[] = []
  readonly #subscriptions = new Set<Subscribe<Native>>()

  constructor(options: FollowerOptions) {
    this.#options = options
  }

  get contexts(): readonly Context<Native>[] {
    return this.#followed.map(({ conversation }) => conversation.context).reverse()
  }

  async next(request: HostRequest<Native>, { signal }: FollowOptions = {}): Promise<FollowedRequest<Native>> {
    const { conversation, present, leave } = await this.#enter(request, signal)
    try {
      return present(await conversation.context.prepare({ signal }))
    } finally {
      leave()
    }
  }

  async send<Response>(
    request: HostRequest<Native>,
    send: (request: FollowedRequest<Native>) => Promise<Response>,
    { signal }: FollowOptions = {},
  ): Promise<Response> {
    const { conversation, present, leave } = await this.#enter(request, signal)
    const sendPrepared = (prepared: PreparedRequest<Native>) => {
      const followed = present(prepared)
      // The answer may take minutes; the next request need not wait for it.
      leave()
      return send(followed)
    }
    try {
      return await conversation.context.send(sendPrepared, { signal })
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
    const { conversation } = known ? this.#extend(known, request) : this.#begin(request)
    // Hosts add to their list before it is answered.
    const given = [...request.messages]
    let leave = () => {}
    const left = new Promise<void>((resolve) => {
      leave = resolve
    })
    void conversation.lock.hold(() => left)
    const present = (prepared: PreparedRequest<Native>): FollowedRequest<Native> => {
      const presented = conversation.present(prepared, given)
      return {
        // The host may change the list that it gave.
        messages: presented === given ? (request.messages as Native[]) : presented,
        prepared,
        recordUsage: (usage) => conversation.recordUsage(usage, given.length),
      }
    }
    return { conversation, present, leave }
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

  #begin(request: HostRequest<Native>): Followed<Native> {
    const source = this.#findSource(request)
    const create = (messages: readonly Native[]) => this.#createContext(request, messages)
    const branch = source?.followed.conversation.branchAt(source.shared, request.messages)
    const conversation = new FollowedConversation<Native>(request.messages, create, branch)
    const followed = { frame: this.#frameOf(request), conversation }
    // The same conversation under another system prompt, as of hosts that write the time into it.
    const isSame = source?.shared === source?.followed.conversation.length
    if (source && isSame && source.followed.frame.model === request.model) this.#forget(source.followed)
    this.#followed.push(followed)
    const { maxConversations = MAX_CONVERSATIONS } = this.#options
    if (this.#followed.length > maxConversations) this.#followed.shift()
    return followed
  }

  #frameOf({ model, system, tools, settings }: HostRequest<Native>): Frame {
    const { pins = [], unpins = [] } = { ...this.#options, ...settings }
    const pinned = { pins: [...new Set(pins)], unpins: [...new Set(unpins)] }
    return { model, system: copyContent(system), tools: tools && [...tools], ...pinned }
  }

  /** The conversation that has most in common with the request, and how much; none with other pins: its summaries say them. */
  #findSource(request: HostRequest<Native>) {
    const { pins } = this.#frameOf(request)
    let best: { readonly followed: Followed<Native>; readonly shared: number } | undefined
    for (const followed of this.#followed) {
      if (!isSameContent(followed.conversation.context.state.pins, pins)) continue
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
