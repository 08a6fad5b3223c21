import { digest } from '../summarizers/digest.ts'
import type { Summarizer, Summary, SummaryRequest } from '../summarizers/summarizer.ts'
import type { Clock } from './clock.ts'

const MOST_FAILURES = 3
const PAUSE_MS = 60_000
// Counting may differ a little between who writes a summary and who reads it; a lie is larger.
const MOST_EXCESS = 1.25

/** After three failures in a row nobody asks the model for a while: `digest` stands in. */
export class Pause {
  readonly #clock: Clock
  #failures = 0
  #until: number | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get failures(): number {
    return this.#failures
  }

  get isOn(): boolean {
    return this.#until !== undefined && this.#clock.now() < this.#until
  }

  /** The summarizer, watched: `settle` says whether what it was asked for came to anything. */
  watch(summarizer: Summarizer): Watched {
    let isAsked = false
    let isGood = false
    const summarize = async (request: SummaryRequest): Promise<Summary> => {
      isAsked = true
      const summary = await summarizer.summarize(request)
      isGood ||= isOwn(summary, summarizer) && request.countTokens(summary.text) <= request.targetTokens * MOST_EXCESS
      return summary
    }
    return {
      summarizer: { ...summarizer, summarize },
      settle: () => {
        if (isAsked && summarizer.name !== digest().name) this.#note(isGood)
      },
    }
  }

  #note(isGood: boolean): void {
    this.#failures = isGood ? 0 : this.#failures + 1
    if (isGood) this.#until = undefined
    else if (this.#failures >= MOST_FAILURES) this.#until = this.#clock.now() + PAUSE_MS
  }
}

export interface Watched {
  readonly summarizer: Summarizer
  settle(): void
}

/** Not that of another one which stood in for it. */
function isOwn({ text, summarizer }: Summary, { name }: Summarizer): boolean {
  return typeof text === 'string' && text.trim() !== '' && (summarizer ?? name) === name
}
