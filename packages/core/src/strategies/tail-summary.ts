import { createSpanStrategy } from './summarized-span.ts'

/**
 * Keeps the two opening messages, where agents put the environment, and the tail. Source: DeepV
 * Code.
 */
export const tailSummary = createSpanStrategy('tail-summary', {
  head: { messages: 2 },
  tail: { fraction: 0.3 },
  brief: 'tail',
  minimumMessages: 1,
})
