import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { explainSystemError, SessionError, systemErrorCode } from './errors.ts'
import { makeFolders } from './make-folders.ts'
import { identifyProcess, isAlive, type ProcessIdentity } from './process-identity.ts'
import { createTemporaryFile } from './temporary-file.ts'
import { shortenHome } from './user-folders.ts'
import { linkNew } from './write-file.ts'

/** The right to write to a file, for one process at a time. */
export interface Lease {
  release(): void
}

interface Holder extends ProcessIdentity {
  readonly path: string
  readonly generation: number
}

/**
 * Throws `SessionError` while another process holds it. The lease of an ended process is taken
 * over. Each taker creates the lock of the next generation, which only one of them can.
 *
 *   5f0c.jsonl.lock.0 (process 812, gone)  ──►  5f0c.jsonl.lock.1 (ours), then lock.0 is removed
 */
export function acquireLease(file: string): Lease {
  try {
    makeFolders(dirname(file))
  } catch (error) {
    throw new SessionError(
      'unwritable',
      `Making the folder of "${file}": ${explainSystemError(error)}.`,
    )
  }
  const holders = readHolders(file)
  const living = holders.find(holds)
  if (living) throw inUse(file, living)
  const generation = Math.max(-1, ...holders.map((holder) => holder.generation)) + 1
  const lock = `${file}.lock.${generation}`
  // Made elsewhere and linked, so that half of it is never seen.
  const draft = createTemporaryFile(file)
  try {
    writeFileSync(draft.path, JSON.stringify(identifyProcess()), { mode: 0o600, flag: 'wx' })
    linkNew(draft.path, lock)
  } catch (error) {
    const [winner] = readHolders(file).filter(holds)
    if (systemErrorCode(error) === 'EEXIST' && winner) throw inUse(file, winner)
    throw new SessionError('unwritable', `Locking "${file}": ${explainSystemError(error)}.`)
  } finally {
    draft.remove()
  }
  const rival = readHolders(file).find(
    (holder) => holder.generation !== generation && holds(holder),
  )
  if (rival) {
    rmSync(lock, { force: true })
    throw inUse(file, rival)
  }
  for (const { path } of holders) rmSync(path, { force: true })
  return { release: () => rmSync(lock, { force: true }) }
}

function inUse(file: string, { process: id, host, path }: Holder): SessionError {
  if (host === hostname() && id === process.pid) {
    return new SessionError(
      'in-use',
      `Going on with "${shortenHome(file)}": it is the one that is open.`,
    )
  }
  const where = host === hostname() ? `process ${id}` : `process ${id} on ${host}`
  const remove =
    host === hostname() ? 'Go on there, or end it.' : `If it is gone, remove "${path}".`
  return new SessionError(
    'in-use',
    `Going on with "${shortenHome(file)}": ${where} has it open. ${remove}`,
  )
}

function readHolders(file: string): Holder[] {
  const prefix = `${basename(file)}.lock.`
  return readdirSync(dirname(file)).flatMap((name) => {
    const generation = name.startsWith(prefix) ? Number(name.slice(prefix.length)) : Number.NaN
    if (!Number.isSafeInteger(generation)) return []
    const path = join(dirname(file), name)
    return [{ path, generation, ...readHolder(path) }]
  })
}

/** Process 0 if the lock is gone meanwhile or its content is invalid. */
function readHolder(path: string): ProcessIdentity {
  const none = { process: 0, startedAt: '', host: hostname() }
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'))
    return typeof value === 'object' && value !== null ? { ...none, ...value } : none
  } catch (error) {
    if (error instanceof SyntaxError || systemErrorCode(error) === 'ENOENT') return none
    throw error
  }
}

/** Unknown for a process of another machine. */
function holds(holder: Holder): boolean {
  return isAlive(holder) ?? true
}
