import { createSpanStrategy } from './summarized-span.ts'

/**
 * Keeps the tail and the two opening messages, in which agents put the environment. Source: DeepV
 * Code.
 */
export const tailSummary = createSpanStrategy('tail-summary', {
  head: { messages: 2 },
  tail: { fraction: 0.3 },
  brief: 'tail',
  minimumMessages: 1,
})
