import type { Pause } from '../conversation/steps.ts'

/**
 * What the digests of one run, and the comparison of their results, have found in texts. They read
 * nearly the same ones, so each is read once.
 */
export class Readings {
  readonly #found = new Map<(text: string) => unknown, Map<string, unknown>>()

  /** What `find` finds in a text. It is a function of a module, and looks at nothing else. */
  of<Found>(find: (text: string) => Found, text: string): Found {
    const known = (this.#found.get(find) ?? new Map<string, unknown>()) as Map<string, Found>
    this.#found.set(find, known)
    const before = known.get(text)
    if (before !== undefined || known.has(text)) return before as Found
    const found = find(text)
    known.set(text, found)
    return found
  }
}

// A run has one pause for all of its requests. What was read is forgotten with the run.
const readingsOfRuns = new WeakMap<Pause, Readings>()

export function readingsOfRun(pause: Pause | undefined): Readings {
  const readings = (pause && readingsOfRuns.get(pause)) ?? new Readings()
  if (pause) readingsOfRuns.set(pause, readings)
  return readings
}
