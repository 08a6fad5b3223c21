import type { ContentPart, MediaPart, Protocol, ReasoningPart } from '../../conversation/message.ts'
import type { MediaSource } from '../content/media-source.ts'
import type { NewSession } from '../new-session.ts'
import type { ReasoningSeal } from './reasoning-seal.ts'

/** A model as agents that speak to many providers name it. */
export interface ProviderModel {
  readonly provider: string
  readonly model: string
}

/** How a session format takes in a conversation that was parsed from another one. */
export interface Adoption {
  /** Whose rules the conversation obeys in this format, given whose it obeyed before. */
  findProtocol(from: Protocol): Protocol
  /** Whether a message of the host is told from the person's by a mark; otherwise its words have to show it. */
  readonly marksHost: boolean
  /** Whether a result can say that its call failed, beside what was printed. */
  readonly marksFailures: boolean
  /** Characters of a result, above which the agent shortens it in its requests. */
  readonly longestResult?: number
  /** What stands for a result of nothing, where the agent would make something of it. */
  readonly emptyResult?: string
  /** What a call was asked for, as an object or as text. */
  encodeInput(input: unknown): unknown
  /** The `native` of media that this format holds; undefined where it has no place for it. */
  encodeMedia(part: MediaPart, source: MediaSource): unknown
  /** The `native` of reasoning; undefined where the agent never sends any, or this one cannot be sent. */
  encodeReasoning(part: ReasoningPart, seal: ReasoningSeal | undefined): unknown
  /** The same words so that the agent sends them; the very list where it does anyway. */
  adaptWords?(parts: readonly ContentPart[]): readonly ContentPart[]
  /** With what the agent goes on, where the session says so; undefined where the agent's configuration does. */
  findModel?(start: SessionStart): ProviderModel
  /** A session in which nothing was said yet, as text. */
  createDocument(start: SessionStart, newSession: NewSession): string
}

/** What is known of a session before anything is said in it. */
export interface SessionStart {
  /** Absolute. */
  readonly workingDirectory: string
  /** SHA-256 of the working directory in hexadecimal digits: the name of a project for Gemini CLI. */
  readonly workingDirectoryHash?: string
  readonly model?: string
  /** Who serves that model, by the name that the source has for it. */
  readonly provider?: string
  /** Whose rules the conversation obeyed before it was converted. */
  readonly protocol: Protocol
}
