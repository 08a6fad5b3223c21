import { untilAborted } from './until-aborted.ts'

/** One at a time. Who waits is woken at its release, in the order of asking, and looks himself whether it is free. */
export class Lock {
  #held: Promise<void> | undefined

  get isHeld(): boolean {
    return this.#held !== undefined
  }

  async untilFree(signal?: AbortSignal): Promise<void> {
    if (this.#held) await untilAborted(this.#held, signal)
  }

  /** Begins at once. Throws when it is held: that is a bug of the caller. */
  async hold<T>(job: () => Promise<T>): Promise<T> {
    if (this.#held) throw new Error('Taking a lock that is held. This is a bug in precis; nothing was changed.')
    let release: (() => void) | undefined
    this.#held = new Promise((resolve) => {
      release = resolve
    })
    try {
      return await job()
    } finally {
      this.#held = undefined
      release?.()
    }
  }
}
