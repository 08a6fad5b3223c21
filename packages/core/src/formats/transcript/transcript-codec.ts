import type { ContentPart, Message, Protocol } from '../../conversation/message.ts'

/** What is particular to a format whose history grows record by record. */
export interface TranscriptCodec {
  /** Whose rules the history obeys that is told nothing else. */
  readonly protocol: Protocol
  /** Whether results of parallel calls that precis wrote have to share one record. */
  readonly joinsResults: boolean
  createReader(): EntryReader
  readTool(tool: unknown): readonly string[]
  /** Records of adjacent messages that come from one entry, or from none. */
  createWriter(): EntryWriter
}

export interface EntryReader {
  /** The parts of a system prompt that lies apart. */
  readSystem(native: unknown): readonly ContentPart[]
  /** Entries of records in order; the first one stands for the number `start`. Throws `FormatError`. */
  read(natives: readonly unknown[], start: number): readonly Entry[]
  /** The two as one where the format takes what was appended as going on; undefined where it does not. */
  join(last: Entry, next: Entry): Entry | undefined
}

export interface EntryWriter {
  /** Told of every entry that stays, in order; results may have to be written in the kind of their calls. */
  keep(entry: Entry): void
  write(messages: readonly Message[], entry: Entry | undefined): readonly unknown[]
}

/** Records that belong together, and the messages they are. Nothing changes one: undo gives it back as it was. */
export interface Entry {
  /** What `records` of its messages say of its natives. */
  readonly numbers: readonly number[]
  readonly natives: readonly unknown[]
  readonly messages: readonly Message[]
}
