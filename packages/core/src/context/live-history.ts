import { checkInvariants } from '../conversation/invariants/index.ts'
import type { Conversation, Message } from '../conversation/message.ts'
import type { Transcript, TranscriptState } from '../formats/transcript.ts'

/** What a compression read, and the moment at which it did. */
export interface Snapshot {
  readonly revision: number
  readonly conversation: Conversation
  readonly state: TranscriptState
}

// What is older is only in the archive: a journal without end would keep everything that was ever said.
const MOST_UNDOABLE = 20

/**
 * A history that changes by compare-and-swap, and can be changed back.
 *
 *   take      [ a b c d ]
 *   append    [ a b c d ] e f
 *   commit    [ a S d ] e f         exactly what was read is replaced; late for another revision, it is discarded
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

  /** True when more changed than that: a note that closed a waiting call goes when the result comes all the same. */
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
    // What came since the newest commit begins as many places earlier as there are notes less.
    const end = kept.length - before.length
    if (newest) this.#journal.push({ ...newest, after: { entries: newest.after.entries.slice(0, end) } })
    this.#closed = listAnswered(kept.filter(isNote))
    this.#revision++
    return true
  }

  take(): Snapshot {
    const state = this.transcript.seal()
    return { revision: this.#revision, conversation: this.transcript.conversation, state }
  }

  /** The history as it would be with a result in the place of what was read; undefined when it is too late for it. */
  join({ revision, conversation, state }: Snapshot, messages: readonly Message[]): readonly Message[] | undefined {
    if (revision !== this.#revision) return undefined
    const since = this.transcript.since(state)
    if (since.length === 0) return messages
    const joined = [...dropAnswered(messages, since), ...since]
    const count = (messages: readonly Message[]) => checkInvariants({ ...conversation, messages }).length
    const broken = count(joined)
    // What the host appended may break a rule itself; the seam must not.
    return broken === 0 || broken <= count([...conversation.messages, ...since]) ? joined : undefined
  }

  /** False when it is too late, or what came since does not go with it: nothing is changed then. */
  commit(snapshot: Snapshot, messages: readonly Message[]): boolean {
    const joined = this.join(snapshot, messages)
    if (!joined) return false
    const before = this.transcript.seal()
    this.transcript.replace(joined)
    this.#closed = listAnswered(joined.filter(isNote))
    this.#journal.push({ before, after: this.transcript.seal() })
    if (this.#journal.length > MOST_UNDOABLE) this.#journal.shift()
    this.#revision++
    return true
  }

  /** Other messages for good: for a model that cannot use what was there before, nothing of it may come back. */
  rewrite(messages: readonly Message[]): void {
    if (messages !== this.transcript.conversation.messages) this.transcript.replace(messages)
    this.transcript.seal()
    this.forget()
    this.#revision++
  }

  /** What was before cannot come back: another provider would not take it. */
  forget(): void {
    this.#journal.length = 0
  }

  /** Says something behind all else, in nobody's name. */
  say(messages: readonly Message[]): void {
    this.transcript.replace([...this.transcript.conversation.messages, ...messages])
    this.transcript.seal()
    this.#revision++
  }

  /** Back to before the newest commit, and what was appended since stays behind. False when there is none. */
  undo(): boolean {
    const newest = this.#journal.pop()
    if (!newest) return false
    this.transcript.restore(newest.before, newest.after)
    this.transcript.seal()
    this.#revision++
    return true
  }
}

interface JournalEntry {
  readonly before: TranscriptState
  readonly after: TranscriptState
}

/**
 * A call that waited was closed by a note; when its result came after all, the note goes. An id may be used again: a
 * result answers the newest call that has it.
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
  const answered = new Set<string>()
  for (const { parts } of messages) {
    for (const part of parts) {
      if (part.type === 'tool-result') answered.add(part.callId)
    }
  }
  return answered
}

/** A result that stands for no record: precis wrote it. */
function isNote({ role, records }: Message): boolean {
  return role === 'tool' && records === undefined
}
