/** The conversations of a follower, and which of them a request continues. */

import { copyContent, isSameContent } from '../context/same-content.ts'
import type { ConversationUsage, KeyPins } from './conversation-handle.ts'
import type { FollowedConversation } from './followed-conversation.ts'
import type { FollowerOptions, HostRequest } from './follower.ts'
import type { KeptConversation } from './kept-conversation.ts'

const MAX_CONVERSATIONS = 16

export interface Followed<Native extends object> {
  readonly frame: Frame
  readonly conversation: FollowedConversation<Native>
  readonly kept: KeptConversation<Native>
  usage: ConversationUsage
  usedAt: number
  /** Pins of the key, as its contexts have them. */
  keyPins: KeyPins
}

/** Forgets the conversation that was used longest ago if there are too many. */
export class FollowedList<Native extends object> {
  readonly #options: FollowerOptions
  /** The one used last is last. */
  readonly #all: Followed<Native>[] = []

  constructor(options: FollowerOptions) {
    this.#options = options
  }

  get all(): readonly Followed<Native>[] {
    return this.#all
  }

  remember(followed: Followed<Native>): void {
    this.#all.push(followed)
    const { maxConversations = MAX_CONVERSATIONS } = this.#options
    if (this.#all.length > maxConversations) this.#all.shift()
  }

  forget(followed: Followed<Native>): void {
    const index = this.#all.indexOf(followed)
    if (index >= 0) this.#all.splice(index, 1)
  }

  /** The longest conversation that the request continues. */
  findKnown(request: HostRequest<Native>): Followed<Native> | undefined {
    const { messages } = request
    let longest: Followed<Native> | undefined
    for (const followed of this.#all) {
      const { frame, conversation } = followed
      const { length } = conversation
      if (length > messages.length || length < (longest?.conversation.length ?? 0)) continue
      if (
        !isSameContent(frame, frameOf(request, this.#options)) ||
        !conversation.hasSameSystem(messages)
      )
        continue
      if (conversation.countShared(messages) === length) longest = followed
    }
    return longest
  }

  /** The conversation that has most in common with the request, and how much. */
  findSource(request: HostRequest<Native>, isPossible: (followed: Followed<Native>) => boolean) {
    const { key = '', messages } = request
    let best: { readonly followed: Followed<Native>; readonly shared: number } | undefined
    for (const followed of this.#all) {
      if (followed.frame.key !== key || !isPossible(followed)) continue
      const shared = followed.conversation.countShared(messages)
      if (shared > 0 && shared >= (best?.shared ?? 0)) best = { followed, shared }
    }
    return best
  }
}

/** Events of one conversation, not of all that have its key. */
export function listOwnPins<Native extends object>({
  conversation,
  frame,
  keyPins,
}: Followed<Native>): readonly string[] {
  const shared = new Set(keyPins.pins.filter((pin) => !frame.pins.includes(pin)))
  return conversation.context.pins.filter((pin) => !shared.has(pin))
}

/** Everything except the messages that decides whether a request belongs to a conversation. */
interface Frame
  extends Pick<HostRequest, 'model' | 'system' | 'tools'>,
    // As the host gave it: a context of another window decides otherwise.
    Pick<FollowerOptions, 'windowTokens'> {
  readonly key: string
  readonly pins: readonly string[]
  readonly unpins: readonly string[]
}

/** As it is now: hosts write into what they have given. */
export function frameOf(
  { model, key = '', system, tools, settings }: HostRequest,
  options: FollowerOptions,
): Frame {
  const { pins = [], unpins = [], windowTokens } = { ...options, ...settings }
  const given = { pins: [...new Set(pins)], unpins: [...new Set(unpins)], windowTokens }
  return { model, key, system: copyContent(system), tools: tools && [...tools], ...given }
}
