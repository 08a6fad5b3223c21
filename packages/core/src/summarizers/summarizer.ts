import type { SummaryBrief } from '../conversation/edit.ts'
import type { Message } from '../conversation/message.ts'

/** Makes a span of messages shorter. The only thing the engine waits for. */
export interface Summarizer {
  readonly name: string
  /**
   * The share of the room for a summary that it is asked to fill, 1 by default. What it leaves is filled by extraction, so that
   * names, commands and errors which its prose lacks are there all the same.
   */
  readonly share?: number
  /** Rejects only when aborted or broken; a summary that cannot be made is an empty one. */
  summarize(request: SummaryRequest): Promise<Summary>
}

/** What a summarizer may know. */
export interface SummaryRequest {
  /** Everything the model saw in the part that goes, calls and results included, oldest first. */
  readonly span: readonly Message[]
  /** Messages that stay verbatim beside the summary, in order, the ledger among them: no need to repeat them. */
  readonly kept: readonly Message[]
  /** Upper limit of the summary, by `countTokens`. */
  readonly targetTokens: number
  readonly brief: SummaryBrief
  /** What the person wants kept above all, from `/compress <focus>` or `--instructions`. */
  readonly instructions?: string
  readonly workingDirectory?: string
  /** The counter of the model that will read the summary; its upper bound. */
  readonly countTokens: (text: string) => number
  readonly signal?: AbortSignal
}

/** The text alone; what stands around it in the history is `summary-message.ts`. */
export interface Summary {
  /** Empty when none could be made. */
  readonly text: string
  /** The summarizer of a chain that made it; the one that was asked by default. */
  readonly summarizer?: string
  /** Why attempts before this one, or all of them, came to nothing; in words for the person. */
  readonly problems?: readonly string[]
  /** What was paid for it, failed attempts included; undefined when no model was called. */
  readonly usage?: SummaryUsage
}

/** Tokens as the provider reported them. */
export interface SummaryUsage {
  readonly calls: number
  readonly inputTokens: number
  readonly outputTokens: number
}
