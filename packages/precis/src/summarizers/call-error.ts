import type { GenerationFailure } from '@precis/core/summarizers'

/** A call that gave no answer, and whether it is worth another. */
export class CallError extends Error {
  override readonly name = 'CallError'
  readonly failure: GenerationFailure
  /** `limited`, `busy`: after a pause; `slow`: at once, with more time; `never`: the same call fails the same way. */
  readonly retry: 'limited' | 'busy' | 'slow' | 'never'
  /** What the provider asked for. */
  readonly retryAfterMs: number | undefined
  constructor(failure: GenerationFailure, retry: CallError['retry'], retryAfterMs?: number) {
    super(failure.message)
    this.failure = failure
    this.retry = retry
    this.retryAfterMs = retryAfterMs
  }
}
