import type { Outcome } from '../../facts/outcome.ts'
import type { Action } from '../../facts/tool-calls.ts'

/** `at` is the position among the events; recency is measured by it. */
export type Event = UnplacedEvent & { readonly at: number }
export type UnplacedEvent = RequestEvent | WordsEvent | CallEvent

export interface RequestEvent {
  readonly type: 'request'
  readonly text: string
}

/** Visible text of the agent. */
export interface WordsEvent {
  readonly type: 'words'
  readonly text: string
  /** Whether it comes from an earlier summary: what was worth keeping once. */
  readonly isCarried: boolean
}

export interface CallEvent {
  readonly type: 'call'
  readonly action: Action
  /** Undefined while the call has no result in the span. */
  outcome: Outcome | undefined
}
