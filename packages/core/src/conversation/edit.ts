import type { Message } from './message.ts'

/**
 * All that a strategy may ask for. Ranges are half open over the messages of the conversation that was planned,
 * ascending and disjoint.
 */
export type Edit = DropEdit | ReplaceEdit | RewriteEdit | SummarizeEdit

/** What is left when the summarizer has done its work: an edit that `apply` carries out. */
export type SettledEdit = DropEdit | ReplaceEdit

export function isSettled(edit: Edit): edit is SettledEdit {
  return edit.type === 'drop' || edit.type === 'replace'
}

/** Nothing in the place of a range. */
export interface DropEdit {
  readonly type: 'drop'
  readonly start: number
  readonly end: number
}

/** Other messages in the place of a range: masked results, a stub, a finished summary. */
export interface ReplaceEdit {
  readonly type: 'replace'
  readonly start: number
  readonly end: number
  readonly messages: readonly Message[]
}

/**
 * One message said in fewer words: its text parts become one, at the place of the first; all else keeps place and order.
 * A rewrite that does not succeed leaves the message as it is.
 */
export interface RewriteEdit {
  readonly type: 'rewrite'
  /** Position of the message; `end` is the next one. */
  readonly start: number
  readonly end: number
  /** Upper limit of the new text. */
  readonly targetTokens: number
}

/** One summary in the place of a range. */
export interface SummarizeEdit {
  readonly type: 'summarize'
  readonly start: number
  readonly end: number
  readonly targetTokens: number
  readonly brief: SummaryBrief
  /** Positions inside the range whose messages stay verbatim, after the summary. */
  readonly keep: readonly number[]
}

/** What is made shorter: a middle between kept ends, everything before a kept tail, or the text of one message. */
export type SummaryBrief = 'middle' | 'tail' | 'rewrite'
