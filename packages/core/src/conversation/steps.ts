/**
 * Work that stops after each piece, so that a host with a busy thread can serve others in between.
 */
export type Steps<Result> = Generator<undefined, Result, undefined>

/**
 * Called between two pieces of work. Waits for others, or returns undefined if it need not wait
 * yet.
 */
export type Pause = () => Promise<void> | undefined

// A request that arrives meanwhile waits this long, plus the time of a piece that cannot be split.
const SLICE_MS = 10

/**
 * A pause for work that begins now. It lets others run if this much time has passed since the last
 * pause. No result depends on it, so hosts cannot replace its clock.
 */
export function createPause(): Pause {
  let since = Date.now()
  return () => {
    if (Date.now() - since < SLICE_MS) return undefined
    return new Promise((resolve) => {
      setTimeout(() => {
        since = Date.now()
        resolve()
      }, 0)
    })
  }
}

/** Runs all of the work, with pauses. */
export async function inSteps<Result>(
  steps: Steps<Result>,
  pause: Pause | undefined,
): Promise<Result> {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
    const others = pause?.()
    if (others) await others
  }
}

/** Runs all of the work without pauses. */
export function atOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}
