import type { Message } from './message.ts'

/**
 * All that a strategy may ask for. Ranges are half open over the messages of the conversation that
 * was planned, ascending and disjoint.
 */
export type Edit = DropEdit | ReplaceEdit | RewriteEdit | SummarizeEdit

/**
 * An edit that `apply` carries out: it needs no summarizer, or the summarizer has done its work.
 */
export type AppliedEdit = DropEdit | ReplaceEdit

export function isApplied(edit: Edit): edit is AppliedEdit {
  return edit.type === 'drop' || edit.type === 'replace'
}

export interface DropEdit extends Range {
  readonly type: 'drop'
}

interface Range {
  readonly start: number
  /** Exclusive. */
  readonly end: number
}

/** Other messages instead of a range: masked results, a stub, a finished summary. */
export interface ReplaceEdit extends Range {
  readonly type: 'replace'
  readonly messages: readonly Message[]
}

/**
 * One message in fewer words: its text parts become one, at the place of the first; all else keeps
 * place and order. A rewrite that does not succeed leaves the message as it is.
 */
export interface RewriteEdit extends Range {
  readonly type: 'rewrite'
  /** Upper limit of the new text. */
  readonly targetTokens: number
}

/** One summary instead of a range. */
export interface SummarizeEdit extends Range {
  readonly type: 'summarize'
  readonly targetTokens: number
  readonly brief: SummaryBrief
  /** Positions inside the range whose messages stay verbatim, after the summary. */
  readonly keep: readonly number[]
}

/**
 * The text to be made shorter: a middle between kept ends, everything before a kept tail, or one
 * message.
 */
export type SummaryBrief = 'middle' | 'tail' | 'rewrite'
