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

/** `messages`: what a provider's API takes. `session`: what an agent stores. */
export type FormatKind = 'messages' | 'session'

/**
 * Text gives text back, bytes give bytes, a `ByteSource` chunks of bytes, a native object a native
 * object.
 */
export type FormatInput = string | Uint8Array | ByteSource | object

/**
 * Random access to a document too large for memory. `read` may return a view that is valid until
 * the next call.
 */
export interface ByteSource {
  readonly byteLength: number
  read(start: number, end: number): Uint8Array
}

/**
 * Converts what is stored or sent to a `Conversation` and back. Plain objects implement it, one
 * folder each.
 */
export interface Format<Kind extends FormatKind = FormatKind> {
  /** As `formats` lists it and `precis` prints it. */
  readonly name: string
  readonly kind: Kind
  /** How sure this format is that the document is its own, 0 to 1, from its beginning alone. */
  detect(input: FormatInput): number
  /** Lossless: `serialize(parse(x))` is `x`, byte for byte. Throws `FormatError`. */
  parse(input: FormatInput): Conversation
  /** Messages without edits go out as the bytes that came in. */
  serialize(conversation: Conversation, newSession?: NewSession): FormatOutput
  /** How conversations of other formats become sessions of this one. Without it they cannot. */
  readonly import?: SessionImport
  /**
   * How what an agent added to one session is appended to another. Without it the messages are
   * written as new ones.
   */
  readonly append?: SessionAppend
  /**
   * Of sessions of lines: whether the agent's own compaction begins with this line, or its whole
   * history is written again.
   */
  isCompaction?(line: JsonObject): boolean
  /**
   * Of sessions that are one object: the conversation with all that compactions of the agent left
   * out.
   */
  readWhole?(conversation: Conversation): Conversation
  /**
   * For agents that can replace the words of an earlier record: by its number, the record that has
   * the words that are sent. What was replaced may be a secret: nothing looks it up.
   */
  findStandIns?(conversation: Conversation): ReadonlyMap<number, number>
}

export type FormatOutput = string | Uint8Array | Iterable<Uint8Array> | object

/**
 * A document that cannot be read or written. The message says what was being done, what was found
 * and what to do.
 */
export class FormatError extends Error {
  override readonly name = 'FormatError'
  readonly code: FormatErrorCode
  constructor(code: FormatErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

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

/**
 * Names for the session that `serialize` writes, where it is to be another than the one that was
 * parsed.
 */
export interface NewSession {
  readonly sessionId: string
  /** ISO 8601 time that new entries carry. */
  readonly timestamp: string
  readonly title: string
  /** Gives a fresh UUID at each call, for entries that are new. */
  readonly createId: () => string
}

/** A model as agents that speak to many providers name it. */
export interface ProviderModel {
  readonly provider: string
  readonly model: string
}

/** How a session format imports a conversation that was parsed from another format. */
export interface SessionImport {
  /** Whose rules the conversation obeys in this format, given whose it obeyed before. */
  findProtocol(from: Protocol): Protocol
  /**
   * Whether a mark tells messages of the host from those of the user; otherwise their words have to
   * show it.
   */
  readonly marksHost: boolean
  /** Whether a result can say that its call failed, beside what was printed. */
  readonly marksFailures: boolean
  /** Characters of a result, above which the agent shortens it in its requests. */
  readonly longestResult?: number
  /** The text of an empty result, for an agent that would put something misleading in its place. */
  readonly emptyResult?: string
  encodeInput(input: unknown): unknown
  /** The `native` of media that this format holds; undefined where it has no place for it. */
  encodeMedia(part: MediaPart, source: MediaSource): unknown
  /**
   * The `native` of reasoning; undefined where the agent never sends any, or this one cannot be
   * sent.
   */
  encodeReasoning(part: ReasoningPart, signed: ReasoningSignature | undefined): unknown
  /** The words so that the agent sends them; the very list where it does anyway. */
  adaptWords?(parts: readonly ContentPart[]): readonly ContentPart[]
  /**
   * The model to continue with, where the session names it; undefined where the agent's
   * configuration does.
   */
  findModel?(start: SessionStart): ProviderModel
  /** A session without messages, as text. */
  createDocument(start: SessionStart, newSession: NewSession): string
}

/**
 * Proof that reasoning is Anthropic's own, without which it is not taken back. No other provider
 * can read it.
 */
export type ReasoningSignature =
  | { readonly type: 'signature'; readonly signature: string }
  | { readonly type: 'redacted'; readonly data: string }

/** The facts of a session that has no messages yet. */
export interface SessionStart {
  readonly workingDirectory: string
  /**
   * SHA-256 of the working directory in hexadecimal digits: the name of a project for Gemini CLI.
   */
  readonly workingDirectoryHash?: string
  readonly model?: string
  /** Who serves that model, by the name that the source has for it. */
  readonly provider?: string
  /** Whose rules the conversation obeyed before it was converted. */
  readonly protocol: Protocol
}

/** How what an agent added to one session is appended to another one. */
export type SessionAppend =
  | LineAppend
  /** For sessions that are one object. */
  | {
      /**
       * The text of the base with what was added; undefined where it is not known which records
       * those are.
       */
      joinDocuments(
        base: Conversation,
        grown: Conversation,
        added: readonly Message[],
      ): string | undefined
    }

/** For sessions of lines. `Session` is what the format keeps of a conversation that it parsed. */
export interface LineAppend<Session = Conversation> {
  /**
   * Where the added lines are, for an agent that writes its whole history again when it continues.
   * Undefined, or without this method: the last lines.
   */
  findAdded?(grown: Session, messages: readonly Message[]): readonly Span[] | undefined
  /** Whether a line changes messages of lines before it. */
  changesEarlier?(value: JsonObject): boolean
  /**
   * Gives what changes in a line, undefined for one that is not taken along. Called with every
   * added line, in order.
   */
  createAdapter(joint: Joint<Session>): (value: JsonObject) => readonly Replacement[] | undefined
}

interface Joint<Session> {
  readonly base: Session
  readonly grown: Session
  /** Their start in `grown`, in units of its document; its length where that is not known. */
  readonly start: number
  readonly newSession: NewSession
}
