/**
 * A followed conversation, and the entries of it in a store.
 *
 *   a b c d          the list as it was sent
 *   S   c d          the request in its place: S is kept under the names `a b c d` and `a b`
 *
 *   a b c d e f      continues it, at the longest list that it begins with
 *   a b x y z        is another conversation, unchanged. It can use S if it has to be compressed
 */

import { tellOne } from '../context/compressor.ts'
import type { PreparedRequest } from '../context/context.ts'
import { isPlainJson, isSameContent } from '../context/same-content.ts'
import { untilAborted } from '../context/shared-run.ts'
import { isJsonObject } from '../formats/shared/json.ts'
import type { Checkpoint, FollowedConversation } from './followed-conversation.ts'
import { ListChain } from './list-chain.ts'
import type { Keeping } from './memory-store.ts'
import type { StoredValue } from './store.ts'

/** What lists must have in common in addition to their messages. */
export interface Identity {
  /** The key of the host, which names the owner of the conversation. */
  readonly key: string
  readonly format: string
  readonly model: string
  /** The pins that summaries repeat. */
  readonly pins: readonly string[]
}

/** The list under whose name the present state is kept. */
interface StorePlace {
  readonly count: number
  readonly key: string
  readonly version: number
}

// Each time another process was faster with the same list, and what it made was still too long.
const MOST_LOST = 3

export class KeptConversation<Native extends object> {
  readonly #conversation: FollowedConversation<Native>
  readonly #keeping: Keeping
  #identity: Identity
  #chain: ListChain
  #place: StorePlace | undefined
  /** Whether the store has the present state, or there is nothing to keep. */
  #isKept = true
  readonly #givenPins: readonly string[]
  /** Messages of the first list of it that came to this client. */
  #begunWith = 0

  constructor(conversation: FollowedConversation<Native>, keeping: Keeping, identity: Identity) {
    this.#conversation = conversation
    this.#keeping = keeping
    this.#identity = identity
    this.#givenPins = identity.pins
    this.#chain = this.#createChain()
  }

  /**
   * Continues from a list that was sent, and that the first `count` messages are or begin with. A
   * list that has to be compressed gets the compression of another list with the same beginning. If
   * the store fails, it continues from `fallback`.
   */
  async catchUp(count: number, fallback?: Checkpoint<Native>, signal?: AbortSignal): Promise<void> {
    this.#begunWith ||= count
    if (count < this.#chain.shortest) return
    const isTold = await this.#attempt(() => this.#findPlace(count, signal), signal)
    if (!isTold) {
      if (fallback) this.adopt(fallback)
      return
    }
    await untilAborted(this.#conversation.context.load(), signal)
    if (this.#conversation.context.advise().action === 'compress') {
      await this.#attempt(() => this.#findOther(count, signal), signal)
    }
  }

  /** The next request of `count` messages, after it is kept. Rejects when aborted. */
  async prepare(count: number, signal?: AbortSignal): Promise<PreparedRequest<Native>> {
    return await this.keep(await this.#conversation.context.prepare({ signal }), count, signal)
  }

  /**
   * The request, after its compressions are stored. If another process sends the same list, its
   * request is returned instead.
   */
  async keep(
    given: PreparedRequest<Native>,
    count: number,
    signal?: AbortSignal,
  ): Promise<PreparedRequest<Native>> {
    let prepared = given
    for (let lost = 0; ; lost++) {
      if (this.#conversation.remember(prepared.messages)) this.#isKept = false
      if (lost === MOST_LOST) return prepared
      let isLost = false
      await this.#attempt(async () => {
        const winner = await this.#write(count, signal)
        if (!winner) return
        this.#goOn(winner, count)
        isLost = true
      }, signal)
      if (!isLost) return prepared
      prepared = await this.#conversation.context.prepare({ signal })
    }
  }

  /** Stores changes made between requests: a manual compression, an undo. */
  async save(signal?: AbortSignal): Promise<void> {
    this.#conversation.remember(this.#conversation.context.messages)
    this.#isKept = false
    await this.#attempt(async () => {
      const winner = await this.#write(this.#conversation.length, signal)
      if (winner) this.#goOn(winner, this.#conversation.length)
    }, signal)
  }

  /**
   * Pins that came meanwhile make it another conversation for the store: forks of the old one must
   * not get them.
   */
  setPins(pins: readonly string[]): void {
    if (isSameContent(pins, this.#identity.pins)) return
    this.#identity = { ...this.#identity, pins }
    this.#chain = this.#createChain()
    this.#place = undefined
    this.#isKept = this.#conversation.checkpoint.covered === 0
  }

  #createChain(): ListChain {
    const { format, model, pins } = this.#identity
    const { own, systemCount } = this.#conversation
    return new ListChain(this.#keeping.hashes, own, systemCount, [format, model, pins])
  }

  async #findPlace(count: number, signal: AbortSignal | undefined): Promise<void> {
    await untilAborted(this.#chain.extend(count), signal)
    const least = this.#place?.count ?? this.#chain.shortest
    let marks: number[] = []
    for (let at = count; at >= least; at = this.#findMark(at) - 1) marks.push(this.#findMark(at))
    for (;;) {
      const mark = await this.#find(MARK, marks, signal)
      if (!mark) return
      const most = Math.min(mark.count - (mark.count % MARK_COUNT) + MARK_COUNT - 1, count)
      const found = await this.#find(SENT, countDown(most, Math.max(mark.count, least)), signal)
      if (found) return this.#goOn(found.stored, found.count)
      marks = marks.filter((other) => other < mark.count)
    }
  }

  async #findOther(count: number, signal: AbortSignal | undefined): Promise<void> {
    const least = Math.max(this.#conversation.checkpoint.covered + 1, this.#chain.shortest)
    const found = await this.#find(COVERED, countDown(count, least), signal)
    if (found) this.adopt(decode(found.stored, found.count, this.#conversation.own))
  }

  /** The store's entry for the first of these beginnings of the list that has one. */
  async #find(kind: string, counts: readonly number[], signal: AbortSignal | undefined) {
    const keys = counts.map((count) => this.#nameKey(kind, count))
    const stored = await untilAborted(this.#keeping.store.find(keys), signal)
    const count = counts[keys.indexOf(stored?.key ?? '')]
    return stored && count !== undefined ? { stored, count } : undefined
  }

  /** The beginning that is marked when a list of `count` messages is kept. */
  #findMark(count: number): number {
    return Math.max(count - (count % MARK_COUNT), this.#chain.shortest)
  }

  #nameKey(kind: string, count: number): string {
    // As JSON: no key of one owner is the beginning of a key of another.
    return `${JSON.stringify(this.#identity.key)} ${kind} ${this.#chain.name(count)}`
  }

  /** Continues from the stored entry of a list with this many messages. */
  #goOn(found: StoredValue, count: number): void {
    const { key, version } = found
    if (key === this.#place?.key && version === this.#place.version) return
    this.adopt(decode(found, count, this.#conversation.own))
    this.#place = { count, key, version }
    this.#isKept = true
  }

  /**
   * Continues from the compression of a list with the same beginning. It is stored with the next
   * request.
   */
  adopt(checkpoint: Checkpoint<Native>): void {
    const { pins } = this.#identity
    this.#conversation.adopt(
      checkpoint,
      pins.filter((pin) => !this.#givenPins.includes(pin)),
    )
    this.#isKept = false
  }

  /** Returns what another process meanwhile wrote for the same list. */
  async #write(count: number, signal: AbortSignal | undefined): Promise<StoredValue | undefined> {
    const { checkpoint } = this.#conversation
    const isNothing = checkpoint.covered === 0 && !this.#place
    if (this.#isKept || isNothing || checkpoint.covered > count || count < this.#chain.shortest)
      return undefined
    const { store } = this.#keeping
    await untilAborted(this.#chain.extend(count), signal)
    const key = this.#nameKey(SENT, count)
    const value = encode(checkpoint, (message) => this.#conversation.findPosition(message))
    await untilAborted(
      store.write(this.#nameKey(MARK, this.#findMark(count)), 'true', undefined),
      signal,
    )
    const write = (version?: number) => untilAborted(store.write(key, value, version), signal)
    // The entry is missing if it was deleted meanwhile.
    const stored =
      (await write(this.#place?.key === key ? this.#place.version : undefined)) ?? (await write())
    if (!stored)
      throw new TypeError(
        `Keeping a conversation: the store wrote nothing, and has nothing under "${key}".`,
      )
    if (stored.value !== value) return stored
    this.#place = { count, key, version: stored.version }
    this.#isKept = true
    // Counts what came to this client after its first list. If another client has the same, that is
    // not a repetition.
    const most = Math.min(count, this.#begunWith) - 1
    const earlier = countDown(most, Math.max(this.#chain.shortest, most - MOST_STEP))
    this.#keeping.noteSent?.(
      key,
      earlier.map((at) => this.#nameKey(SENT, at)),
    )
    if (checkpoint.covered < this.#chain.shortest) return undefined
    await untilAborted(
      store.write(this.#nameKey(COVERED, checkpoint.covered), value, undefined),
      signal,
    )
    return undefined
  }

  /** False, and reported, if the store failed. Rejects if aborted. */
  async #attempt(run: () => Promise<void>, signal: AbortSignal | undefined): Promise<boolean> {
    try {
      await run()
      return true
    } catch (problem) {
      signal?.throwIfAborted()
      tellOne(this.#keeping.onProblem, problem)
      return false
    }
  }
}

const SENT = 'sent'
const COVERED = 'covered'
const MARK = 'mark'
// Most lists are not in the store, and a search for every beginning takes a millisecond for 400
// messages. Therefore every 64th beginning is marked if one of the next 64 is stored.
const MARK_COUNT = 64
// More messages are rarely new in one request.
const MOST_STEP = 32

const countDown = (most: number, least: number): number[] =>
  Array.from({ length: Math.max(most - least + 1, 0) }, (_, index) => most - index)

/** A number is the position of the host's own message. */
interface KeptPrefix {
  readonly covered: number
  readonly prefix: readonly (number | object)[]
}

/** Throws `TypeError` for a value that JSON cannot contain. */
function encode<Native extends object>(
  { covered, prefix }: Checkpoint<Native>,
  findPosition: (message: Native) => number | undefined,
): string {
  const kept: KeptPrefix = {
    covered,
    prefix: prefix.map((message) => {
      const position = findPosition(message)
      if (position !== undefined && position < covered) return position
      if (isPlainJson(message)) return message
      throw new TypeError(
        'Keeping a conversation: a message that a compression changed holds what JSON cannot say, such as bytes. It is followed in this process alone.',
      )
    }),
  }
  return JSON.stringify(kept)
}

/**
 * Throws for anything that `encode` did not write, and for an entry that covers more than this many
 * messages.
 */
function decode<Native extends object>(
  { key, value }: StoredValue,
  most: number,
  own: readonly Native[],
): Checkpoint<Native> {
  const kept: unknown = JSON.parse(value)
  if (!isKept(kept) || kept.covered > most) {
    throw new TypeError(
      `Reading a conversation from its store: what "${key}" has is something else. Delete it.`,
    )
  }
  const { covered, prefix } = kept
  // Anything but a number was written as a message of this format.
  return {
    covered,
    prefix: prefix.map(
      (message) => (typeof message === 'number' ? own[message] : message) as Native,
    ),
  }
}

function isKept(value: unknown): value is KeptPrefix {
  if (!isJsonObject(value) || !Array.isArray(value.prefix)) return false
  const { covered, prefix } = value
  if (!isNumber(covered)) return false
  return prefix.every(
    (message: unknown) => isJsonObject(message) || (isNumber(message) && message < covered),
  )
}

const isNumber = (value: unknown): value is number => Number.isInteger(value) && Number(value) >= 0
