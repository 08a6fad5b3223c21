import type { Strategy } from './strategy.ts'
import { planSummarizedSpan } from './summarized-span.ts'

/** Keeps the two opening messages, where agents put the environment, and the tail. Source: DeepV Code. */
export const tailSummary: Strategy = {
  name: 'tail-summary',
  summarizes: true,
  plan: (view, options) =>
    planSummarizedSpan(view, options, {
      head: { messages: 2 },
      tail: { fraction: 0.3 },
      brief: 'tail',
      minimumMessages: 1,
      summaryShare: 1,
    }),
}
