/** Work that several wait for; aborted only when all of them have given up. */
export class SharedRun<T> {
  readonly #controller = new AbortController()
  readonly #done: Promise<T>
  #waiting = 0

  /** Begins at once. */
  constructor(job: (signal: AbortSignal) => Promise<T>) {
    this.#done = job(this.#controller.signal)
    // Those who wait get the rejection; without any the work may fail unnoticed.
    this.#done.catch(() => undefined)
  }

  get isAborted(): boolean {
    return this.#controller.signal.aborted
  }

  abort(reason?: unknown): void {
    this.#controller.abort(reason)
  }

  /** Rejects with the reason of `signal`, or with what the work rejects with. */
  async join(signal?: AbortSignal): Promise<T> {
    this.#waiting++
    let isWaiting = true
    // At the abort itself, so that whoever aborts finds nothing held any more.
    const leave = () => {
      if (isWaiting) this.#waiting--
      isWaiting = false
      if (this.#waiting === 0 && signal?.aborted) this.#controller.abort(signal.reason)
    }
    signal?.addEventListener('abort', leave, { once: true })
    try {
      return await untilAborted(this.#done, signal)
    } finally {
      signal?.removeEventListener('abort', leave)
      leave()
    }
  }
}

/**
 * One at a time. Those who wait are woken at its release, in the order of asking, and look again
 * whether it is free.
 */
export class Lock {
  #held: Promise<void> | undefined

  get isHeld(): boolean {
    return this.#held !== undefined
  }

  async untilFree(signal?: AbortSignal): Promise<void> {
    if (this.#held) await untilAborted(this.#held, signal)
  }

  /** Held until what it gives is called. */
  async take(signal?: AbortSignal): Promise<() => void> {
    while (this.#held) await this.untilFree(signal)
    return this.takeNow()
  }

  /** The same, at once. Throws when it is held, which is a bug. */
  takeNow(): () => void {
    let leave = () => {}
    const left = new Promise<void>((resolve) => {
      leave = resolve
    })
    void this.hold(() => left)
    return leave
  }

  /**
   * Begins at once; free again when the job has ended or `signal` is aborted. Throws when it is
   * held, which is a bug.
   */
  async hold<T>(job: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (this.#held)
      throw new Error('Taking a lock that is held. This is a bug in precis; nothing was changed.')
    let wake = () => {}
    const held = new Promise<void>((resolve) => {
      wake = resolve
    })
    const release = () => {
      if (this.#held === held) this.#held = undefined
      wake()
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

/**
 * Waits for a promise, or until the signal is aborted: then it rejects with the reason, and leaves
 * no listener.
 */
export async function untilAborted<T>(
  promise: Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  if (!signal) return await promise
  // After an abort, how it ended is not of interest.
  promise.catch(() => undefined)
  signal.throwIfAborted()
  let stop = () => {}
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason)
  })
  signal.addEventListener('abort', stop, { once: true })
  try {
    return await Promise.race([promise, aborted])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
