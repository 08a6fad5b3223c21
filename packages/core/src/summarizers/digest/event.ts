import type { Outcome } from '../../facts/outcome.ts'
import type { Action } from '../../facts/tool-calls.ts'

/** What happened in a span. */
export type Event = Placed<UnplacedEvent>
export type UnplacedEvent = RequestEvent | WordsEvent | CallEvent
/** `at` is the position among the events; recency is measured by it. */
export type Placed<E extends UnplacedEvent> = E & { readonly at: number }

export interface RequestEvent {
  readonly type: 'request'
  readonly text: string
  /** What the agent had asked, when the text is the person's answer. */
  readonly question?: string
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
  /** Whether it had not ended when last heard of. */
  isRunning?: boolean
  /** Whether it asks for all of one file. */
  readonly asksForWhole?: boolean
}

/** Whether a call went wrong; a search that finds nothing did not, though `grep` then ends with 1. */
export function isFailure({ kind }: Action, { failed, exitCode }: Outcome): boolean {
  return failed && !(kind === 'search' && (exitCode === undefined || exitCode === 1))
}

/** Whether the output of a call is lines of one file: a read, or a search in a file. */
export function showsOneFile({ kind, paths }: Action): boolean {
  return paths.length === 1 && (kind === 'read' || (kind === 'search' && /\.\w{1,8}$/.test(paths[0]!)))
}
