import { createSpanStrategy } from './summarized-span.ts'

/**
 * Keeps both ends and summarizes the middle. Source: llxprt-code, which measures its ends in
 * messages, not tokens.
 */
export const middleOut = createSpanStrategy('middle-out', {
  head: { fraction: 0.2 },
  tail: { fraction: 0.3 },
  brief: 'middle',
  minimumMessages: 4,
})
