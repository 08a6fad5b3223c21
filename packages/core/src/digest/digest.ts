import { inSteps } from '../conversation/steps.ts'
import type { Summarizer } from '../summarizers/summarizer.ts'

/**
 * Makes a summary of pieces of the span itself: no model, the same text for the same request, never
 * over the target. Its code is loaded when a summary is asked for: most histories never need one.
 */
export function digest(): Summarizer {
  return {
    name: 'digest',
    summarize: async (request) => {
      request.signal?.throwIfAborted()
      const { composeInSteps } = await import('./compose.ts')
      return { text: await inSteps(composeInSteps(request), request.pause) }
    },
  }
}
