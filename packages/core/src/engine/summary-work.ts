import { redactSecrets } from '../secrets/redact-secrets.ts'
import type { NameCheck } from '../summarizers/mark-names.ts'
import {
  addUsage,
  type Summarizer,
  type Summary,
  type SummaryUsage,
} from '../summarizers/summarizer.ts'

// A report names only the first ones, because a hundred calls may fail in the same way.
const MOST_PROBLEMS = 20

/** Notes what summarizers were asked for in one run, and what came of it. */
export class SummaryWork {
  readonly #problems = new Set<string>()
  readonly #names = new Set<string>()
  /** Tokens that were paid for. Undefined if no model was called. */
  usage: SummaryUsage | undefined
  /** How many messages were shortened, and for how many no answer came. */
  rewrites: Readonly<Record<'done' | 'failed', number>> = { done: 0, failed: 0 }
  /** The names in summaries by models. Undefined if there are none. */
  names: NameCheck | undefined
  /** How often a summarizer was asked. */
  asked = 0
  /** Whether a summary that was asked for came to nothing. */
  hasFailed = false

  /**
   * Forgets summaries that do not become part of the result. Their problems and their price stay.
   */
  startAgain(): void {
    this.#names.clear()
    this.names = undefined
    this.rewrites = { done: 0, failed: 0 }
  }

  note(summarizer: Summarizer, summary: Summary): void {
    this.asked++
    for (const problem of summary.problems ?? []) {
      if (this.#problems.size < MOST_PROBLEMS) this.#problems.add(redactSecrets(problem))
    }
    if (summary.text.trim() !== '') this.#names.add(summary.summarizer ?? summarizer.name)
    else this.hasFailed = true
    this.usage = addUsage(this.usage, summary.usage)
  }

  noteNames({ checked, marked, unmarked }: NameCheck): void {
    this.names = {
      checked: checked + (this.names?.checked ?? 0),
      marked: [...new Set([...(this.names?.marked ?? []), ...marked])],
      unmarked: [...new Set([...(this.names?.unmarked ?? []), ...unmarked])],
    }
  }

  noteRewrite(outcome: 'done' | 'failed' | 'unchanged'): void {
    if (outcome !== 'unchanged')
      this.rewrites = { ...this.rewrites, [outcome]: this.rewrites[outcome] + 1 }
  }

  /** Notes a summary that was made and cannot be used, with the reason. */
  reject(problem: string): void {
    this.#problems.add(problem)
    this.hasFailed = true
  }

  /** The summarizers whose text is in the result. Undefined if there are none. */
  get summarizer(): string | undefined {
    return this.#names.size === 0 ? undefined : [...this.#names].join(', ')
  }

  get problems(): readonly string[] {
    return [...this.#problems]
  }
}
