import { checkInvariants } from '../conversation/invariants/index.ts'
import type { Conversation, Message, Part } from '../conversation/message.ts'
import type { SavedTranscript } from '../formats/transcript/saved-entry.ts'
import type { Transcript, TranscriptState } from '../formats/transcript/transcript.ts'
import { RemovedIds } from './removed-ids.ts'

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
  #removed: RemovedIds
  /** Records that were changed because their first half is gone, each with what the host gave. */
  readonly #given = new WeakMap<object, readonly Native[]>()

  constructor(transcript: Transcript<Native>, removed = new RemovedIds()) {
    this.transcript = transcript
    this.#removed = removed
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
    if (this.#removed.isEmpty) transcript.append(natives)
    else
      transcript.appendAll(() => {
        for (const native of natives) this.#appendLate(native)
      })
    const since = transcript.messages.slice(length)
    if (![...listAnswered(since)].some((callId) => this.#closed.has(callId))) return false
    const before = transcript.messages.slice(0, length)
    const kept = dropAnswered(before, since)
    if (kept === before) return false
    const newest = this.#journal.pop()
    const later = newest ? transcript.countSince(newest.after) : 0
    transcript.replace([...kept, ...since])
    // What came since the newest commit begins earlier by the records of the removed notes.
    if (newest) this.#journal.push({ ...newest, after: transcript.without(later) })
    this.#closed = listAnswered(kept.filter(isNote))
    this.#revision++
    return true
  }

  #appendLate(native: Native): void {
    const written =
      this.transcript.appendChanged(native, (message) => this.#removed.mend(message)) ?? []
    for (const [index, one] of written.entries()) this.#given.set(one, index === 0 ? [native] : [])
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
    const appended = this.transcript.since(state)
    if (appended.length === 0) return messages
    const removed = new RemovedIds(this.#removed.save())
    removed.note(conversation.messages, messages)
    const since = appended.flatMap((message) => removed.mend(message))
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
    this.#removed.note(this.transcript.messages, joined)
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
    const before = this.transcript.conversation.messages
    this.#removed.note(before, messages)
    if (messages !== before) this.transcript.replace(messages)
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
      removed: this.#removed.save(),
    }
  }

  /** Builds a new history. Throws `FormatError`. */
  load({ transcript, revision, closed, removed }: SavedHistory): void {
    const states = this.transcript.load(transcript)
    for (let at = 0; at + 1 < states.length; at += 2) {
      this.#journal.push({ before: states[at] ?? [], after: states[at + 1] ?? [] })
    }
    this.#revision = revision
    this.#closed = new Set(closed)
    this.#removed = new RemovedIds(removed)
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
    const { transcript } = this
    const since = transcript.nativesSince(newest.after)
    const isAsGiven = !since.some((native) => this.#given.has(native))
    transcript.restore(newest.before, isAsGiven ? newest.after : transcript.mark())
    this.#removed.note([], transcript.messages)
    if (!isAsGiven) this.append(since.flatMap((native) => this.#given.get(native) ?? [native]))
    transcript.mark()
    this.#revision++
    return true
  }
}

/** A history as plain values. */
export interface SavedHistory {
  readonly transcript: SavedTranscript
  readonly revision: number
  readonly closed: readonly string[]
  readonly removed?: ReturnType<RemovedIds['save']>
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
