import type { Strategy } from './strategy.ts'
import { planSummarizedSpan } from './summarized-span.ts'

/** Everything but the tail becomes one summary. Source: llxprt-code. */
export const oneShot: Strategy = {
  name: 'one-shot',
  summarizes: true,
  plan: (view, options) =>
    planSummarizedSpan(view, options, {
      head: { tokens: 0 },
      tail: { fraction: 0.3 },
      brief: 'tail',
      minimumMessages: 4,
      summaryShare: 1,
    }),
}
