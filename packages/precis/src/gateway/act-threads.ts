/** The threads that take the actions of a gateway. `decide.ts` is what they run. */
import { Tinypool } from 'tinypool'
import { reasonOf } from '../files/errors.ts'
import { findModuleUrl } from '../files/installed-files.ts'

const THREADS = 2
// They need nothing that a thread remembers.
const APART: ReadonlySet<string> = new Set(['serve', 'remember'])

export class ActThreads {
  readonly #pool: Tinypool
  readonly #others: Tinypool
  readonly #note: (text: string) => void
  #isClosed = false

  /**
   * Only a thread that saw every request knows whether a cache is warm. A late action ends its
   * thread, so other work runs in another.
   */
  constructor(saves: boolean, note: (text: string) => void) {
    this.#note = note
    this.#pool = this.#create(1, saves ? 1 : THREADS)
    this.#others = saves ? this.#create(0, 1) : this.#pool
  }

  #create(minThreads: number, maxThreads: number): Tinypool {
    const filename = findModuleUrl('gateway/decide')
    const threads = new Tinypool({
      filename,
      runtime: 'worker_threads',
      minThreads,
      maxThreads,
      // Some options of Node are not valid in threads. TypeScript sources need their loader.
      execArgv: filename.endsWith('.ts') ? process.execArgv : [],
    })
    threads.on('error', (error) => this.#note(`a thread of the gateway ended: ${String(error)}`))
    return threads
  }

  async run<Result>(name: string, task: object, signal?: AbortSignal): Promise<Result> {
    const threads = APART.has(name) ? this.#others : this.#pool
    return await threads.run(task, { name, ...(signal && { signal }) })
  }

  /** Never rejects. `what` says what failed, for the user. */
  async runBeside(name: string, task: object, what: string, signal?: AbortSignal): Promise<void> {
    try {
      await this.run<void>(name, task, signal)
    } catch (error) {
      // What is cancelled because the gateway ends is not a failure.
      if (!this.#isClosed) this.#note(`${what}: ${reasonOf(error)}`)
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all([...new Set([this.#pool, this.#others])].map((threads) => threads.destroy()))
  }
}
