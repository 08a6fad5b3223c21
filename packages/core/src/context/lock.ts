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

  /**
   * Begins at once, and is free again when the job has ended or `signal` is aborted: from then on the job may change nothing.
   * Throws when it is held: that is a bug of the caller.
   */
  async hold<T>(job: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (this.#held) throw new Error('Taking a lock that is held. This is a bug in precis; nothing was changed.')
    let wake: (() => void) | undefined
    const held = new Promise<void>((resolve) => {
      wake = resolve
    })
    const release = () => {
      if (this.#held === held) this.#held = undefined
      wake?.()
    }
    this.#held = held
    signal?.addEventListener('abort', release, { once: true })
    try {
      return await job()
    } finally {
      signal?.removeEventListener('abort', release)
      release()
    }
  }
}
