import { redactSecrets } from '../secrets/redact-secrets.ts'
import type { Summarizer, Summary, SummaryUsage } from '../summarizers/summarizer.ts'
import { addUsage } from '../summarizers/usage.ts'

// A report names the first of them; a hundred calls that fail alike need no hundred lines.
const MOST_PROBLEMS = 20

/** What summarizers were asked for in one run, and what came of it. */
export class SummaryWork {
  readonly #problems = new Set<string>()
  readonly #names = new Set<string>()
  #usage: SummaryUsage | undefined
  #rewrites = { done: 0, failed: 0 }
  #hasFailed = false

  /** What was made so far is not part of the result; its problems and its price stay. */
  startAnew(): void {
    this.#names.clear()
    this.#rewrites = { done: 0, failed: 0 }
  }

  note(summarizer: Summarizer, summary: Summary): void {
    for (const problem of summary.problems ?? []) {
      if (this.#problems.size < MOST_PROBLEMS) this.#problems.add(redactSecrets(problem))
    }
    if (summary.text.trim() !== '') this.#names.add(summary.summarizer ?? summarizer.name)
    else this.#hasFailed = true
    this.#usage = addUsage(this.#usage, summary.usage)
  }

  /** A summary that was made and is of no use, with the reason. */
  reject(problem: string): void {
    this.#problems.add(problem)
    this.#hasFailed = true
  }

  /** Whether a summary that was asked for came to nothing. */
  get hasFailed(): boolean {
    return this.#hasFailed
  }

  noteRewrite(outcome: 'done' | 'failed' | 'unchanged'): void {
    const { done, failed } = this.#rewrites
    this.#rewrites = {
      done: done + (outcome === 'done' ? 1 : 0),
      failed: failed + (outcome === 'failed' ? 1 : 0),
    }
  }

  /** Who made what stands in the result; undefined when nobody did. */
  get summarizer(): string | undefined {
    return this.#names.size === 0 ? undefined : [...this.#names].join(', ')
  }

  get problems(): readonly string[] {
    return [...this.#problems]
  }

  /** Undefined when no model was called. */
  get usage(): SummaryUsage | undefined {
    return this.#usage
  }

  /** How many messages are said in fewer words, and for how many no answer came. */
  get rewrites(): { readonly done: number; readonly failed: number } {
    return this.#rewrites
  }
}
