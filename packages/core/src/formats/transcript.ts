/**
 * A growing native history and its conversation. A record that no compression touched is the very object that was
 * appended, however many compressions there were.
 *
 *   append ──► entries ──► conversation            natives ◄── what is sent
 *                 ▲             │ compress            ▲
 *                 └── replace ◄─┘─────────────────────┘
 */
import type { Conversation, Message, Protocol } from '../conversation/message.ts'
import { FormatError, type FormatName } from './format.ts'
import { formats } from './index.ts'
import { isSameList } from './json/same-list.ts'
import { isMessageFormat } from './message-format.ts'
import { itemCodec } from './transcript/item-codec.ts'
import { createRecordCodec } from './transcript/record-codec.ts'
import type { Entry, EntryReader, TranscriptCodec } from './transcript/transcript-codec.ts'

/** A request body by its members. */
export interface TranscriptBody<Native extends object> {
  readonly messages?: readonly Native[]
  /** The system prompt as the format has it apart from the messages: it counts, and `natives` has it not. */
  readonly system?: unknown
  readonly tools?: readonly object[]
  readonly model?: string
}

/** A history as it was at some moment. */
export interface TranscriptState {
  readonly entries: readonly Entry[]
}

export interface Transcript<Native extends object = object> {
  readonly conversation: Conversation
  /** A new list after every change, the same one in between. */
  readonly natives: readonly Native[]
  /** Messages of the conversation, the system prompt among them. Grows; read by position. */
  readonly messages: readonly Message[]
  append(natives: readonly Native[]): void
  /** A mark at the end: what is appended behind it joins no message before it. */
  seal(): TranscriptState
  /** The messages that were appended behind a mark. */
  since(mark: TranscriptState): readonly Message[]
  /** The native records of messages, in order, as they are now. */
  nativesOf(messages: ReadonlySet<Message>): readonly Native[]
  /** Other messages in the place of all; those that are the same object keep their records. */
  replace(messages: readonly Message[]): void
  /** Back to `state`, and what was appended behind `mark` stays behind it. */
  restore(state: TranscriptState, mark: TranscriptState): void
  /** The same history under the rules of another provider, where the format is not that of one. */
  obey(protocol: Protocol): void
}

/** Throws `FormatError` for messages that the format does not know, and for formats of stored sessions. */
export function openTranscript<Native extends object>(
  format: FormatName,
  body: TranscriptBody<Native>,
  protocol?: Protocol,
): Transcript<Native> {
  return new GrowingTranscript(findCodec(format), body, protocol)
}

function findCodec(name: FormatName): TranscriptCodec {
  if (name === 'openai-responses') return itemCodec
  const format = formats[name]
  if (format !== undefined && isMessageFormat(format)) return createRecordCodec(format.codec)
  throw new FormatError(
    'unknown-format',
    `Opening a live history as ${name}: that is how an agent stores sessions. Give a format that is sent to a model.`,
  )
}

class GrowingTranscript<Native extends object> implements Transcript<Native> {
  readonly #codec: TranscriptCodec
  readonly #tools: readonly string[]
  readonly #model: string | undefined
  readonly #system: readonly Message[]
  #protocol: Protocol
  #reader: EntryReader
  #entries: Entry[] = []
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
    const parts = body.system === undefined || body.system === null ? [] : this.#reader.readSystem(body.system)
    this.#system = parts.length > 0 ? [{ role: 'system', origin: 'environment', parts, records: [] }] : []
    this.#messages = [...this.#system]
    this.#tools = (body.tools ?? []).flatMap((tool) => codec.readTool(tool))
    this.#model = body.model
    this.append(body.messages ?? [])
  }

  get messages(): readonly Message[] {
    return this.#messages
  }

  get conversation(): Conversation {
    this.#conversation ??= {
      protocol: this.#protocol,
      messages: this.#messages.slice(),
      tools: this.#tools,
      ...(this.#model !== undefined && { model: this.#model }),
    }
    return this.#conversation
  }

  get natives(): readonly Native[] {
    // The codec writes what its format is made of; the rest are objects of the caller.
    this.#nativeList ??= this.#natives.slice() as Native[]
    return this.#nativeList
  }

  append(natives: readonly Native[]): void {
    if (natives.length === 0) return
    const read = this.#readNew(natives)
    this.#nextNumber += natives.length
    this.#readCount += natives.length
    for (const entry of read) this.#push(entry)
    this.#forget()
  }

  seal(): TranscriptState {
    this.#isTailOpen = false
    return { entries: this.#entries.slice() }
  }

  since(mark: TranscriptState): readonly Message[] {
    return this.#entries.slice(mark.entries.length).flatMap(({ messages }) => messages)
  }

  nativesOf(messages: ReadonlySet<Message>): readonly Native[] {
    const found = this.#entries.filter((entry) => entry.messages.some((message) => messages.has(message)))
    return found.flatMap(({ natives }) => natives) as Native[]
  }

  replace(messages: readonly Message[]): void {
    const writer = this.#codec.createWriter()
    const entries: Entry[] = []
    for (const group of this.#group(messages)) {
      const { entry } = group
      if (entry && isSameList(entry.messages, group.messages)) {
        writer.keep(entry)
        entries.push(entry)
        continue
      }
      const natives = writer.write(group.messages, entry)
      if (natives.length > 0) entries.push({ numbers: [], natives, messages: group.messages })
    }
    this.#set(entries, entries.some(isWrittenCall))
  }

  restore(state: TranscriptState, mark: TranscriptState): void {
    this.#set([...state.entries, ...this.#entries.slice(mark.entries.length)], true)
  }

  obey(protocol: Protocol): void {
    this.#protocol = protocol
    this.#conversation = undefined
  }

  #readNew(natives: readonly Native[]): readonly Entry[] {
    try {
      return this.#reader.read(natives, this.#nextNumber)
    } catch (error) {
      // It may have seen calls that are in none of the entries.
      this.#set(this.#entries, true)
      throw error
    }
  }

  #push(entry: Entry): void {
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

  /** Adjacent messages of one entry together; messages that precis wrote alone, unless they are results. */
  #group(messages: readonly Message[]): Group[] {
    const byMessage = new Map<Message, Entry>()
    const byNumber = new Map<number, Entry>()
    for (const entry of this.#entries) {
      for (const message of entry.messages) byMessage.set(message, entry)
      for (const number of entry.numbers) byNumber.set(number, entry)
    }
    const groups: Group[] = []
    for (const message of messages) {
      const [number] = message.records ?? []
      // The system prompt that lies apart: it stays as it was given.
      if (message.role === 'system' && message.records?.length === 0) continue
      const entry = byMessage.get(message) ?? (number === undefined ? undefined : byNumber.get(number))
      const last = groups.at(-1)
      const isSame = entry !== undefined && last?.entry === entry
      const isResult = message.role === 'tool' && last?.messages.at(-1)?.role === 'tool'
      const joins = this.#codec.joinsResults && entry === undefined && last?.entry === undefined && isResult
      if (last && (isSame || joins)) last.messages.push(message)
      else groups.push({ entry, messages: [message] })
    }
    return groups
  }

  /**
   * What was changed is read again, so that its parts hold on to no record that is gone. Where calls are among it all is
   * read, by a new reader: some formats pair calls by their order. A new one also forgets what is gone, now and then.
   */
  #set(entries: readonly Entry[], isReadAgain: boolean): void {
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
        // Two entries of one go of the model stay two.
        this.#isTailOpen = false
        this.#push(one)
      }
    }
    this.#isTailOpen = false
    this.#forget()
  }

  /** The same entry, unless it was changed, or the reader invents other ids for its calls this time. */
  #read(entry: Entry): readonly Entry[] {
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

// A reader remembers names and ids of calls; it may remember this many that are gone.
const MOST_READ_FACTOR = 4
const MOST_READ = 1_000

interface Group {
  readonly entry: Entry | undefined
  readonly messages: Message[]
}

/** It stands for records that are no longer what they were. What precis wrote of its own stands for none. */
function isChanged({ numbers, messages }: Entry): boolean {
  return numbers.length === 0 && messages.some(({ records }) => records !== undefined)
}

function isWrittenCall(entry: Entry): boolean {
  return entry.numbers.length === 0 && listCallIds([entry]).length > 0
}

function listCallIds(entries: readonly Entry[]): string[] {
  return entries.flatMap(({ messages }) =>
    messages.flatMap(({ parts }) =>
      parts.flatMap((part) => (part.type === 'tool-call' || part.type === 'tool-result' ? [part.callId] : [])),
    ),
  )
}

/** What precis wrote in somebody's place does not become his word by being read again. */
function keepOrigins(entry: Entry, read: readonly Entry[]): readonly Entry[] {
  const before = entry.messages
  const after = read.flatMap(({ messages }) => messages)
  const isAlike = before.length === after.length && before.every(({ role }, index) => role === after[index]?.role)
  if (!isAlike) return read
  let position = 0
  return read.map((one) => ({
    ...one,
    messages: one.messages.map((message): Message => {
      const { origin = message.origin } = before[position++] ?? {}
      return origin === message.origin ? message : { ...message, origin }
    }),
  }))
}
