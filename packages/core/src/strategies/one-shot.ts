import { createSpanStrategy } from './summarized-span.ts'

/** Everything but the tail becomes one summary. Source: llxprt-code. */
export const oneShot = createSpanStrategy('one-shot', {
  head: { tokens: 0 },
  tail: { fraction: 0.3 },
  brief: 'tail',
  minimumMessages: 4,
})
