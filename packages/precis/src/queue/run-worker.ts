import { setTimeout as wait } from 'node:timers/promises'
import type { JobResult } from '../compression/job.ts'
import { createPool, type Pool } from '../compression/pool.ts'
import type { Configuration } from '../configuration/configuration.ts'
import { reasonOf } from '../files/errors.ts'
import {
  beat,
  type Claim,
  claimJob,
  countOpen,
  finishJob,
  HEARTBEAT_MS,
  type JobRequest,
  REQUEST_VERSION,
  readJobOriginal,
  retryJob,
  tidyQueue,
} from './jobs.ts'
import { openQueue, type Queue } from './open-queue.ts'

export interface WorkerOptions {
  /** Address of the database. */
  readonly address: string
  readonly jobs: number
  /** Ends if no job is left. */
  readonly isDraining: boolean
  readonly precis: string
  /**
   * The summarizer that this machine has for a name. Throws `ConfigurationError` if it has none.
   */
  readonly configure: (summarizer: { readonly name: string }) => Promise<Configuration>
  /** Ends the claiming of jobs. */
  readonly stop: AbortSignal
  /** Returns unfinished jobs to the queue. */
  readonly abandon: AbortSignal
}

export interface WorkerListener {
  onReady(place: string): void
  onStart(name: string): void
  /** `isAgain` if another attempt follows. */
  onEnd(name: string, result: JobResult, isAgain: boolean): void
  onAway(isAway: boolean): void
  onRelease(name: string): void
}

const POLL_MS = 1000
const TIDY_MS = 600_000
// A model needs minutes for the summary of a large session.
const MOST_JOB_MS = 1_800_000
// For a session that fails while its worker continues.
const MOST_TRIES = 3

/** Takes jobs until it is stopped. Throws `CompressionError`. */
export async function runWorker(options: WorkerOptions, listener: WorkerListener): Promise<void> {
  const queue = await openQueue(options.address, {
    isKeeper: true,
    onAway: (isAway) => listener.onAway(isAway),
  })
  await tidyQueue(queue)
  const pool = createPool(options.jobs)
  const killPool = () => pool.kill()
  process.on('exit', killPool)
  const underWay = new Set<string>()
  const ended = new AbortController()
  const keeping = [
    repeat(HEARTBEAT_MS, ended.signal, async () => {
      if (underWay.size > 0) await beat(queue, [...underWay])
    }),
    repeat(TIDY_MS, ended.signal, () => tidyQueue(queue)),
  ]
  try {
    listener.onReady(queue.place)
    const lane = async () => {
      while (!options.stop.aborted) {
        const claim = await claimJob(queue)
        if (claim) {
          underWay.add(claim.id)
          await work({ queue, pool, options, listener }, claim)
          underWay.delete(claim.id)
        } else if (options.isDraining && (await countOpen(queue)) === 0) return
        else await pause(POLL_MS, options.stop)
      }
    }
    await Promise.all(Array.from({ length: options.jobs }, lane))
  } finally {
    ended.abort()
    await Promise.allSettled(keeping)
    process.off('exit', killPool)
    await pool.close()
    await queue.close()
  }
}

interface WorkerState {
  readonly queue: Queue
  readonly pool: Pool
  readonly options: WorkerOptions
  readonly listener: WorkerListener
}

async function work(state: WorkerState, claim: Claim): Promise<void> {
  const { queue, options, listener } = state
  const { id, attempts, request } = claim
  const name = request?.name ?? id
  listener.onStart(name)
  const result = request ? await compress(state, claim, request) : refuse(claim, options)
  if (options.abandon.aborted && result.type !== 'compressed') {
    await retryJob(queue, id, 'given back')
    listener.onRelease(name)
    return
  }
  const isAgain = result.type === 'failed' && result.mayPass && attempts < MOST_TRIES
  if (isAgain) await retryJob(queue, id, result.code)
  else if (result.type === 'compressed') {
    const { output, ...outcome } = result
    await finishJob(queue, id, outcome, output)
  } else if (result.type === 'failed' && result.mayPass) {
    await finishJob(queue, id, {
      ...result,
      message: `${result.message} (tried ${attempts} times)`,
    })
  } else await finishJob(queue, id, result)
  listener.onEnd(name, result, isAgain)
}

async function compress(
  { queue, pool, options }: WorkerState,
  claim: Claim,
  { settings, newSession, name, workingDirectory, recall, isKept }: JobRequest,
): Promise<JobResult> {
  // The timer holds what it aborts: nothing else holds the signal of `AbortSignal.timeout`.
  const limit = new AbortController()
  const timer = setTimeout(() => limit.abort(new Error('it took too long')), MOST_JOB_MS)
  try {
    const { summarizer } = await options.configure(settings.summarizer)
    const bytes = await readJobOriginal(queue, claim)
    const signal = AbortSignal.any([options.abandon, limit.signal])
    return await pool.run(
      {
        document: { type: 'bytes', bytes, name, workingDirectory, sha256: claim.ticket.sha256 },
        settings: { ...settings, summarizer },
        newSession,
        isDryRun: false,
        recall,
        isKept,
      },
      signal,
    )
  } catch (error) {
    const message = reasonOf(error)
    return {
      type: 'failed',
      code: 'worker-failed',
      message: `on the worker: ${message}`,
      mayPass: true,
    }
  } finally {
    clearTimeout(timer)
  }
}

function refuse({ ticket }: Claim, { precis }: WorkerOptions): JobResult {
  const isNewer = ticket.version > REQUEST_VERSION
  const message = isNewer
    ? `it was submitted by precis ${ticket.precis}, which is newer than the worker's ${precis}. Install the newest precis where the workers run`
    : 'its request cannot be read. Submit it again'
  return {
    type: 'failed',
    code: isNewer ? 'worker-too-old' : 'unreadable-request',
    message,
    mayPass: isNewer,
  }
}

/** Repeats until the signal. What fails now is tried again the next time. */
async function repeat(
  intervalMs: number,
  signal: AbortSignal,
  step: () => Promise<unknown>,
): Promise<void> {
  while (await pause(intervalMs, signal)) await Promise.allSettled([step()])
}

/** False if the signal came. */
async function pause(delayMs: number, signal?: AbortSignal): Promise<boolean> {
  try {
    await wait(delayMs, undefined, signal && { signal })
    return true
  } catch {
    return false
  }
}
