import type { Conversation } from '../conversation/message.ts'
import type { Continuation } from './continuation/continuation.ts'
import type { Adoption } from './conversion/adoption.ts'
import type { JsonObject } from './json/object.ts'
import type { NewSession } from './new-session.ts'

export type { NewSession } from './new-session.ts'

/** As `formats` lists them and `precis` prints them. */
export type FormatName =
  | 'anthropic-messages'
  | 'openai-chat'
  | 'openai-responses'
  | 'gemini-contents'
  | 'ai-sdk'
  | 'langchain'
  | 'claude-code'
  | 'codex'
  | 'opencode'
  | 'gemini-cli'
  | 'pi'
  | 'copilot'

/**
 * A document to parse. Text and bytes give text and bytes back; a `ByteSource` is read in pieces and gives
 * bytes back; any other value is the native object of a message format and gives a native object back.
 */
export type FormatInput = string | Uint8Array | ByteSource | object

/** Random access to a document too large for memory. `read` may return a view that is valid until the next call. */
export interface ByteSource {
  readonly byteLength: number
  read(start: number, end: number): Uint8Array
}

/** Between what is stored or sent and a `Conversation`. Plain objects implement it, one file each. */
export interface Format {
  readonly name: FormatName
  /** `messages`: what a provider's API takes. `session`: what an agent stores. */
  readonly kind: 'messages' | 'session'
  /** How sure this format is that the document is its own, 0 to 1, from its beginning alone. */
  detect(input: FormatInput): number
  /** Lossless: `serialize(parse(x))` is `x`, byte for byte. Throws `FormatError`. */
  parse(input: FormatInput): Conversation
  /** Messages nobody edited go out as the bytes that came in. */
  serialize(conversation: Conversation, newSession?: NewSession): FormatOutput
  /** How conversations of other formats become sessions of this one; where there is none, they cannot. */
  readonly adoption?: Adoption
  /** How what an agent added to one session goes behind another; where there is none, its messages are written anew. */
  readonly continuation?: Continuation
  /** Of sessions of lines: whether the agent's own compaction begins with this line, or its whole history is written again. */
  isCompaction?(line: JsonObject): boolean
  /** Of sessions that are one object: the conversation with all that compactions of the agent left out. */
  readWhole?(conversation: Conversation): Conversation
}

/** Text for text, bytes for bytes, chunks of bytes for a `ByteSource`, a native object for a native object. */
export type FormatOutput = string | Uint8Array | Iterable<Uint8Array> | object

/** A document that cannot be read or written. The message says what was being done, what was found and what to do. */
export class FormatError extends Error {
  override readonly name = 'FormatError'
  readonly code: FormatErrorCode
  constructor(code: FormatErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

/** What is wrong with the document, for programs. */
export type FormatErrorCode =
  | 'empty'
  | 'binary'
  | 'unknown-format'
  | 'unknown-version'
  | 'malformed'
  | 'line-too-long'
  | 'cannot-serialize'
