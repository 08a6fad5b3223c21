import type { Message } from './message.ts'

/**
 * All that a strategy may ask for. Ranges are half open over the messages of the conversation that was planned,
 * ascending and disjoint.
 */
export type Edit = DropEdit | ReplaceEdit | SummarizeEdit

/** What is left when the summarizer has done its work: an edit that `apply` carries out. */
export type SettledEdit = DropEdit | ReplaceEdit

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

/** What the summary is of: a middle between kept ends, or everything before a kept tail. */
export type SummaryBrief = 'middle' | 'tail'
