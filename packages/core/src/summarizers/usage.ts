import type { SummaryUsage } from './summarizer.ts'

/** Undefined when neither called a model. */
export function addUsage(sum: SummaryUsage | undefined, added: SummaryUsage | undefined): SummaryUsage | undefined {
  if (!sum || !added) return sum ?? added
  return {
    calls: sum.calls + added.calls,
    inputTokens: sum.inputTokens + added.inputTokens,
    outputTokens: sum.outputTokens + added.outputTokens,
  }
}
