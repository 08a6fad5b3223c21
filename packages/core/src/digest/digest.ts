import { inSteps, type Pause } from '../conversation/steps.ts'
import type { Summarizer } from '../summarizers/summarizer.ts'
import { Readings } from './readings.ts'

// A run has one pause for all of its requests. What was read is forgotten with the run.
const readings = new WeakMap<Pause, Readings>()

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
      const { pause } = request
      const read = (pause && readings.get(pause)) ?? new Readings()
      if (pause) readings.set(pause, read)
      return { text: await inSteps(composeInSteps(request, read), pause) }
    },
  }
}
