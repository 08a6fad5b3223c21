import type { Conversation, Message } from '../../conversation/message.ts'
import type { JsonObject } from '../json/object.ts'
import type { Replacement, Span } from '../json/spans.ts'
import type { NewSession } from '../new-session.ts'

/** How what an agent added to one session goes behind another one. */
export type Continuation = LineContinuation | DocumentContinuation

/** For sessions of lines. */
export interface LineContinuation {
  /** Where what was added lies, for an agent that writes its whole history anew when it goes on; else it is the last lines. */
  findAdded?(grown: Conversation, messages: readonly Message[]): readonly Span[]
  createAdapter(joint: Joint): LineAdapter
}

/** For sessions that are one object. */
export interface DocumentContinuation {
  /** The text of the base with what was added in it; undefined where nobody can say which records that is. */
  joinDocuments(base: Conversation, grown: Conversation, added: readonly Message[]): string | undefined
}

/** What changes in a line; undefined for one that stays behind. Told every line, in order. */
export type LineAdapter = (value: JsonObject) => readonly Replacement[] | undefined

export interface Joint {
  /** What the lines go behind. */
  readonly base: Conversation
  /** What they come from. */
  readonly grown: Conversation
  /** Where in `grown` they begin, in units of its document; its length where that is not known. */
  readonly start: number
  readonly newSession: NewSession
}
