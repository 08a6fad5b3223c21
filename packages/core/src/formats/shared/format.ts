import type {
  ContentPart,
  Conversation,
  MediaPart,
  Message,
  Protocol,
  ReasoningPart,
} from '../../conversation/message.ts'
import type { JsonObject } from './json.ts'
import type { MediaSource } from './media.ts'
import type { Replacement, Span } from './spans.ts'

/** `messages`: what a provider's API accepts. `session`: what an agent stores. */
type FormatKind = 'messages' | 'session'

/**
 * The output has the type of the input: text for text, bytes for bytes, a native object for a
 * native object. A `ByteSource` gets chunks of bytes.
 */
export type FormatInput = string | Uint8Array | ByteSource | object

/**
 * Random access to a document that is too large for memory. `read` may return a view that is valid
 * until the next call.
 */
export interface ByteSource {
  readonly byteLength: number
  read(start: number, end: number): Uint8Array
}

/**
 * Converts between what is stored or sent and a `Conversation`. Plain objects implement it, one
 * folder each.
 */
export interface Format<Kind extends FormatKind = FormatKind> {
  /** The name under which `formats` lists it and `precis` prints it. */
  readonly name: string
  readonly kind: Kind
  /** Whether `serialize` only writes an unchanged document, and throws `FormatError` for others. */
  readonly isReadOnly?: true
  /** How sure this format is that the document is its own, 0 to 1, judged by its beginning only. */
  detect(input: FormatInput): number
  /** Lossless: `serialize(parse(x))` is `x`, byte for byte. Throws `FormatError`. */
  parse(input: FormatInput): Conversation
  /** Messages without edits are written as the bytes that were read. */
  serialize(conversation: Conversation, newSession?: NewSession): FormatOutput
  /**
   * How conversations of other formats become sessions of this format. Undefined if they cannot.
   */
  readonly import?: SessionImport
  /**
   * How content that an agent added to one session is appended to another. If undefined, its
   * messages are written as new messages.
   */
  readonly append?: SessionAppend
  /**
   * For sessions of lines: whether the agent's own compaction begins with this line, or the line
   * repeats its whole history.
   */
  isCompaction?(line: JsonObject): boolean
  /**
   * For sessions of lines whose compactions replace all before them: the history around each. If
   * undefined, the session is read anew up to each.
   */
  readCompactions?(conversation: Conversation): readonly CompactionState[]
  /**
   * For sessions that are one object: the conversation with everything that the agent's compactions
   * left out.
   */
  readWhole?(conversation: Conversation): Conversation
  /**
   * For agents that can replace the words of an earlier record. Maps the number of such a record to
   * the record whose words are sent. What was replaced may be a secret, so search ignores it.
   */
  findStandIns?(conversation: Conversation): ReadonlyMap<number, number>
}

/**
 * The history right before the line of a compaction, and right after it. It may leave out what an
 * earlier state contains.
 */
export interface CompactionState {
  readonly before: readonly Message[]
  readonly after: readonly Message[]
}

export type FormatOutput = string | Uint8Array | Iterable<Uint8Array> | object

/**
 * A document that cannot be read or written. The message names the action, what was found and what
 * to do.
 */
export class FormatError extends Error {
  override readonly name = 'FormatError'
  readonly code: FormatErrorCode
  constructor(code: FormatErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

/** For a conversation that another format parsed. */
export const refuseOther = (name: string): FormatError =>
  new FormatError(
    'cannot-serialize',
    `Writing ${name}: the conversation was read from another format. Use the format that parsed it.`,
  )

/** For a conversation that is no session of this format, and may come from no document at all. */
export const refuseSession = (name: string, document: unknown): FormatError =>
  document === undefined
    ? new FormatError(
        'cannot-serialize',
        `Writing ${name}: the conversation was read from no session. Give one that this format parsed.`,
      )
    : refuseOther(name)

/** The kind of problem, for programs. */
export type FormatErrorCode =
  | 'empty'
  | 'binary'
  | 'unknown-format'
  | 'unknown-version'
  | 'malformed'
  | 'line-too-long'
  | 'text-too-long'
  | 'cannot-serialize'

/** Names for the session that `serialize` writes, if it is not the session that was parsed. */
export interface NewSession {
  readonly sessionId: string
  /** ISO 8601 time for new entries. */
  readonly timestamp: string
  readonly title: string
  /** Returns a new UUID at each call, for new entries. */
  readonly createId: () => string
  /**
   * Returns a summary of precis without words that the user's messages before it have too. For an
   * agent that keeps those messages. By default the summary stays whole.
   */
  readonly withoutQuotes?: (summary: string, typed: readonly string[]) => string
}

/** A model as agents with many providers name it. */
export interface ProviderModel {
  readonly provider: string
  readonly model: string
}

/** How a session format imports a conversation that was parsed from another format. */
export interface SessionImport {
  /**
   * The provider's rules that the conversation follows in this format, given the rules that it
   * followed before.
   */
  findProtocol(from: Protocol): Protocol
  /**
   * Whether a mark distinguishes messages of the host from messages of the user. If not, their
   * words have to show it.
   */
  readonly marksHost: boolean
  /** Whether a result can record that its call failed, next to what was printed. */
  readonly marksFailures: boolean
  /** The length of a result, in characters, above which the agent shortens it in its requests. */
  readonly longestResult?: number
  /** The text of an empty result, for an agent that would send something misleading instead. */
  readonly emptyResult?: string
  encodeInput(input: unknown): unknown
  /** The `native` of media in this format. Undefined if the format cannot hold it. */
  encodeMedia(part: MediaPart, source: MediaSource): unknown
  /**
   * The `native` of reasoning. Undefined if the agent never sends reasoning, or cannot send this
   * one.
   */
  encodeReasoning(part: ReasoningPart, signed: ReasoningSignature | undefined): unknown
  /**
   * Changes the words so that the agent sends them. Returns the same list if it sends them anyway.
   */
  adaptWords?(parts: readonly ContentPart[]): readonly ContentPart[]
  /**
   * The model to continue with. Undefined if the agent's configuration names it instead of the
   * session.
   */
  findModel?(start: SessionStart): ProviderModel
  /** A session without messages, as text. */
  createDocument(start: SessionStart, newSession: NewSession): string
}

/**
 * Proof that reasoning is Anthropic's own. Anthropic accepts no other, and no other provider can
 * read it.
 */
export type ReasoningSignature =
  | { readonly type: 'signature'; readonly signature: string }
  | { readonly type: 'redacted'; readonly data: string }

/** The facts of a session that has no messages yet. */
export interface SessionStart {
  readonly workingDirectory: string
  /** SHA-256 of the working directory in hexadecimal digits. Gemini CLI names a project by it. */
  readonly workingDirectoryHash?: string
  readonly model?: string
  /** Who serves that model, under the source's name. */
  readonly provider?: string
  /** The provider's rules that the conversation followed before it was converted. */
  readonly protocol: Protocol
}

/** How content that an agent added to one session is appended to another session. */
type SessionAppend =
  | LineAppend
  /** For sessions that are one object. */
  | {
      /**
       * The text of the base with the added content. Undefined if the added records are unknown.
       */
      joinDocuments(
        base: Conversation,
        grown: Conversation,
        added: readonly Message[],
      ): string | undefined
    }

/** For sessions of lines. `Session` is what the format keeps of a parsed conversation. */
export interface LineAppend<Session = Conversation> {
  /**
   * Where the added lines are, for an agent that writes its whole history again when it continues.
   * If undefined, or without this method, they are the last lines.
   */
  findAdded?(grown: Session, messages: readonly Message[]): readonly Span[] | undefined
  /** Whether a line changes messages of lines before it. */
  changesEarlier?(value: JsonObject): boolean
  /**
   * Returns what changes in a line. Undefined for a line that is left out. Called with every added
   * line, in order.
   */
  createAdapter(joint: Joint<Session>): (value: JsonObject) => readonly Replacement[] | undefined
}

interface Joint<Session> {
  readonly base: Session
  readonly grown: Session
  /** Their start in `grown`, in units of its document. Its length if the start is unknown. */
  readonly start: number
  readonly newSession: NewSession
}
