/**
 * A growing native history and its conversation. If no compression changed a record, it stays the
 * object that was appended, after any number of compressions.
 *
 *   append ──► entries ──► conversation            natives ◄── what is sent
 *                 ▲             │ compress            ▲
 *                 └── replace ◄─┘─────────────────────┘
 */

import { isSameList } from '../../conversation/lists.ts'
import type { Conversation, Message, Protocol } from '../../conversation/message.ts'
import type { RequestFormat } from '../request-formats.ts'
import { groupBySource } from '../shared/records.ts'
import {
  type EntryReader,
  findCodec,
  type TranscriptCodec,
  type TranscriptEntry,
} from './codecs.ts'
import {
  isChanged,
  isWrittenCall,
  keepOrigins,
  listCallIds,
  type SavedEntry,
  type SavedTranscript,
  saveOne,
} from './saved-entry.ts'

/** A request body by its members. */
export interface TranscriptBody<Native extends object> {
  readonly messages?: readonly Native[]
  /**
   * The system prompt, if the format keeps it apart from the messages. It is counted, and `natives`
   * does not contain it.
   */
  readonly system?: unknown
  readonly tools?: readonly object[]
  readonly model?: string
}

/** A history as it was at some moment. */
export type TranscriptState = readonly TranscriptEntry[]

/**
 * Throws `FormatError` for messages that the format does not know, and for formats of stored
 * sessions.
 */
export function openTranscript<Native extends object>(
  format: RequestFormat,
  body: TranscriptBody<Native>,
  protocol?: Protocol,
): Transcript<Native> {
  return new Transcript(findCodec(format), body, protocol)
}

export class Transcript<Native extends object = object> {
  readonly #codec: TranscriptCodec
  readonly #tools: readonly string[]
  readonly #model: string | undefined
  readonly #system: readonly Message[]
  #protocol: Protocol
  #reader: EntryReader
  #entries: TranscriptEntry[] = []
  #messages: Message[]
  #natives: unknown[] = []
  #nextNumber = 0
  /** Records that the reader has seen and may remember. */
  #readCount = 0
  #isTailOpen = false
  #conversation: Conversation | undefined
  #nativeList: readonly Native[] | undefined

  constructor(codec: TranscriptCodec, body: TranscriptBody<Native>, protocol = codec.protocol) {
    this.#codec = codec
    this.#protocol = protocol
    this.#reader = codec.createReader()
    const parts =
      body.system === undefined || body.system === null ? [] : this.#reader.readSystem(body.system)
    this.#system =
      parts.length > 0 ? [{ role: 'system', origin: 'environment', parts, records: [] }] : []
    this.#messages = [...this.#system]
    this.#tools = (body.tools ?? []).flatMap((tool) => codec.readTool(tool))
    this.#model = body.model
    this.append(body.messages ?? [])
  }

  /**
   * Messages of the conversation, including the system prompt. The list grows and is read by
   * position.
   */
  get messages(): readonly Message[] {
    return this.#messages
  }

  get conversation(): Conversation {
    this.#conversation ??= {
      protocol: this.#protocol,
      messages: this.#messages.slice(),
      tools: this.#tools,
      model: this.#model,
    }
    return this.#conversation
  }

  /** A new list after every change, and the same frozen list in between. */
  get natives(): readonly Native[] {
    // The codec writes values of its format. The rest are objects of the caller.
    this.#nativeList ??= Object.freeze(this.#natives.slice() as Native[])
    return this.#nativeList
  }

  append(natives: readonly Native[]): void {
    if (natives.length === 0) return
    for (const entry of this.#readNew(natives)) this.#push(entry)
    this.#forget()
  }

  /**
   * Appends one record with changed messages. Returns the records that are written instead.
   * Undefined if `change` returns the same messages.
   */
  appendChanged(
    native: Native,
    change: (message: Message) => readonly Message[],
  ): readonly Native[] | undefined {
    const read = this.#readNew([native])
    const changed = read.map(({ messages }) => messages.flatMap(change))
    const isSame = read.every(({ messages }, index) => isSameList(messages, changed[index] ?? []))
    if (isSame) {
      for (const entry of read) this.#push(entry)
      this.#forget()
      return undefined
    }
    const writer = this.#codec.createWriter()
    const written = read.flatMap((entry, index) => writer.write(changed[index] ?? [], entry))
    const natives = written as Native[]
    this.append(natives)
    return natives
  }

  /** Marks the end. Messages that are appended later join no message before the mark. */
  mark(): TranscriptState {
    this.#isTailOpen = false
    return this.#entries.slice()
  }

  /** Runs `append`, and appends nothing if it throws. */
  appendAll(append: () => void): void {
    const before = this.#entries.length
    const last = this.#entries.at(-1)
    const isTailOpen = this.#isTailOpen
    try {
      append()
    } catch (error) {
      // The last record may have been joined with a new one.
      this.#set([...this.#entries.slice(0, Math.max(before - 1, 0)), ...(last ? [last] : [])], true)
      this.#isTailOpen = isTailOpen
      throw error
    }
  }

  /** How many records were appended after a mark. */
  countSince(mark: TranscriptState): number {
    return this.#entries.length - mark.length
  }

  /** The state without that many of the newest records. */
  without(newest: number): TranscriptState {
    return this.#entries.slice(0, this.#entries.length - newest)
  }

  /** The messages that were appended after a mark. */
  since(mark: TranscriptState): readonly Message[] {
    return this.#entries.slice(mark.length).flatMap(({ messages }) => messages)
  }

  nativesSince(mark: TranscriptState): readonly Native[] {
    return this.#entries.slice(mark.length).flatMap(({ natives }) => natives) as Native[]
  }

  /** The native records of messages, in order, in their present form. */
  nativesOf(messages: ReadonlySet<Message>): readonly Native[] {
    const found = this.#entries.filter((entry) =>
      entry.messages.some((message) => messages.has(message)),
    )
    return found.flatMap(({ natives }) => natives) as Native[]
  }

  /** Replaces all messages. Messages that are the same object keep their records. */
  replace(messages: readonly Message[]): void {
    const writer = this.#codec.createWriter()
    const entries: TranscriptEntry[] = []
    for (const { source: entry, messages: own } of this.#group(messages)) {
      if (entry && isSameList(entry.messages, own)) {
        writer.keep(entry)
        entries.push(entry)
        continue
      }
      const natives = writer.write(own, entry)
      if (natives.length > 0) entries.push({ numbers: [], natives, messages: own })
    }
    this.#set(entries, entries.some(isWrittenCall))
  }

  /** Returns to `state` and keeps what was appended after `mark`. */
  restore(state: TranscriptState, mark: TranscriptState): void {
    this.#set([...state, ...this.#entries.slice(mark.length)], true)
  }

  /** The present and other states as plain values, if their natives are plain. */
  save(states: readonly TranscriptState[]): SavedTranscript {
    const positions = new Map<TranscriptEntry, number>()
    const entries: SavedEntry[] = []
    const saveEntry = (entry: TranscriptEntry): number => {
      const known = positions.get(entry) ?? entries.push(saveOne(entry)) - 1
      positions.set(entry, known)
      return known
    }
    const [present = [], ...others] = [this.#entries, ...states].map((state) =>
      state.map(saveEntry),
    )
    return { entries, present, others, isTailOpen: this.#isTailOpen }
  }

  /**
   * Fills a new transcript: the saved state becomes the present. Returns the other states. Throws
   * `FormatError`.
   */
  load({ entries, present, others, isTailOpen }: SavedTranscript): readonly TranscriptState[] {
    const known = new Map<number, readonly TranscriptEntry[]>()
    const readState = (state: readonly number[]): TranscriptState =>
      state.flatMap((position) => {
        const read = this.#readSaved(entries[position])
        const first = known.get(position) ?? read
        known.set(position, first)
        return first
      })
    // Reads each state from its first record, because some formats pair calls by their order.
    const states = others.map((state) => {
      this.#reader = this.#codec.createReader()
      return readState(state)
    })
    this.#reader = this.#codec.createReader()
    this.#set(readState(present), true)
    this.#isTailOpen = isTailOpen
    return states
  }

  #readSaved(saved: SavedEntry | undefined): readonly TranscriptEntry[] {
    if (!saved) return []
    const { natives, written, origins } = saved
    const read = this.#reader.read(natives, this.#nextNumber)
    if (written) return [{ numbers: [], natives, messages: written }]
    this.#nextNumber += natives.length
    const joined: TranscriptEntry[] = []
    for (const entry of read) {
      const last = joined.at(-1)
      const one = last && this.#reader.join(last, entry)
      if (one) joined.pop()
      joined.push(one ?? entry)
    }
    const before = origins.map(({ role, origin }) => ({ role, origin, parts: [] }) as Message)
    return keepOrigins({ numbers: [], natives, messages: before }, joined)
  }

  /**
   * The same history under the rules of another provider, if the format belongs to no single
   * provider.
   */
  obey(protocol: Protocol): void {
    this.#protocol = protocol
    this.#conversation = undefined
  }

  #readNew(natives: readonly Native[]): readonly TranscriptEntry[] {
    try {
      const read = this.#reader.read(natives, this.#nextNumber)
      this.#nextNumber += natives.length
      this.#readCount += natives.length
      return read
    } catch (error) {
      // The reader may know calls that are not in any entry.
      this.#set(this.#entries, true)
      throw error
    }
  }

  #push(entry: TranscriptEntry): void {
    const last = this.#entries.at(-1)
    const joined = this.#isTailOpen && last ? this.#reader.join(last, entry) : undefined
    if (joined && last) {
      this.#entries.pop()
      this.#messages.length -= last.messages.length
      this.#natives.length -= last.natives.length
    }
    const pushed = joined ?? entry
    this.#entries.push(pushed)
    for (const message of pushed.messages) this.#messages.push(message)
    for (const native of pushed.natives) this.#natives.push(native)
    this.#isTailOpen = true
  }

  /**
   * Groups adjacent messages of one entry. Messages that precis wrote are separate, unless they are
   * results.
   */
  #group(messages: readonly Message[]) {
    const byMessage = new Map<Message, TranscriptEntry>()
    const byNumber = new Map<number, TranscriptEntry>()
    for (const entry of this.#entries) {
      for (const message of entry.messages) byMessage.set(message, entry)
      for (const number of entry.numbers) byNumber.set(number, entry)
    }
    // A system prompt that is not a record stays as it was given.
    const listed = messages.filter(
      ({ role, records }) => role !== 'system' || records?.length !== 0,
    )
    const findEntry = (message: Message) =>
      byMessage.get(message) ?? byNumber.get(message.records?.[0] ?? -1)
    return groupBySource(
      listed,
      findEntry,
      (entry) => this.#codec.joinsResults && entry === undefined,
    )
  }

  /**
   * Reads changed entries again, so that their parts keep no removed record in memory. If they
   * contain calls, a new reader reads everything, because some formats pair calls by their order.
   * This also happens now and then, to forget names.
   */
  #set(entries: readonly TranscriptEntry[], isReadAgain: boolean): void {
    const isNew = isReadAgain || this.#readCount > MOST_READ_FACTOR * entries.length + MOST_READ
    if (isNew) {
      this.#reader = this.#codec.createReader()
      this.#readCount = 0
    }
    this.#entries = []
    this.#messages = [...this.#system]
    this.#natives = []
    for (const entry of entries) {
      for (const one of isNew || isChanged(entry) ? this.#read(entry) : [entry]) {
        // Two entries of one response of the model stay two.
        this.#isTailOpen = false
        this.#push(one)
      }
    }
    this.#isTailOpen = false
    this.#forget()
  }

  /** The same entry, unless it changed, or the reader invents other ids for its calls this time. */
  #read(entry: TranscriptEntry): readonly TranscriptEntry[] {
    const read = this.#reader.read(entry.natives, entry.numbers[0] ?? this.#nextNumber)
    this.#readCount += entry.natives.length
    if (entry.numbers.length === 0) this.#nextNumber += entry.natives.length
    const isSame = !isChanged(entry) && isSameList(listCallIds([entry]), listCallIds(read))
    return isSame ? [entry] : keepOrigins(entry, read)
  }

  #forget(): void {
    this.#conversation = undefined
    this.#nativeList = undefined
  }
}

// A reader remembers names and ids of calls. It may remember this many removed calls.
const MOST_READ_FACTOR = 4
const MOST_READ = 1_000
