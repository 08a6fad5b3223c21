import { checkInvariants } from '../conversation/invariants/index.ts'
import { isSameList } from '../conversation/lists.ts'
import type { Conversation, Message, Part } from '../conversation/message.ts'
import { withoutGivenId } from '../formats/langchain/record-shape.ts'
import { isJsonObject, type JsonObject, readMember, withMembers } from '../formats/shared/json.ts'
import type {
  SavedTranscript,
  Transcript,
  TranscriptState,
} from '../formats/transcript/transcript.ts'

/** The history as a compression read it, and when. */
export interface Snapshot {
  readonly revision: number
  readonly conversation: Conversation
  readonly state: TranscriptState
}

// Older changes are only in the archive: an endless journal would keep everything in memory.
const MOST_UNDOABLE = 20

/**
 * A history that changes by compare-and-swap, and whose changes can be undone.
 *
 *   take      [ a b c d ]
 *   append    [ a b c d ] e f
 *   commit    [ a S d ] e f         replaces exactly what was read; discarded for another revision
 *   append    [ a S d ] e f g
 *   undo      [ a b c d ] e f g
 */
export class LiveHistory<Native extends object = object> {
  readonly transcript: Transcript<Native>
  #revision = 0
  /** Calls that a note closed. */
  #closed: ReadonlySet<string> = new Set()
  readonly #journal: JournalEntry[] = []

  constructor(transcript: Transcript<Native>) {
    this.transcript = transcript
  }

  /** Counts every change but appending. */
  get revision(): number {
    return this.#revision
  }

  get undoable(): number {
    return this.#journal.length
  }

  /**
   * True when more changed than that: a note that closed a waiting call is removed when its result
   * comes.
   */
  append(natives: readonly Native[]): boolean {
    const { transcript } = this
    const { length } = transcript.messages
    transcript.append(natives)
    const since = transcript.messages.slice(length)
    if (![...listAnswered(since)].some((callId) => this.#closed.has(callId))) return false
    const before = transcript.messages.slice(0, length)
    const kept = dropAnswered(before, since)
    if (kept === before) return false
    transcript.replace([...kept, ...since])
    const newest = this.#journal.pop()
    // What came since the newest commit begins earlier by the number of removed notes.
    const end = kept.length - before.length
    if (newest) this.#journal.push({ ...newest, after: newest.after.slice(0, end) })
    this.#closed = listAnswered(kept.filter(isNote))
    this.#revision++
    return true
  }

  take(): Snapshot {
    const state = this.transcript.mark()
    return { revision: this.#revision, conversation: this.transcript.conversation, state }
  }

  /**
   * The history with a result in place of the messages that were read. Undefined if it is too late
   * for it.
   */
  join(
    { revision, conversation, state }: Snapshot,
    messages: readonly Message[],
  ): readonly Message[] | undefined {
    if (revision !== this.#revision) return undefined
    const since = this.transcript.since(state)
    if (since.length === 0) return messages
    const joined = [...dropAnswered(messages, since), ...since]
    const count = (messages: readonly Message[]) =>
      checkInvariants({ ...conversation, messages }).length
    const broken = count(joined)
    // Messages that the host appended may break a rule themselves. The seam must not.
    return broken === 0 || broken <= count([...conversation.messages, ...since])
      ? joined
      : undefined
  }

  /** False when it is too late, or what came since does not fit it: nothing is changed then. */
  commit(snapshot: Snapshot, messages: readonly Message[]): boolean {
    const joined = this.join(snapshot, messages)
    if (!joined) return false
    const before = this.transcript.mark()
    this.transcript.replace(joined)
    this.#closed = listAnswered(joined.filter(isNote))
    this.#journal.push({ before, after: this.transcript.mark() })
    if (this.#journal.length > MOST_UNDOABLE) this.#journal.shift()
    this.#revision++
    return true
  }

  /**
   * Replaces the messages for good: a model that cannot use what was there before must not get it
   * back.
   */
  rewrite(messages: readonly Message[]): void {
    if (messages !== this.transcript.conversation.messages) this.transcript.replace(messages)
    this.transcript.mark()
    this.forget()
    this.#revision++
  }

  save(): SavedHistory {
    const states = this.#journal.flatMap(({ before, after }) => [before, after])
    return {
      transcript: this.transcript.save(states),
      revision: this.#revision,
      closed: [...this.#closed],
    }
  }

  /** Builds a new history. Throws `FormatError`. */
  load({ transcript, revision, closed }: SavedHistory): void {
    const states = this.transcript.load(transcript)
    for (let at = 0; at + 1 < states.length; at += 2) {
      this.#journal.push({ before: states[at] ?? [], after: states[at + 1] ?? [] })
    }
    this.#revision = revision
    this.#closed = new Set(closed)
  }

  /** Drops the undo journal: another provider would not take what was there before. */
  forget(): void {
    this.#journal.length = 0
  }

  /** Adds messages of precis after all others. */
  say(messages: readonly Message[]): void {
    this.transcript.replace([...this.transcript.conversation.messages, ...messages])
    this.transcript.mark()
    this.#revision++
  }

  /**
   * Returns to the state before the newest commit. Messages appended since stay. False if there is
   * no commit.
   */
  undo(): boolean {
    const newest = this.#journal.pop()
    if (!newest) return false
    this.transcript.restore(newest.before, newest.after)
    this.transcript.mark()
    this.#revision++
    return true
  }
}

/** A history as plain values. */
export interface SavedHistory {
  readonly transcript: SavedTranscript
  readonly revision: number
  readonly closed: readonly string[]
}

interface JournalEntry {
  readonly before: TranscriptState
  readonly after: TranscriptState
}

/**
 * Removes notes on open calls whose result arrived after all. If calls share one id, a result
 * answers the newest.
 */
function dropAnswered(messages: readonly Message[], since: readonly Message[]): readonly Message[] {
  const answered = listAnswered(since)
  const stale = new Set<Message>()
  for (const message of [...messages, ...since].reverse()) {
    const { parts } = message
    const isStale = parts.every((part) => part.type === 'tool-result' && answered.has(part.callId))
    if (isNote(message) && isStale) stale.add(message)
    for (const part of parts) if (part.type === 'tool-call') answered.delete(part.callId)
  }
  return stale.size > 0 ? messages.filter((message) => !stale.has(message)) : messages
}

function listAnswered(messages: readonly Message[]): Set<string> {
  const parts = messages.flatMap((message): readonly Part[] => message.parts)
  return new Set(parts.flatMap((part) => (part.type === 'tool-result' ? [part.callId] : [])))
}

/** A result without a record: precis wrote it. */
const isNote = ({ role, records }: Message): boolean => role === 'tool' && records === undefined

/**
 * A copy, so that the host may write into the original. Texts and objects with a class of their own
 * are shared.
 */
export function copyContent<Value>(value: Value): Value {
  const copies = new Map<object, object>()
  const waiting: object[] = []
  const copyOne = (original: unknown): unknown => {
    if (!isContainer(original)) return original
    const known = copies.get(original)
    if (known) return known
    const copy = Array.isArray(original) ? [...original] : { ...original }
    copies.set(original, copy)
    waiting.push(copy)
    return copy
  }
  const copied = copyOne(value) as Value
  for (let copy = waiting.pop(); copy !== undefined; copy = waiting.pop()) {
    for (const key of Object.keys(copy)) {
      const member: unknown = Reflect.get(copy, key)
      const own = copyOne(member)
      // Not by assignment: `__proto__` may be a key.
      if (own !== member) Reflect.defineProperty(copy, key, { value: own })
    }
  }
  return copied
}

/** An object with its own way to be written as JSON is not taken apart. */
function isContainer(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  return Array.isArray(value) || (isPlain(value) && !('toJSON' in value))
}

/**
 * Whether two messages would be the same JSON, whatever the order of their members. Linear, and
 * deep as they are.
 */
export function isSameContent(left: unknown, right: unknown): boolean {
  const waiting: unknown[] = [left, right]
  while (waiting.length > 0) {
    const b = readPlain(waiting.pop())
    const a = readPlain(waiting.pop())
    if (Object.is(a, b)) continue
    if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
    if (ArrayBuffer.isView(a) || ArrayBuffer.isView(b)) {
      if (!isSameBytes(a, b)) return false
      continue
    }
    if (Array.isArray(a) !== Array.isArray(b)) return false
    let members = 0
    for (const key of Object.keys(b)) if (Reflect.get(b, key) !== undefined) members++
    for (const key of Object.keys(a)) {
      const own: unknown = Reflect.get(a, key)
      // JSON has no members that are undefined.
      if (own === undefined) continue
      members--
      const other: unknown = Object.hasOwn(b, key) ? Reflect.get(b, key) : undefined
      if (typeof own !== 'object' && typeof other !== 'object' && !Object.is(own, other))
        return false
      if (!Object.is(own, other)) waiting.push(own, other)
    }
    if (members !== 0) return false
  }
  return true
}

/** Addresses, dates and the messages of some libraries have their own way to be written as JSON. */
export function readPlain(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  const toJson: unknown = 'toJSON' in value ? value.toJSON : undefined
  return typeof toJson === 'function' ? toJson.call(value) : value
}

function isSameBytes(a: object, b: object): boolean {
  if (!ArrayBuffer.isView(a) || !ArrayBuffer.isView(b) || a.byteLength !== b.byteLength)
    return false
  const left = new Uint8Array(a.buffer, a.byteOffset, a.byteLength)
  const right = new Uint8Array(b.buffer, b.byteOffset, b.byteLength)
  return left.every((byte, index) => byte === right[index])
}

/** Whether JSON restores the value unchanged. */
export function isPlainJson(value: unknown): boolean {
  const waiting: unknown[] = [value]
  while (waiting.length > 0) {
    const next = waiting.pop()
    if (typeof next !== 'object' || next === null) {
      const isKnown =
        ['string', 'boolean', 'undefined'].includes(typeof next) ||
        next === null ||
        Number.isFinite(next)
      if (!isKnown) return false
      continue
    }
    const prototype: unknown = Object.getPrototypeOf(next)
    if (!Array.isArray(next) && prototype !== Object.prototype && prototype !== null) return false
    if ('toJSON' in next) return false
    for (const member of Object.values(next)) waiting.push(member)
  }
  return true
}

const MARKS = ['cache_control', 'cacheControl', 'cachePoint']
const NO_MARKS: JsonObject = Object.fromEntries(MARKS.map((key) => [key, undefined]))
// A message, its blocks, and the blocks of a result in it.
const LEVELS = 3

/**
 * The message without cache marks for the provider, which move with every request. Returns the
 * message itself if it has no marks.
 */
export function withoutCacheMarks<Native extends object>(native: Native): Native {
  return isJsonObject(native) ? (omitMarks(native, LEVELS) as Native) : native
}

/**
 * The parts that two equal messages have in common. A text is the same as one block with it,
 * because hosts write it as a block when they mark it.
 */
export function toComparable(native: unknown): unknown {
  const message = withoutGivenId(readPlain(native))
  const content = readMember(message, 'content')
  return isJsonObject(message) && typeof content === 'string'
    ? withMembers(message, { content: [{ type: 'text', text: content }] })
    : message
}

function omitMarks(value: JsonObject, levels: number): JsonObject {
  if (levels === 0 || !isPlain(value)) return value
  const members: Record<string, unknown> = {}
  for (const key of MARKS) if (Object.hasOwn(value, key)) members[key] = undefined
  const { content } = value
  if (Array.isArray(content)) {
    const blocks = content.map((block: unknown) =>
      isJsonObject(block) ? omitMarks(block, levels - 1) : block,
    )
    if (!isSameList(blocks, content)) members.content = blocks
  }
  if (isJsonObject(value.providerOptions)) {
    const kept = omitProviderMarks(value.providerOptions)
    if (kept !== value.providerOptions) members.providerOptions = kept
  }
  return Object.keys(members).length === 0 ? value : withMembers(value, members)
}

/** `{ anthropic: { cacheControl: … } }` is nothing but a mark. */
function omitProviderMarks(options: JsonObject): JsonObject | undefined {
  const providers = Object.entries(options)
  if (
    !providers.some(([, own]) => isJsonObject(own) && MARKS.some((key) => Object.hasOwn(own, key)))
  )
    return options
  const kept = providers
    .map(([name, own]) => [name, isJsonObject(own) ? withMembers(own, NO_MARKS) : own] as const)
    .filter(([, own]) => !isJsonObject(own) || Object.keys(own).length > 0)
  return kept.length === 0 ? undefined : Object.fromEntries(kept)
}

/** Objects with a class of their own are not taken apart. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
