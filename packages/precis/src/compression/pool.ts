/**
 * Processes that compress, each one session at a time. If a process dies, only its own session
 * fails.
 */
import { availableParallelism, totalmem } from 'node:os'
import { Tinypool } from 'tinypool'
import { reasonOf } from '../files/errors.ts'
import { findModuleUrl } from '../files/installed-files.ts'
import type { Job, JobFailed, JobResult } from './job.ts'

export interface Pool {
  readonly jobs: number
  /** Never rejects. On the signal, the process and its job end. */
  run(job: Job, signal?: AbortSignal): Promise<JobResult>
  /** Called when the result of a job is in its place, or will never be. */
  forget?(job: Job): Promise<void>
  /** Ends every process immediately. Synchronous, because it also runs while this process ends. */
  kill(): void
  close(): Promise<void>
}

const MEGABYTE = 1 << 20
// What an engine needs for an average session, and V8's default.
const LEAST_MEGABYTES = 512
const MOST_MEGABYTES = 4096
// The rest is for this process, agents and the disk cache.
const SHARE_OF_MEMORY = 0.7
const IDLE_MS = 60_000

/** One core stays free for the process that reads, writes and draws. */
export function chooseJobs(asked: number | undefined): number {
  const most = Math.max(1, Math.floor((readMemoryMegabytes() * SHARE_OF_MEMORY) / LEAST_MEGABYTES))
  return asked ?? Math.max(1, Math.min(availableParallelism() - 1, most))
}

export function createPool(jobs: number): Pool {
  const share = Math.floor((readMemoryMegabytes() * SHARE_OF_MEMORY) / jobs)
  const heapMegabytes = Math.min(Math.max(share, LEAST_MEGABYTES), MOST_MEGABYTES)
  const pool = new Tinypool({
    filename: findModuleUrl('compression/run-job'),
    name: 'runJob',
    runtime: 'child_process',
    // Sends bytes as bytes.
    serialization: 'advanced',
    minThreads: 0,
    maxThreads: jobs,
    idleTimeout: IDLE_MS,
    env: readEnvironment(),
    execArgv: [...process.execArgv, `--max-old-space-size=${heapMegabytes}`],
    // A process caches counts of tokens. If its cache is too large, a new process replaces it.
    maxMemoryLimitBeforeRecycle: (heapMegabytes * MEGABYTE) / 2,
  })
  // An idle process may end.
  pool.on('error', () => {})
  return {
    jobs,
    run: (job, signal) => runOnPool(pool, job, heapMegabytes, signal),
    kill() {
      for (const { threadId } of pool.threads) killProcess(threadId)
    },
    close: () => pool.destroy(),
  }
}

async function runOnPool(
  pool: Tinypool,
  job: Job,
  heapMegabytes: number,
  signal?: AbortSignal,
): Promise<JobResult> {
  try {
    return await pool.run(job, signal && { signal })
  } catch (error) {
    if (signal?.aborted)
      return { ...DIED, code: 'job-stopped', message: 'it was stopped, or took too long' }
    const why = reasonOf(error)
    return {
      ...DIED,
      message: DEATH.test(why)
        ? renderDeath(heapMegabytes)
        : `the process that compressed it: ${why}`,
    }
  }
}

const DIED: Omit<JobFailed, 'message'> = { type: 'failed', code: 'job-died', mayPass: true }
const DEATH = /exited unexpectedly|terminated/i

function renderDeath(heapMegabytes: number): string {
  return `the process that compressed it died, perhaps for lack of memory (it may take ${heapMegabytes} MB). Compress it alone, or with fewer --jobs`
}

function killProcess(id: number): void {
  try {
    process.kill(id, 'SIGKILL')
  } catch (error) {
    // The process ended first.
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}

function readMemoryMegabytes(): number {
  const limit = process.constrainedMemory()
  const total = totalmem()
  return Math.floor((limit > 0 && limit < total ? limit : total) / MEGABYTE)
}

function readEnvironment(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    ),
  )
}
