import { untilAborted } from './until-aborted.ts'

/** Work that several wait for. It is aborted only when all of them have given up. */
export class SharedRun<T> {
  readonly #controller = new AbortController()
  readonly #done: Promise<T>
  #waiting = 0

  /** Begins at once. */
  constructor(job: (signal: AbortSignal) => Promise<T>) {
    this.#done = job(this.#controller.signal)
    // Whoever waits is told; the work itself may end when nobody does any more.
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
