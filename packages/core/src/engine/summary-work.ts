import type { Summarizer, Summary, SummaryUsage } from '../summarizers/summarizer.ts'

// A report names the first of them; a hundred calls that fail alike need no hundred lines.
const MOST_PROBLEMS = 20

/** What summarizers were asked for in one run, and what came of it. */
export class SummaryWork {
  readonly #problems = new Set<string>()
  readonly #names = new Set<string>()
  #usage: SummaryUsage | undefined
  #rewrites = { asked: 0, done: 0, failed: 0 }

  /** What was made so far is not part of the result; its problems and its price stay. */
  startAnew(): void {
    this.#names.clear()
    this.#rewrites = { asked: 0, done: 0, failed: 0 }
  }

  note(summarizer: Summarizer, summary: Summary): void {
    for (const problem of summary.problems ?? []) if (this.#problems.size < MOST_PROBLEMS) this.#problems.add(problem)
    if (summary.text.trim() !== '') this.#names.add(summary.summarizer ?? summarizer.name)
    if (!summary.usage) return
    const { calls, inputTokens, outputTokens } = summary.usage
    const before = this.#usage ?? { calls: 0, inputTokens: 0, outputTokens: 0 }
    this.#usage = {
      calls: before.calls + calls,
      inputTokens: before.inputTokens + inputTokens,
      outputTokens: before.outputTokens + outputTokens,
    }
  }

  noteRewrite(outcome: 'done' | 'failed' | 'unchanged'): void {
    const { asked, done, failed } = this.#rewrites
    this.#rewrites = {
      asked: asked + 1,
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

  /** How many messages were to be said in fewer words, how many were, and for how many no answer came. */
  get rewrites(): { readonly asked: number; readonly done: number; readonly failed: number } {
    return this.#rewrites
  }
}
