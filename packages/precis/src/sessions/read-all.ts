/** Reads many sessions, on all cores if they are large. */
import { availableParallelism } from 'node:os'
import { setImmediate } from 'node:timers/promises'
import { Tinypool } from 'tinypool'
import { findModuleUrl } from '../files/installed-files.ts'
import type { SessionFile } from './find-sessions.ts'
import type { PackedFacts } from './pack-facts.ts'
import { readPackedFacts, type SessionTask } from './read-packed-facts.ts'

/** Undefined for a session that cannot be read. */
type OnRead = (file: SessionFile, facts: PackedFacts | undefined) => Promise<void>

// A thread takes as long to start as reading some megabytes.
const LEAST_BYTES = 1 << 26
const MOST_THREADS = 8
// So many wait for a thread at most, so that an interruption leaves little.
const QUEUED = 4

export async function readAll(files: readonly SessionFile[], onRead: OnRead): Promise<void> {
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
  const threads = Math.min(availableParallelism(), MOST_THREADS)
  const module = findModuleUrl('sessions/read-packed-facts')
  // TypeScript sources are read by the process itself.
  if (bytes < LEAST_BYTES || threads < 2 || module.endsWith('.ts')) {
    for (const file of files) {
      // An interruption gets through here.
      await setImmediate()
      await onRead(file, await readPackedFacts(toTask(file)))
    }
    return
  }
  const pool = new Tinypool({
    filename: module,
    name: 'readPackedFacts',
    runtime: 'worker_threads',
    minThreads: threads,
    maxThreads: threads,
  })
  const rest = files.values()
  const takeNext = async () => {
    for (const file of rest) await onRead(file, await pool.run(toTask(file)))
  }
  try {
    await Promise.all(Array.from({ length: threads * QUEUED }, takeNext))
  } finally {
    await pool.destroy()
  }
}

function toTask({ agent, ...file }: SessionFile): SessionTask {
  return { ...file, agent: agent.name }
}
