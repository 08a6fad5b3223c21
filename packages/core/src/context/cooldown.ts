import { digest } from '../digest/digest.ts'
import type { Summarizer, Summary, SummaryRequest } from '../summarizers/summarizer.ts'
import type { Clock } from './context.ts'

const MOST_FAILURES = 3
const COOLDOWN_MS = 60_000
// The model that writes a summary may count a little less than the one that reads it, but not this
// much.
const MOST_EXCESS = 1.25

export interface SavedCooldown {
  readonly failures: number
  readonly until?: number | undefined
}

/**
 * Counts failures of summarizers: after three in a row no model is asked for a minute, and `digest`
 * is used.
 */
export class Cooldown {
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

  /** The summarizer, watched: `note` records whether it gave what it was asked for. */
  watch(summarizer: Summarizer): { readonly summarizer: Summarizer; note(this: void): void } {
    let isAsked = false
    let isGood = false
    const summarize = async (request: SummaryRequest): Promise<Summary> => {
      isAsked = true
      const summary = await summarizer.summarize(request)
      isGood ||=
        isOwn(summary, summarizer) &&
        request.countTokens(summary.text) <= request.targetTokens * MOST_EXCESS
      return summary
    }
    return {
      summarizer: { ...summarizer, summarize },
      note: () => {
        if (isAsked && summarizer.name !== digest().name) this.#note(isGood)
      },
    }
  }

  save(): SavedCooldown {
    return { failures: this.#failures, until: this.#until }
  }

  load({ failures, until }: SavedCooldown): void {
    this.#failures = failures
    this.#until = until
  }

  #note(isGood: boolean): void {
    this.#failures = isGood ? 0 : this.#failures + 1
    if (isGood) this.#until = undefined
    else if (this.#failures >= MOST_FAILURES) this.#until = this.#clock.now() + COOLDOWN_MS
  }
}

/** Whether the summarizer itself made the summary, not one that stood in for it. */
function isOwn({ text, summarizer }: Summary, { name }: Summarizer): boolean {
  return typeof text === 'string' && text.trim() !== '' && (summarizer ?? name) === name
}

// A compression that failed is worth another try after this much has been added. It is a share of
// the history, so that all tries together read the history a constant number of times.
const NEW_CONTENT_SHARE = 0.05

const VAIN: ReadonlySet<string> = new Set(
  'too-little cannot-fit summary-failed ineffective unchanged recall-too-low failed'.split(' '),
)

/** A history whose compression came to nothing. */
export interface Vain {
  readonly revision: number
  readonly length: number
  readonly tokens: number
  /** Above this it is tried again whatever came since. */
  readonly mostTokens: number
  readonly isRepeatable: boolean
  /** What stopped it may be gone the next time. */
  readonly isTransient?: boolean
}

/** The history when the last automatic compression came to nothing. */
export class VainTry {
  last: Vain | undefined

  note(outcome: string, vain: Vain): void {
    this.last = VAIN.has(outcome) ? vain : undefined
  }

  /** Whether the history has too little new since then for another try. */
  isSoon({ history, measure: { tokens }, fits }: Tried): boolean {
    if (this.last?.revision !== history.revision) return false
    if (this.last.length === history.transcript.messages.length)
      return fits || !this.last.isTransient
    const isLittle = tokens < this.last.tokens * (1 + NEW_CONTENT_SHARE)
    return isLittle && !this.last.isRepeatable && fits && tokens <= this.last.mostTokens
  }
}

interface Tried {
  readonly history: {
    readonly revision: number
    readonly transcript: { readonly messages: readonly unknown[] }
  }
  readonly measure: { readonly tokens: number }
  readonly fits: boolean
}
