import type { SummaryBrief } from '../conversation/edit.ts'
import type { Message } from '../conversation/message.ts'

/** Makes a span of messages shorter. The only thing the engine waits for. */
export interface Summarizer {
  readonly name: string
  /** Rejects only when aborted or broken; a summary that cannot be made is an empty one. */
  summarize(request: SummaryRequest): Promise<Summary>
}

/** What a summarizer may know. */
export interface SummaryRequest {
  /** Everything the model saw in the part that goes, calls and results included, oldest first. */
  readonly span: readonly Message[]
  /** Messages that stay verbatim beside the summary, in order: no need to repeat them. */
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
  readonly text: string
}
