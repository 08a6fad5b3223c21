/**
 * One conversation of a host that sends its whole list every time.
 *
 *   host       a  b  c  d  e  f         its newest objects, into which it may write
 *   own        a  b  c  d  e  f         copies of them as the context got them, without cache marks
 *   context    a  [summary]  e  f       after a compression; e and f are the objects of `own`
 *              └─ prefix ──┘  ▲
 *                             └─ covered = 4: from here on nothing was touched
 */

import type { Context, PreparedRequest, Usage } from '../context/context.ts'
import { assertMessages } from '../context/option-kinds.ts'
import {
  copyContent,
  isSameContent,
  toComparable,
  withoutCacheMarks,
} from '../context/same-content.ts'
import { Lock } from '../context/shared-run.ts'
import { readMember } from '../formats/shared/json.ts'

/** A state to go back to: what replaced the first messages of the host in a compression. */
export interface Checkpoint<Native extends object> {
  /** How many messages of the host, from the first on, `prefix` replaces. */
  readonly covered: number
  readonly prefix: readonly Native[]
}

/** The place where another conversation branches off a followed conversation. */
export interface Branch<Native extends object> {
  /** Messages of the host that both begin with, as the context of the older one has them. */
  readonly own: readonly Native[]
  readonly checkpoints: readonly Checkpoint<Native>[]
}

type CreateContext<Native extends object> = (
  messages: readonly Native[],
  replaced: readonly Native[],
) => Context<Native>

const MAX_CHECKPOINTS = 8

export class FollowedConversation<Native extends object> {
  /** Held while a request is prepared. */
  readonly lock = new Lock()
  /** How many system messages come before all others. */
  readonly systemCount: number
  readonly #createContext: CreateContext<Native>
  #context: Context<Native>
  readonly #own: Native[]
  readonly #positions = new Map<object, number>()
  readonly #checkpoints: Checkpoint<Native>[]
  /**
   * The state of the context when it was last read. Counting its tokens takes longer than
   * everything else, and `state` contains them.
   */
  #revision = 0
  /** Messages of the host that a compression has touched, counted from the first. */
  #covered: number

  constructor(
    messages: readonly Native[],
    createContext: CreateContext<Native>,
    branch?: Branch<Native>,
  ) {
    this.#createContext = createContext
    this.systemCount = countSystem(messages)
    const own = branch?.own ?? []
    this.#own = [...own, ...copyAll(messages.slice(own.length))]
    for (const [position, message] of this.#own.entries()) this.#positions.set(message, position)
    this.#checkpoints = [...(branch?.checkpoints ?? [])]
    const { prefix, covered } = this.#checkpoints.at(-1) ?? { prefix: [], covered: 0 }
    this.#covered = covered
    this.#context = this.#begin({ covered, prefix })
  }

  /** Another one after `adopt`. */
  get context(): Context<Native> {
    return this.#context
  }

  /** Copies of the messages of the host. The context contains their content. */
  get own(): readonly Native[] {
    return this.#own
  }

  /** The current state, with `covered` 0 if nothing was compressed. */
  get checkpoint(): Checkpoint<Native> {
    const newest = this.#checkpoints.at(-1)
    return newest?.covered === this.#covered ? newest : { covered: 0, prefix: [] }
  }

  /** The position in `own` of one of its objects. */
  findPosition(message: Native): number | undefined {
    return this.#positions.get(message)
  }

  /**
   * Continues from the result of a compression elsewhere. Throws `FormatError`, and then changes
   * nothing.
   */
  adopt({ covered, prefix }: Checkpoint<Native>, pins: readonly string[]): void {
    const context = this.#begin({ covered, prefix })
    for (const pin of pins) context.pin(pin)
    this.#context = context
    this.#revision = 0
    this.#note({ covered, prefix })
  }

  #begin({ covered, prefix }: Checkpoint<Native>): Context<Native> {
    const messages = [...prefix, ...this.#own.slice(covered)]
    return this.#createContext(messages, this.#own.slice(0, covered))
  }

  /**
   * Undoes the newest compression that was made here, or all compressions that were made elsewhere.
   * False if there is no compression.
   */
  undo(): boolean {
    if (this.context.undo()) return true
    if (this.#covered === 0) return false
    this.adopt({ covered: 0, prefix: [] }, this.context.pins)
    return true
  }

  /** Messages of the host so far. */
  get length(): number {
    return this.#own.length
  }

  /**
   * The number of messages that a list shares with this conversation. Changed words in leading
   * system messages make no difference.
   */
  countShared(messages: readonly Native[]): number {
    const end = Math.min(messages.length, this.length)
    let shared = countSystem(messages) === this.systemCount ? this.systemCount : 0
    while (shared < end && this.#isSame(messages[shared], shared)) shared++
    return shared
  }

  /** Whether the list has the same system messages before all others. */
  hasSameSystem(messages: readonly Native[]): boolean {
    if (countSystem(messages) !== this.systemCount) return false
    return messages
      .slice(0, this.systemCount)
      .every((message, position) => this.#isSame(message, position))
  }

  #isSame(message: Native | undefined, position: number): boolean {
    if (message === undefined) return false
    const own = this.#own[position]
    return (
      isSameContent(message, own) ||
      isSameContent(toComparable(withoutCacheMarks(message)), toComparable(own))
    )
  }

  /**
   * Finds the place from which a conversation can continue that has only `shared` messages in
   * common with this one.
   */
  branchAt(shared: number, messages: readonly Native[]): Branch<Native> {
    const checkpoints = this.#checkpoints.filter(({ covered }) => covered <= shared)
    const own = this.#own.slice(0, shared)
    if (this.hasSameSystem(messages)) return { own, checkpoints }
    const system = copyAll(messages.slice(0, Math.min(this.systemCount, shared)))
    const renewed = new Map(system.map((message, position) => [own[position], message]))
    const renew = (message: Native) => renewed.get(message) ?? message
    return {
      own: [...system, ...own.slice(system.length)],
      checkpoints: checkpoints.map(({ covered, prefix }) => ({
        covered,
        prefix: prefix.map(renew),
      })),
    }
  }

  /**
   * The host's list again, with more after it. Throws `FormatError` for what the format does not
   * know.
   */
  extend(messages: readonly Native[]): void {
    const added = copyAll(messages.slice(this.#own.length))
    for (const message of added) this.#positions.set(message, this.#own.push(message) - 1)
    this.context.append(...added)
  }

  /**
   * Records usage of a request with `count` messages. Only the newest request counts, as a context
   * expects it.
   */
  recordUsage(usage: Usage, count: number): void {
    if (count === this.length) this.context.recordUsage(usage)
  }

  /**
   * The prepared request in the host's newest objects. It is the host's own list as long as nothing
   * was changed.
   */
  present(prepared: PreparedRequest<Native>, given: Native[]): Native[] {
    this.remember(prepared.messages)
    // A request that is asked again after others went on must not get a summary of their messages.
    if (this.#covered === 0 || this.#covered > given.length) return given
    const sent: Native[] = []
    let expected = this.#own.length - 1
    for (let index = prepared.messages.length - 1; index >= 0; index--) {
      const native = prepared.messages[index]
      if (native === undefined) continue
      const position = this.#own[expected] === native ? expected : this.#positions.get(native)
      const newest = position === undefined ? withoutCacheMarks(native) : given[position]
      if (newest !== undefined) sent.push(newest)
      if (position !== undefined) expected = position - 1
    }
    return sent.reverse()
  }

  /**
   * Records the results of compressions of the prepared messages. False if there was no compression
   * since the last time.
   */
  remember(prepared: readonly Native[]): boolean {
    const { revision } = this.context.state
    if (revision === this.#revision) return false
    this.#revision = revision
    let end = prepared.length
    let covered = this.#own.length
    while (end > 0 && covered > 0 && prepared[end - 1] === this.#own[covered - 1]) {
      end--
      covered--
    }
    this.#note({ covered, prefix: prepared.slice(0, end) })
    return true
  }

  #note(checkpoint: Checkpoint<Native>): void {
    this.#covered = checkpoint.covered
    if (checkpoint.covered === 0) this.#checkpoints.length = 0
    else this.#checkpoints.push(checkpoint)
    if (this.#checkpoints.length > MAX_CHECKPOINTS) this.#checkpoints.shift()
  }
}

/**
 * As they are now: hosts write into messages that they have sent. Throws `TypeError` for what no
 * client can send.
 */
function copyAll<Native extends object>(messages: readonly Native[]): Native[] {
  assertMessages('Following a request', messages)
  return messages.map((message) => copyContent(withoutCacheMarks(message)))
}

/** How many system messages come before all others. */
function countSystem(messages: readonly object[]): number {
  const end = messages.findIndex((message) => {
    const role = readMember(message, 'role') ?? readMember(message, 'type')
    return role !== 'system' && role !== 'developer'
  })
  return end < 0 ? messages.length : end
}
