import type { Message } from './message.ts'

/**
 * Everything that a strategy may ask for. Ranges are half open over the messages of the planned
 * conversation, ascending and disjoint.
 */
export type Edit = DropEdit | ReplaceEdit | RewriteEdit | SummarizeEdit

/** An edit that `apply` makes. It needs no summarizer, or the summarizer has finished. */
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

/** Other messages instead of a range: masked results, a placeholder, or a finished summary. */
export interface ReplaceEdit extends Range {
  readonly type: 'replace'
  readonly messages: readonly Message[]
}

/**
 * One message in fewer words. Its text parts become one, in the place of the first. Everything else
 * keeps its place and order. If the rewrite fails, the message stays unchanged.
 */
export interface RewriteEdit extends Range {
  readonly type: 'rewrite'
  /** Upper limit of the new text. */
  readonly targetTokens: number
}

/** One summary instead of a range. */
export interface SummarizeEdit extends Range {
  readonly type: 'summarize'
  /** Space for the summary. Below 0 if what stays takes that much more than the plan may use. */
  readonly targetTokens: number
  readonly brief: SummaryBrief
  /** Positions inside the range whose messages stay verbatim, after the summary. */
  readonly keep: readonly number[]
}

/**
 * The text to be shortened: a middle between kept ends, everything before a kept tail, or one
 * message.
 */
export type SummaryBrief = 'middle' | 'tail' | 'rewrite'
