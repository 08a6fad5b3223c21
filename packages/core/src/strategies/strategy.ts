import type { CutPoints } from '../conversation/cut-points.ts'
import type { Edit } from '../conversation/edit.ts'
import type { Conversation } from '../conversation/message.ts'
import type { RequestLimits } from '../conversation/request-limits.ts'
import type { Steps } from '../conversation/steps.ts'
import type { Turn } from '../conversation/turns.ts'

/**
 * Chooses which parts of a conversation are removed. Pure and synchronous: it says what to change
 * and changes nothing.
 */
export interface Strategy {
  readonly name: string
  /** Whether its plans ask for summaries. */
  readonly summarizes: boolean
  plan(view: StrategyView, options: StrategyOptions): Plan
  /** The same plan piece by piece, if it takes long. */
  planInSteps?(view: StrategyView, options: StrategyOptions): Steps<Plan>
  /**
   * Positions of the messages that a plan may change, except those with reasoning or images, and
   * tokens that any plan leaves of each. By default all, and nothing. If that and the others are
   * too large, no plan is made.
   */
  findChanged?(view: StrategyView): ReadonlyMap<number, number> | undefined
}

/** Edits, or the reason why there are no edits. */
export type Plan = { readonly edits: readonly Edit[] } | { readonly noop: NoopReason }

/** Why a history is left as it is. */
export type NoopReason =
  | 'empty-history'
  | 'too-few-messages'
  | 'already-under-target'
  | 'tail-covers-all'
  | 'no-legal-cut'
  | 'nothing-eligible'

/** The history as a strategy sees it. */
export interface StrategyView {
  readonly conversation: Conversation
  readonly turns: readonly Turn[]
  readonly cutPoints: CutPoints
  /**
   * `tokensBefore[i]` is the tokens of all messages before `i`. It has one entry more than there
   * are messages.
   */
  readonly tokensBefore: readonly number[]
  /** Tokens that no edit can free: tool schemas. */
  readonly fixedTokens: number
  /** Tokens of a part of a message, by upper bound. The result is not cached, so ask once. */
  readonly countTokens: (text: string) => number
  /** The newest message the user typed. */
  readonly lastUserRequest: number | undefined
  /** That one, and messages with pictures and documents that the user showed with it. Ascending. */
  readonly asked: readonly number[]
  /** Every tool call, in order of the messages. Read on first use. */
  readonly calls: readonly CallView[]
  /**
   * `bytesBefore[i]` is the bytes of all messages before `i` as JSON, media as base64. Counted on
   * first use.
   */
  readonly bytesBefore: readonly number[]
}

/** A tool call, understood, and the positions of the call and its result. */
export interface CallView {
  /** Position of the message, and of the call among its parts. */
  readonly message: number
  readonly part: number
  /** The position of the result. Undefined while there is no result. */
  readonly resultMessage?: number
  readonly resultPart?: number
  readonly callId: string
  readonly name: string
  /** `read` only shows files. A command that does more is a `command`. */
  readonly kind: 'read' | 'write' | 'command' | 'search' | 'plan' | 'delegate' | 'other'
  /** Files it names, relative to the working directory. For a command: files that it changes. */
  readonly paths: readonly string[]
  readonly command?: string
  /** Whether it reads a range of its file only. */
  readonly isPartial: boolean
  /** Undefined while there is no result. */
  readonly failed: boolean | undefined
  readonly exitCode?: number
  /**
   * The tool's output, without the words that the host puts around it. Undefined while there is no
   * result.
   */
  readonly output?: string
}

/** How small the result has to be, and how much of its ends is kept. */
export interface StrategyOptions {
  /** Whole conversation after the edits, fixed overhead included. */
  readonly targetTokens: number
  /** Limits of the request in addition to tokens. */
  readonly limits?: RequestLimits
  readonly keep?: { readonly head?: Keep; readonly tail?: Keep }
  /**
   * At least this many tokens at the end stay, if they leave space for a summary. Not used if
   * `keep.tail` is given.
   */
  readonly tailTokens?: number
}

/**
 * How much of an end stays verbatim. A fraction is of the target's tokens unless `of` says messages
 * of the history.
 */
export type Keep =
  | { readonly fraction: number; readonly of?: 'tokens' | 'messages' }
  | { readonly tokens: number }
  | { readonly messages: number }
  | { readonly turns: number }
