/**
 * Work that stops after each piece, so that a host whose thread serves others lets them have their
 * turn between two.
 */
export type Steps<Result> = Generator<undefined, Result, undefined>

/**
 * Asked between two pieces of work: waits for others, or is undefined where they need not have
 * their turn yet.
 */
export type Pause = () => Promise<void> | undefined

// A request that comes meanwhile waits for so long, and for what cannot be taken apart.
const SLICE_MS = 10

/**
 * Of one piece of work that begins now: lets others have their turn when that much time has passed
 * since they had it last. No result depends on it, and so no host replaces its clock.
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

/** All of the work, with pauses. */
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

/** All of the work at once. */
export function atOnce<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}
