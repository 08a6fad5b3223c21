/** Work that several callers wait for. It is aborted only if all of them have given up. */
export class SharedRun<T> {
  readonly #controller = new AbortController()
  readonly #done: Promise<T>
  #waiting = 0

  /** Begins immediately. */
  constructor(job: (signal: AbortSignal) => Promise<T>) {
    this.#done = job(this.#controller.signal)
    // Waiting callers get the rejection. If there are no callers, the work may fail unnoticed.
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
    // Runs in the abort itself, so that the caller that aborts finds the lock free.
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
 * A lock for one holder at a time. Waiting callers are woken at its release, in the order of
 * asking, and check again if it is free.
 */
export class Lock {
  #held: Promise<void> | undefined

  get isHeld(): boolean {
    return this.#held !== undefined
  }

  async untilFree(signal?: AbortSignal): Promise<void> {
    if (this.#held) await untilAborted(this.#held, signal)
  }

  /** Held until the returned function is called. */
  async take(signal?: AbortSignal): Promise<() => void> {
    while (this.#held) await this.untilFree(signal)
    return this.takeNow()
  }

  /** The same, immediately. Throws if the lock is held, which is a bug. */
  takeNow(): () => void {
    let leave = () => {}
    const left = new Promise<void>((resolve) => {
      leave = resolve
    })
    void this.hold(() => left)
    return leave
  }

  /**
   * Begins immediately. The lock is free again when the job has ended or `signal` is aborted.
   * Throws if the lock is held, which is a bug.
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
