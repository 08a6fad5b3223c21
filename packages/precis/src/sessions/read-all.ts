/** Reads many sessions, on all cores if they are large. */
import { availableParallelism } from 'node:os'
import { setImmediate } from 'node:timers/promises'
import { Tinypool } from 'tinypool'
import { findModuleUrl } from '../files/installed-files.ts'
import type { SessionFile } from './find-sessions.ts'
import type { PackedFacts } from './pack-facts.ts'
import { type readEach, readPackedFacts, type SessionTask } from './read-packed-facts.ts'

/** Undefined for a session that cannot be read. */
type OnRead = (file: SessionFile, facts: PackedFacts | undefined) => Promise<void>

// A thread takes as long to start as reading some megabytes.
const LEAST_BYTES = 1 << 26
const MOST_THREADS = 8
// So many tasks wait for a thread at most, so that an interruption leaves little.
const QUEUED = 4
// A task costs a thread about as much as reading a small session.
const TASK_BYTES = 1 << 23
const TASK_SESSIONS = 32

export async function readAll(
  files: readonly SessionFile[],
  isBrief: boolean,
  onRead: OnRead,
): Promise<void> {
  const toTask = ({ agent, ...file }: SessionFile): SessionTask => ({
    ...file,
    agent: agent.name,
    isBrief,
  })
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
    name: 'readEach',
    runtime: 'worker_threads',
    minThreads: threads,
    maxThreads: threads,
  })
  const rest = listTasks(files).values()
  const takeNext = async () => {
    for (const task of rest) {
      const found: Awaited<ReturnType<typeof readEach>> = await pool.run(task.map(toTask))
      for (const [index, file] of task.entries()) await onRead(file, found[index])
    }
  }
  try {
    await Promise.all(Array.from({ length: threads * QUEUED }, takeNext))
  } finally {
    await pool.destroy()
  }
}

function listTasks(files: readonly SessionFile[]): SessionFile[][] {
  const tasks: SessionFile[][] = []
  let bytes = Infinity
  for (const file of files) {
    const last = tasks.at(-1)
    bytes += file.bytes
    if (last && bytes <= TASK_BYTES && last.length < TASK_SESSIONS) last.push(file)
    else {
      tasks.push([file])
      bytes = file.bytes
    }
  }
  return tasks
}
