import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { setTimeout } from 'node:timers/promises'
import type { JobResult } from '../batch/job.ts'
import { createPool, type Pool } from '../batch/pool.ts'
import type { Configuration } from '../configuration/configuration.ts'
import { openQueue, type Queue } from './open-queue.ts'
import { REQUEST_VERSION, type TaskRequest, unpackRequest } from './request.ts'
import {
  beat,
  type Claim,
  claimTask,
  countOpen,
  crashTask,
  finishTask,
  HEARTBEAT_MS,
  readOriginal,
  reapTasks,
  releaseTask,
  tidyQueue,
} from './tasks.ts'

export interface WorkerOptions {
  /** Of the database. */
  readonly address: string
  readonly jobs: number
  /** Ends when nothing is left to do. */
  readonly isDraining: boolean
  readonly precis: string
  /** Which summarizer this machine has for a name; throws `ConfigurationError` where it has none. */
  readonly configure: (summarizer: { readonly name: string }) => Promise<Configuration>
  /** No further task is taken. */
  readonly stop: AbortSignal
  /** What is under way is given back. */
  readonly abandon: AbortSignal
}

export interface WorkerListener {
  onReady(place: string): void
  onStart(name: string): void
  /** `isAgain` when another attempt follows. */
  onEnd(name: string, result: JobResult, isAgain: boolean): void
  onAway(isAway: boolean): void
  onRelease(name: string): void
}

const POLL_MS = 1000
const KEEP_MS = 10_000
const TIDY_MS = 600_000
// A model that writes a summary of a large session takes minutes.
const MOST_JOB_MS = 1_800_000

/** Takes tasks until it is stopped. Throws `QueueError`. */
export async function runWorker(options: WorkerOptions, listener: WorkerListener): Promise<void> {
  const worker = `${hostname()} ${process.pid} ${randomBytes(6).toString('hex')}`
  let awayUntil = 0
  const onAway = (isAway: boolean) => {
    // Others need time for their signs of life after it as well.
    awayUntil = performance.now() + 2 * KEEP_MS
    listener.onAway(isAway)
  }
  const queue = await openQueue(options.address, { isKeeper: true, onAway })
  const pool = createPool(options.jobs)
  const killPool = () => pool.kill()
  process.on('exit', killPool)
  const underWay = new Map<string, Claim>()
  const ended = new AbortController()
  const keeping = [
    repeat(HEARTBEAT_MS, ended.signal, async () => {
      if (underWay.size > 0) await beat(queue, worker, [...underWay.keys()])
    }),
    repeat(KEEP_MS, ended.signal, async () => {
      if (performance.now() > awayUntil) await reapTasks(queue)
    }),
    repeat(TIDY_MS, ended.signal, () => tidyQueue(queue)),
  ]
  try {
    listener.onReady(queue.place)
    const lane = async () => {
      while (!options.stop.aborted) {
        const claim = await claimTask(queue, worker)
        if (claim) {
          underWay.set(claim.task, claim)
          await runTask({ queue, pool, worker, options, listener }, claim)
          underWay.delete(claim.task)
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
  readonly worker: string
  readonly options: WorkerOptions
  readonly listener: WorkerListener
}

async function runTask(state: WorkerState, claim: Claim): Promise<void> {
  const { queue, worker, options, listener } = state
  const request = claim.ticket.version > REQUEST_VERSION ? undefined : await unpackRequest(claim.request)
  const name = request?.name ?? claim.task
  listener.onStart(name)
  const result = request ? await compress(state, claim, request) : refuse(claim, options)
  if (options.abandon.aborted && result.type !== 'compressed') {
    await releaseTask(queue, claim, worker)
    listener.onRelease(name)
    return
  }
  const isAgain = await settle(queue, claim, result)
  listener.onEnd(name, result, isAgain)
}

async function compress(
  { queue, pool, options }: WorkerState,
  claim: Claim,
  { settings, newSession, name, workingDirectory, recall }: TaskRequest,
): Promise<JobResult> {
  try {
    const { summarizer } = await options.configure(settings.summarizer)
    const bytes = await readOriginal(queue, claim)
    const signal = AbortSignal.any([options.abandon, AbortSignal.timeout(MOST_JOB_MS)])
    return await pool.run(
      {
        document: { type: 'bytes', bytes, name, workingDirectory },
        settings: { ...settings, summarizer },
        newSession,
        isDryRun: false,
        ...(recall && { recall }),
      },
      signal,
    )
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    return { type: 'failed', code: 'worker-failed', message: `on the worker: ${message}`, mayPass: true }
  }
}

function refuse({ ticket }: Claim, { precis }: WorkerOptions): JobResult {
  const isNewer = ticket.version > REQUEST_VERSION
  const message = isNewer
    ? `it was submitted by precis ${ticket.precis}, which is newer than the worker's ${precis}. Install the newest precis where the workers run`
    : 'its request cannot be read. Submit it again'
  return { type: 'failed', code: isNewer ? 'worker-too-old' : 'unreadable-request', message, mayPass: isNewer }
}

/** True when the task will be tried again. */
async function settle(queue: Queue, claim: Claim, result: JobResult): Promise<boolean> {
  if (result.type === 'failed' && result.mayPass) return await crashTask(queue, claim, result)
  if (result.type !== 'compressed') await finishTask(queue, claim, result)
  else {
    const { output, ...outcome } = result
    await finishTask(queue, claim, outcome, output)
  }
  return false
}

/** Until the signal. What fails now is tried again the next time. */
export async function repeat(intervalMs: number, signal: AbortSignal, step: () => Promise<unknown>): Promise<void> {
  while (await pause(intervalMs, signal)) await Promise.allSettled([step()])
}

/** False when the signal came. */
export async function pause(delayMs: number, signal?: AbortSignal): Promise<boolean> {
  try {
    await setTimeout(delayMs, undefined, signal && { signal })
    return true
  } catch {
    return false
  }
}
