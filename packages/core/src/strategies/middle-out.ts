import type { Strategy } from './strategy.ts'
import { planSummarizedSpan } from './summarized-span.ts'

/**
 * Keeps both ends and summarizes what lies between ("sandwich").
 * Source: llxprt-code's default strategy, which measures its ends in messages (`of: 'messages'`); here they are tokens.
 */
export const middleOut: Strategy = {
  name: 'middle-out',
  summarizes: true,
  plan: (view, options) =>
    planSummarizedSpan(view, options, {
      head: { fraction: 0.2 },
      tail: { fraction: 0.3 },
      brief: 'middle',
      minimumMessages: 4,
      summaryShare: 0.5,
    }),
}
