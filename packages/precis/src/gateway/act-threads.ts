/** The worker threads of a gateway. Each does one thing at a time, and what has no thread waits. */
import { Tinypool } from 'tinypool'
import { reasonOf } from '../files/errors.ts'
import { findModuleUrl } from '../files/installed-files.ts'

const THREADS = 2
// They need nothing that a thread remembers.
const APART: ReadonlySet<string> = new Set(['serve', 'remember'])

export interface RunOptions {
  /** The longest wait for a free thread, and the longest time in that thread. */
  readonly mostMs?: number
  /** Aborted when nobody waits for the result any more. */
  readonly client?: AbortSignal | undefined
  /** What has to end before. */
  readonly after?: Promise<unknown>
}

/** A limit was reached. The message says which. */
export class LateError extends Error {
  override readonly name = 'LateError'
}

export interface ThreadsOptions {
  readonly saves: boolean
  readonly note: (text: string) => void
  /** The module that runs in the threads. */
  readonly module?: string
}

export class ActThreads {
  readonly #pool: Pool
  readonly #others: Pool
  readonly #spare: Pool
  readonly #note: (text: string) => void
  #isClosed = false

  /**
   * Only a thread that saw every request knows whether a cache is warm. A late action ends its
   * thread, so other work runs in another.
   */
  constructor({ saves, note, module = findModuleUrl('gateway/decide') }: ThreadsOptions) {
    this.#note = note
    this.#pool = this.#create(module, 1, saves ? 1 : THREADS)
    this.#others = saves ? this.#create(module, 0, 1) : this.#pool
    this.#spare = this.#create(module, 0, 1)
  }

  #create(filename: string, minThreads: number, maxThreads: number): Pool {
    const threads = new Tinypool({
      filename,
      runtime: 'worker_threads',
      minThreads,
      maxThreads,
      // Some options of Node are not valid in threads. TypeScript sources need their loader.
      execArgv: filename.endsWith('.ts') ? process.execArgv : [],
    })
    threads.on('error', (error) => this.#note(`a thread of the gateway ended: ${String(error)}`))
    return { threads, places: new Places(maxThreads) }
  }

  /** What the other threads did not do in time has a thread that they never take. */
  #findPool(name: string): Pool {
    if (name === 'restore') return this.#spare
    return APART.has(name) ? this.#others : this.#pool
  }

  /** Rejects with `LateError`, or if the client is gone. Both end the thread that is at work. */
  async run<Result>(name: string, task: object, options: RunOptions = {}): Promise<Result> {
    const { threads, places } = this.#findPool(name)
    await limit(options, 'no thread was free', async (signal) => {
      await untilAborted(options.after, signal)
      await places.take(signal)
    })
    try {
      if (this.#isClosed) throw new Error('the gateway has ended')
      return await limit(options, 'no act', (signal) => threads.run(task, { name, signal }))
    } finally {
      places.give()
    }
  }

  /** Never rejects. `what` says what failed, for the user. */
  async runBeside(name: string, task: object, what: string, options?: RunOptions): Promise<void> {
    try {
      await this.run<void>(name, task, options)
    } catch (error) {
      // What is cancelled because the gateway ends is not a failure.
      if (!this.#isClosed) this.#note(`${what}: ${reasonOf(error)}`)
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    const pools = [...new Set([this.#pool, this.#others, this.#spare])]
    await Promise.all(pools.map(({ threads }) => threads.destroy()))
  }
}

interface Pool {
  readonly threads: Tinypool
  readonly places: Places
}

/**
 * As many as there are threads, taken in order. Only what has a place is given to the threads, so
 * its time begins then.
 */
class Places {
  #free: number
  readonly #waiting = new Set<() => void>()

  constructor(count: number) {
    this.#free = count
  }

  /** Rejects when aborted, and has no place then. */
  async take(signal: AbortSignal): Promise<void> {
    if (this.#free > 0) {
      this.#free--
      return
    }
    let enter = () => {}
    const turn = new Promise<void>((resolve) => {
      enter = resolve
    })
    this.#waiting.add(enter)
    try {
      await untilAborted(turn, signal)
    } catch (error) {
      // If its turn came at the same moment, the place is for the next one.
      if (!this.#waiting.delete(enter)) this.give()
      throw error
    }
  }

  give(): void {
    const [enter] = this.#waiting
    if (!enter) {
      this.#free++
      return
    }
    this.#waiting.delete(enter)
    enter()
  }
}

/**
 * Aborts `work` if the client is gone, or after the longest time. `late` says what was missed. The
 * timer holds what it aborts: a signal of `AbortSignal.any` may be collected before it fires.
 */
async function limit<Result>(
  { mostMs, client }: RunOptions,
  late: string,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const end = new AbortController()
  const { signal } = end
  const leave = () => end.abort(client?.reason)
  if (client?.aborted) leave()
  client?.addEventListener('abort', leave, { once: true })
  const stop = () => end.abort(new LateError(`${late} within ${(mostMs ?? 0) / 1000} seconds`))
  const timer = mostMs === undefined ? undefined : setTimeout(stop, mostMs)
  try {
    return await work(signal)
  } catch (error) {
    throw signal.aborted ? signal.reason : error
  } finally {
    clearTimeout(timer)
    client?.removeEventListener('abort', leave)
  }
}

/** Rejects with the reason when aborted, and leaves no listener. */
async function untilAborted(promise: Promise<unknown> | undefined, signal: AbortSignal) {
  signal.throwIfAborted()
  let stop = () => {}
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason)
  })
  signal.addEventListener('abort', stop, { once: true })
  try {
    await Promise.race([promise, aborted])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
