/** One conversation of a follower, by the key that the host gave it. */

import type { CompressNowOptions, ContextCompression } from '../context/compressions.ts'
import type { Context, ContextEvents, ContextState, Usage } from '../context/context.ts'
import { isJsonObject, isTexts } from '../formats/shared/json.ts'
import type { ConversationStore } from './store.ts'

/** Events of a follower say whose conversation they are of. */
export type FollowedEvents = {
  readonly [Name in keyof ContextEvents]: ContextEvents[Name] & {
    /** The key of the request. '' if it had no key. */
    readonly key: string
  }
}

/**
 * A handle for the conversations of one key. Several lists may have one key, such as lists of
 * sub-agents. A handle changes the list used last, and pins change all of them. A handle holds
 * nothing, so you can create one wherever you need it.
 */
export interface ConversationHandle {
  readonly key: string
  /** Undefined before the first request in this process, and when too many others came since. */
  readonly state: ContextState | undefined
  /** What the provider reported, of as many requests as this process remembers. */
  readonly usage: ConversationUsage
  /** When the newest request was prepared, by the clock of the follower. Undefined as `state`. */
  readonly usedAt: number | undefined
  /**
   * Compresses now, as `context.compress`, and keeps it for the next request. Undefined as `state`.
   */
  compress(options?: CompressNowOptions): Promise<ContextCompression | undefined>
  /**
   * Undoes the newest compression. If another process made it, all of them are undone. The next
   * request is compressed again if that is due. False if there is no compression, and as `state`.
   */
  undo(): Promise<boolean>
  /**
   * Keeps a text verbatim in every later compression. The store shares it with every process.
   * Rejects if the store fails.
   */
  pin(text: string): Promise<void>
  /** Removes a pin, whoever pinned it. Rejects if the store fails. */
  unpin(text: string): Promise<void>
  /** Calls `listener` at such an event of this key, and returns the function that removes it. */
  on<Name extends keyof FollowedEvents>(
    name: Name,
    listener: (event: FollowedEvents[Name]) => void,
  ): () => void
}

/** Tokens of all requests together. */
export interface ConversationUsage
  extends Required<Omit<Usage, 'compaction' | 'last' | 'reasoningTokens'>> {
  readonly requests: number
}

export const NO_USAGE: ConversationUsage = {
  requests: 0,
  inputTokens: 0,
  outputTokens: 0,
  cachedInputTokens: 0,
  cacheWriteTokens: 0,
}

export function addUsage(
  sum: ConversationUsage,
  usage: Usage & { readonly requests?: number },
): ConversationUsage {
  return {
    requests: sum.requests + (usage.requests ?? 1),
    inputTokens: sum.inputTokens + usage.inputTokens,
    outputTokens: sum.outputTokens + usage.outputTokens,
    cachedInputTokens: sum.cachedInputTokens + (usage.cachedInputTokens ?? 0),
    cacheWriteTokens: sum.cacheWriteTokens + (usage.cacheWriteTokens ?? 0),
  }
}

export function subtractUsage(
  sum: ConversationUsage,
  { requests, inputTokens, outputTokens, cachedInputTokens, cacheWriteTokens }: ConversationUsage,
): ConversationUsage {
  return addUsage(sum, {
    requests: -requests,
    inputTokens: -inputTokens,
    outputTokens: -outputTokens,
    cachedInputTokens: -cachedInputTokens,
    cacheWriteTokens: -cacheWriteTokens,
  })
}

/**
 * One handle for a conversation whose requests go through several APIs of a client: each has a
 * handle of its own.
 */
export function joinHandles(
  key: string,
  handles: readonly ConversationHandle[],
): ConversationHandle {
  const findNewest = () =>
    handles.reduce<ConversationHandle | undefined>(
      (newest, one) => ((one.usedAt ?? -1) > (newest?.usedAt ?? -1) ? one : newest),
      undefined,
    )
  const all = async (act: (handle: ConversationHandle) => Promise<void>) => {
    for (const handle of handles) await act(handle)
  }
  return {
    key,
    get state() {
      return findNewest()?.state
    },
    get usage() {
      return handles.map(({ usage }) => usage).reduce(addUsage, NO_USAGE)
    },
    get usedAt() {
      return findNewest()?.usedAt
    },
    compress: async (options) => findNewest()?.compress(options),
    undo: async () => (await findNewest()?.undo()) ?? false,
    pin: (text) => all((handle) => handle.pin(text)),
    unpin: (text) => all((handle) => handle.unpin(text)),
    on(name, listener) {
      const ends = handles.map((handle) => handle.on(name, listener))
      return () => {
        for (const end of ends) end()
      }
    },
  }
}

/** What was pinned, and what was ended, in all conversations of a key. */
export interface KeyPins {
  readonly pins: readonly string[]
  readonly unpins: readonly string[]
}

const NO_PINS: KeyPins = { pins: [], unpins: [] }

export async function readKeyPins(store: ConversationStore, key: string): Promise<KeyPins> {
  const name = nameEntry(key)
  const stored = await store.find([name])
  return stored ? decode(stored.value, name) : NO_PINS
}

/** Stores that a text is pinned or unpinned, even if other processes do so at the same time. */
export async function noteKeyPin(
  store: ConversationStore,
  key: string,
  text: string,
  isPinned: boolean,
): Promise<void> {
  const name = nameEntry(key)
  let stored = await store.find([name])
  // The loser of a race has to read what the winner wrote. Each time one of them wins.
  for (;;) {
    const { pins, unpins } = stored ? decode(stored.value, name) : NO_PINS
    const without = (texts: readonly string[]) => texts.filter((one) => one !== text)
    const changed: KeyPins = isPinned
      ? { pins: [...without(pins), text], unpins: without(unpins) }
      : { pins: without(pins), unpins: [...without(unpins), text] }
    const value = JSON.stringify(changed)
    if (stored?.value === value) return
    stored = await store.write(name, value, stored?.version)
  }
}

/** Does in one context what was done in all of its key. */
export function applyKeyPins(context: Context, { pins, unpins }: KeyPins): void {
  const known = new Set(context.pins)
  for (const pin of pins) if (!known.has(pin)) context.pin(pin)
  for (const pin of unpins) context.unpin(pin)
}

// As JSON: no key of one owner is the beginning of a key of another.
const nameEntry = (key: string) => `${JSON.stringify(key)} pins`

function decode(value: string, name: string): KeyPins {
  const kept: unknown = JSON.parse(value)
  if (isJsonObject(kept) && isTexts(kept.pins) && isTexts(kept.unpins))
    return { pins: kept.pins, unpins: kept.unpins }
  throw new TypeError(
    `Reading the pins of a conversation from its store: what "${name}" has is something else. Delete it.`,
  )
}
