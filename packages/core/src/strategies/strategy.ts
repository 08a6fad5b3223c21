import type { CutPoints } from '../conversation/cut-points.ts'
import type { Edit } from '../conversation/edit.ts'
import type { Conversation } from '../conversation/message.ts'
import type { Turn } from '../conversation/turns.ts'

/** Chooses which parts of a conversation go. Pure and synchronous: it says what to change and changes nothing. */
export interface Strategy {
  readonly name: string
  /** Whether its plans ask for summaries. */
  readonly summarizes: boolean
  plan(view: StrategyView, options: StrategyOptions): Plan
}

/** Edits, or the reason why there are none. */
export type Plan = { readonly edits: readonly Edit[] } | { readonly noop: NoopReason }

/** Why a history is left as it is. */
export type NoopReason =
  | 'empty-history'
  | 'too-few-messages'
  | 'already-under-target'
  | 'tail-covers-all'
  | 'no-legal-cut'
  | 'nothing-eligible'

/** What a strategy may look at. */
export interface StrategyView {
  readonly conversation: Conversation
  readonly turns: readonly Turn[]
  readonly cutPoints: CutPoints
  /** `tokensBefore[i]` is the tokens of all messages before `i`; one entry more than there are messages. */
  readonly tokensBefore: readonly number[]
  /** Tokens no edit can free: tool schemas. */
  readonly fixedTokens: number
  /** The newest message the person typed. */
  readonly lastUserRequest: number | undefined
}

/** How small the result has to be, and how much of its ends is kept. */
export interface StrategyOptions {
  /** Whole conversation after the edits, fixed overhead included. */
  readonly targetTokens: number
  readonly keep?: { readonly head?: Keep; readonly tail?: Keep }
}

/** How much of an end stays verbatim. A fraction is of the target's tokens unless `of` says messages of the history. */
export type Keep =
  | { readonly fraction: number; readonly of?: 'tokens' | 'messages' }
  | { readonly tokens: number }
  | { readonly messages: number }
  | { readonly turns: number }
