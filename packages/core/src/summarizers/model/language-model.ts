import type { SummaryUsage } from '../summarizer.ts'

/** A model that answers text with text. Whoever makes one sees to retries, time-outs and the number of calls in flight. */
export interface LanguageModel {
  /** `provider/model`, for example `openai/gpt-5-mini`. */
  readonly name: string
  /** Prompt and answer together. */
  readonly contextWindowTokens: number
  readonly maxOutputTokens: number
  /** Upper bound of what the text costs this model. */
  readonly countTokens: (text: string) => number
  /** Rejects only when aborted: a failure is a value. */
  generate(request: GenerationRequest): Promise<Generation>
  /** Told of each answer that was used, so that the same request need not be paid for again. */
  remember?(request: GenerationRequest, text: string): Promise<void>
}

/** One call. */
export interface GenerationRequest {
  readonly system: string
  readonly prompt: string
  readonly maxOutputTokens: number
  /** A low one by default. */
  readonly temperature?: number
  readonly signal?: AbortSignal
}

/** What came of one call. */
export type Generation = GeneratedText | GenerationFailure

/** An answer; `length` when the output limit cut it off. */
export interface GeneratedText {
  readonly type: 'text'
  readonly text: string
  readonly finishReason: 'stop' | 'length' | 'other'
  readonly usage: SummaryUsage
}

/** No answer. `overflow`: the prompt was too long for the model; `misconfigured`: key, model name or address are wrong. */
export interface GenerationFailure {
  readonly type: 'failed'
  readonly reason: 'overflow' | 'refused' | 'unavailable' | 'timed-out' | 'rejected-request' | 'misconfigured'
  /** For the person; holds no key. */
  readonly message: string
  readonly usage?: SummaryUsage
}
