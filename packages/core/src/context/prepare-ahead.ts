import type { CompressionOrder, Compressor, Computed } from './compressor.ts'
import { SharedRun } from './shared-run.ts'

/** A compression computed beside the requests, so that its commit takes no model's time. One at a time. */
export class PreparedAhead {
  readonly #compressor: Compressor
  #run: SharedRun<Computed> | undefined
  #computed: Computed | undefined
  #failedRevision: number | undefined

  constructor(compressor: Compressor) {
    this.#compressor = compressor
  }

  /** There is a result that waits to be applied. */
  get isReady(): boolean {
    return this.#computed !== undefined
  }

  /** Begins unless one was begun, or came to nothing in this revision. */
  begin(order: CompressionOrder, revision: number): void {
    if (this.#run || this.#computed || this.#failedRevision === revision) return
    const run = new SharedRun(async (signal) => {
      // The request goes out first: planning takes the thread for a moment.
      for (let turn = 0; turn < TURNS_OF_THE_HOST; turn++) await Promise.resolve()
      const computed = await this.#compressor.compute({ ...order, isAhead: true }, signal)
      if (this.#run !== run) this.#compressor.end(computed, { type: 'discarded' })
      else if (computed.outcome.type === 'compressed') this.#computed = computed
      else {
        if (computed.outcome.type !== 'aborted') this.#failedRevision = revision
        this.#compressor.end(computed)
      }
      if (this.#run === run) this.#run = undefined
      return computed
    })
    this.#run = run
  }

  /** The result, when there is one or one comes; it is nobody else's then. */
  async take(signal: AbortSignal): Promise<Computed | undefined> {
    if (this.#run) await this.#run.join(signal)
    const computed = this.#computed
    this.#computed = undefined
    return computed
  }

  /** The history is another one now. */
  discard(): void {
    const { stale, run } = { stale: this.#computed, run: this.#run }
    this.#computed = undefined
    this.#run = undefined
    run?.abort()
    if (stale) this.#compressor.end(stale, { type: 'discarded' })
  }
}

const TURNS_OF_THE_HOST = 10
