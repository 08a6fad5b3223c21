/**
 * For hosts that send their whole list every time. New messages go to a context. The context's
 * result for the older messages comes before them, byte for byte the same until the next
 * compression.
 *
 *   host     a b c d        a b c d e f        a b c d e f g
 *   sent     a b c d        a [summary] e f    a [summary] e f g
 */

import { assertTree } from '../context/assert-tree.ts'
import type { CompressNowOptions } from '../context/compressions.ts'
import { tellOne } from '../context/compressor.ts'
import type { Clock, Context, PreparedRequest } from '../context/context.ts'
import { openContext } from '../context/create-context.ts'
import { systemClock } from '../context/live-state.ts'
import {
  checkFollowerOptions,
  checkListener,
  checkRequest,
  checkSend,
  checkSignal,
} from '../context/option-kinds.ts'
import { isSameContent } from '../context/same-content.ts'
import { untilAborted } from '../context/shared-run.ts'
import { aName, checkValue } from '../conversation/check-options.ts'
import {
  addUsage,
  applyKeyPins,
  type ConversationHandle,
  type FollowedEvents,
  NO_USAGE,
  noteKeyPin,
  readKeyPins,
  subtractUsage,
} from './conversation-handle.ts'
import { FollowedConversation } from './followed-conversation.ts'
import { type Followed, FollowedList, frameOf, listOwnPins } from './followed-list.ts'
import type {
  FollowedRequest,
  Follower,
  FollowerOptions,
  FollowOptions,
  HostRequest,
} from './follower.ts'
import { KeptConversation } from './kept-conversation.ts'
import { createKeeping, type Keeping } from './memory-store.ts'

/**
 * Recognizes conversations by their content, without cache marks. A list that was cut or changed
 * continues from the newest compression that it still begins with, or begins again. Requests of one
 * conversation are prepared one after the other.
 */
export function createFollower<Native extends object = object>(
  options: FollowerOptions,
): Follower<Native> {
  checkFollowerOptions('Creating a follower', options)
  return new ListFollower(options)
}

type Subscribe<Native extends object> = (context: Context<Native>, key: string) => void

class ListFollower<Native extends object> implements Follower<Native> {
  readonly #options: FollowerOptions
  readonly #clock: Clock
  readonly #followed: FollowedList<Native>
  readonly #subscriptions = new Set<Subscribe<Native>>()
  readonly #keeping: Keeping

  constructor(options: FollowerOptions) {
    this.#options = options
    this.#followed = new FollowedList(options)
    this.#clock = options.clock ?? systemClock
    this.#keeping = createKeeping(options)
  }

  get contexts(): readonly Context<Native>[] {
    return this.#followed.all.map(({ conversation }) => conversation.context).reverse()
  }

  async next(
    request: HostRequest<Native>,
    options: FollowOptions = {},
  ): Promise<FollowedRequest<Native>> {
    checkSignal(options)
    const { signal } = options
    const { kept, count, present, leave } = await this.#enter(request, signal)
    try {
      return present(await kept.prepare(count, signal))
    } finally {
      leave()
    }
  }

  async send<Response>(
    request: HostRequest<Native>,
    send: (request: FollowedRequest<Native>) => Promise<Response>,
    options: FollowOptions = {},
  ): Promise<Response> {
    checkSend(send, options)
    const { signal } = options
    const { conversation, kept, count, present, ...entered } = await this.#enter(request, signal)
    let { leave } = entered
    try {
      // First of all, for what another process made of the same list takes the place of the
      // context.
      const first = await kept.prepare(count, signal)
      const { context } = conversation
      let attempts = 0
      const keep = async (given: PreparedRequest<Native>) => {
        if (attempts++ > 0) leave = await conversation.lock.take(signal)
        const isNewest = conversation.context === context
        const prepared = await (isNewest
          ? kept.keep(given, count, signal)
          : kept.prepare(count, signal))
        return attempts === 1
          ? { ...prepared, compression: prepared.compression ?? first.compression }
          : prepared
      }
      const sendPrepared = async (given: PreparedRequest<Native>) => {
        const followed = present(await keep(given))
        // The answer may take minutes, and the next request need not wait for it.
        leave()
        return await send(followed)
      }
      return await context.send(sendPrepared, { signal })
    } finally {
      leave()
    }
  }

  on<Name extends keyof FollowedEvents>(
    name: Name,
    listener: (event: FollowedEvents[Name]) => void,
  ): () => void {
    checkListener(name, listener)
    let isOn = true
    const ends = new WeakMap<Context<Native>, () => void>()
    const subscribe: Subscribe<Native> = (context, key) => {
      // Its promise is returned, so that the sender of events handles a rejection.
      const end = context.on(name, (event) =>
        isOn ? listener({ ...event, key } as FollowedEvents[Name]) : undefined,
      )
      ends.set(context, end)
    }
    this.#subscriptions.add(subscribe)
    for (const { conversation, frame } of this.#followed.all)
      subscribe(conversation.context, frame.key)
    return () => {
      isOn = false
      this.#subscriptions.delete(subscribe)
      for (const context of this.contexts) ends.get(context)?.()
    }
  }

  conversation(key: string): ConversationHandle {
    checkValue('Naming a conversation', 'key', key, aName)
    const listFollowed = () => this.#followed.all.filter(({ frame }) => frame.key === key)
    const findNewest = () => listFollowed().at(-1)
    const { store } = this.#keeping
    return {
      key,
      get state() {
        return findNewest()?.conversation.context.state
      },
      get usage() {
        return listFollowed().reduce((sum, { usage }) => addUsage(sum, usage), NO_USAGE)
      },
      get usedAt() {
        return findNewest()?.usedAt
      },
      compress: (options) =>
        this.#change(findNewest(), ({ context }) => context.compress(options), options),
      undo: async () =>
        (await this.#change(findNewest(), (conversation) => conversation.undo())) ?? false,
      pin: (text) => noteKeyPin(store, key, text, true),
      unpin: (text) => noteKeyPin(store, key, text, false),
      on: (name, listener) =>
        this.on(name, (event) => (event.key === key ? listener(event) : undefined)),
    }
  }

  find(request: HostRequest<Native>): Context<Native> | undefined {
    checkRequest(request)
    return this.#followed.findSource(request, () => true)?.followed.conversation.context
  }

  /** Changes a conversation between two requests, and keeps that. */
  async #change<Result>(
    followed: Followed<Native> | undefined,
    change: (conversation: FollowedConversation<Native>) => Result | Promise<Result>,
    { signal }: Pick<CompressNowOptions, 'signal'> = {},
  ): Promise<Result | undefined> {
    if (!followed) return undefined
    const leave = await followed.conversation.lock.take(signal)
    try {
      await this.#applyKeyPins(followed, signal)
      const result = await change(followed.conversation)
      await followed.kept.save(signal)
      return result
    } finally {
      leave()
    }
  }

  async #applyKeyPins(followed: Followed<Native>, signal: AbortSignal | undefined): Promise<void> {
    const { conversation, kept, frame } = followed
    if (frame.key !== '') {
      try {
        followed.keyPins = await untilAborted(readKeyPins(this.#keeping.store, frame.key), signal)
      } catch (problem) {
        signal?.throwIfAborted()
        tellOne(this.#keeping.onProblem, problem)
      }
      applyKeyPins(conversation.context, followed.keyPins)
    }
    kept.setPins(listOwnPins(followed))
  }

  /** Holds the lock of its conversation until `leave`. */
  async #enter(request: HostRequest<Native>, signal: AbortSignal | undefined) {
    checkRequest(request)
    let known = this.#followed.findKnown(request)
    while (known?.conversation.lock.isHeld) {
      await known.conversation.lock.untilFree(signal)
      known = this.#followed.findKnown(request)
    }
    // For its first context. A later one of it begins after requests of this follower.
    const first = { ...request }
    const { followed, fallback } = known
      ? { followed: this.#extend(known, request) }
      : this.#begin(first)
    const { conversation, kept } = followed
    // Hosts add to their list before it is answered.
    const given = [...request.messages]
    const leave = conversation.lock.takeNow()
    followed.usedAt = this.#clock.now()
    try {
      await this.#applyKeyPins(followed, signal)
      await kept.catchUp(given.length, fallback, signal)
      first.sentBefore = undefined
      // What another process made of it may carry a pin that has ended.
      applyKeyPins(conversation.context, followed.keyPins)
    } catch (error) {
      leave()
      throw error
    }
    const present = (prepared: PreparedRequest<Native>): FollowedRequest<Native> => {
      const presented = conversation.present(prepared, given)
      const { context } = conversation
      // Events of a stream report the usage of their request again and again.
      let reported = NO_USAGE
      return {
        // The host may change the list that it gave.
        messages: presented === given ? (request.messages as Native[]) : presented,
        prepared,
        recordUsage: (usage) => {
          if (usage.inputTokens === 0 && reported.requests > 0) return
          followed.usage = subtractUsage(addUsage(followed.usage, usage), reported)
          reported = addUsage(NO_USAGE, usage)
          if (conversation.context === context) conversation.recordUsage(usage, given.length)
        },
      }
    }
    return { conversation, kept, count: given.length, present, leave }
  }

  #extend(followed: Followed<Native>, request: HostRequest<Native>): Followed<Native> {
    this.#followed.forget(followed)
    // Remembered again only when the format knew the new messages.
    followed.conversation.extend(request.messages)
    this.#followed.remember(followed)
    return followed
  }

  #begin(request: HostRequest<Native>) {
    const { pins } = frameOf(request, this.#options)
    // A conversation with other pins does not match, because its summaries contain them.
    const source = this.#followed.findSource(request, (followed) =>
      isSameContent(listOwnPins(followed), pins),
    )
    const create = (messages: readonly Native[], replaced: readonly Native[]) =>
      this.#createContext(request, messages, replaced)
    assertTree('Following a request', [request.system, request.tools])
    const branch = source?.followed.conversation.branchAt(source.shared, request.messages)
    // Only the store decides where a list continues, so that every process does the same.
    const known = branch && { ...branch, checkpoints: [] }
    const conversation = new FollowedConversation<Native>(request.messages, create, known)
    const frame = frameOf(request, this.#options)
    const { format } = this.#options
    const kept = new KeptConversation(conversation, this.#keeping, { ...frame, format })
    // The same conversation under another system prompt, as of hosts that write the time into it.
    const isSame = source?.shared === source?.followed.conversation.length
    const same =
      isSame && source?.followed.frame.model === request.model ? source.followed : undefined
    if (same) this.#followed.forget(same)
    const usage = same?.usage ?? NO_USAGE
    const followed: Followed<Native> = {
      frame,
      conversation,
      kept,
      usage,
      usedAt: 0,
      keyPins: { pins: [], unpins: [] },
    }
    this.#followed.remember(followed)
    return { followed, fallback: branch?.checkpoints.at(-1) }
  }

  #createContext(
    request: HostRequest<Native>,
    messages: readonly Native[],
    replaced: readonly Native[],
  ) {
    const { model, system, tools, answerTokens, sentBefore, settings } = request
    const options = { ...this.#options, ...settings }
    const context = openContext<Native>({
      ...options,
      model,
      messages,
      replaced,
      system,
      tools,
      answerTokens,
      sentBefore,
    })
    for (const subscribe of this.#subscriptions) subscribe(context, request.key ?? '')
    return context
  }
}
