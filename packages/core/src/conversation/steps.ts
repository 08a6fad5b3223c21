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
      runLater(() => {
        since = Date.now()
        resolve()
      })
    })
  }
}

// A request of another needs several turns of the event loop until it waits for its peer.
const TURNS_OF_OTHERS = 4

/** Lets others run first. A timer takes a millisecond at least, a tenth of a slice. */
function runLater(callback: () => void, turns = TURNS_OF_OTHERS): void {
  if (typeof setImmediate !== 'function') setTimeout(callback, 0)
  else if (turns === 0) callback()
  else setImmediate(() => runLater(callback, turns - 1))
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
