/** Work that stops after each piece, so that a host whose thread serves others lets them have their turn between two. */
export type Steps<Result> = Generator<undefined, Result, undefined>

/** Asked between two pieces of work: waits for others, or is undefined where they need not have their turn yet. */
export type Pause = () => Promise<void> | undefined

/** All of the work, with pauses. */
export async function inSteps<Result>(steps: Steps<Result>, pause: Pause | undefined): Promise<Result> {
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
