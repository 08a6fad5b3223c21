import { randomBytes } from 'node:crypto'
import { linkSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { explainSystemError, systemErrorCode } from '../system-error.ts'
import { SessionError } from './session-error.ts'
import { shortenHome } from './shorten-home.ts'

/** The right to write to a file, of one process at a time. */
export interface Lease {
  release(): void
}

interface Holder {
  readonly path: string
  readonly generation: number
  readonly process: number
  readonly startedAt: string
  readonly host: string
}

/**
 * Throws `SessionError` while another process has it. The lease of a process that is gone is taken over: each taker makes the
 * lock of the next generation, which only one of them can.
 *
 *   5f0c.jsonl.lock.0 (process 812, gone)  ──►  5f0c.jsonl.lock.1 (ours), then lock.0 is removed
 */
export function acquireLease(file: string): Lease {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  } catch (error) {
    throw new SessionError('unwritable', `Making the folder of "${file}": ${explainSystemError(error)}.`)
  }
  const holders = readHolders(file)
  const living = holders.find(isAlive)
  if (living) throw inUse(file, living)
  const generation = Math.max(-1, ...holders.map((holder) => holder.generation)) + 1
  const lock = `${file}.lock.${generation}`
  // Made elsewhere and linked, so that nobody ever sees half of it.
  const draft = join(dirname(file), `.${basename(file)}.${randomBytes(6).toString('hex')}.tmp`)
  try {
    writeFileSync(draft, JSON.stringify(describeSelf()), { mode: 0o600, flag: 'wx' })
    linkSync(draft, lock)
  } catch (error) {
    const [winner] = readHolders(file).filter(isAlive)
    if (systemErrorCode(error) === 'EEXIST' && winner) throw inUse(file, winner)
    throw new SessionError('unwritable', `Locking "${file}": ${explainSystemError(error)}.`)
  } finally {
    rmSync(draft, { force: true })
  }
  const rival = readHolders(file).find((holder) => holder.generation !== generation && isAlive(holder))
  if (rival) {
    rmSync(lock, { force: true })
    throw inUse(file, rival)
  }
  for (const { path } of holders) rmSync(path, { force: true })
  return { release: () => rmSync(lock, { force: true }) }
}

function inUse(file: string, { process: id, host, path }: Holder): SessionError {
  if (host === hostname() && id === process.pid) {
    return new SessionError('in-use', `Going on with "${shortenHome(file)}": it is the one that is open.`)
  }
  const where = host === hostname() ? `process ${id}` : `process ${id} on ${host}`
  const remove = host === hostname() ? 'Go on there, or end it.' : `If it is gone, remove "${path}".`
  return new SessionError('in-use', `Going on with "${shortenHome(file)}": ${where} has it open. ${remove}`)
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

/** Nobody, for a lock that went away meanwhile or holds nonsense. */
function readHolder(path: string): Omit<Holder, 'path' | 'generation'> {
  const nobody = { process: 0, startedAt: '', host: hostname() }
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'))
    return typeof value === 'object' && value !== null ? { ...nobody, ...value } : nobody
  } catch (error) {
    if (error instanceof SyntaxError || systemErrorCode(error) === 'ENOENT') return nobody
    throw error
  }
}

function describeSelf(): Omit<Holder, 'path' | 'generation'> {
  return { process: process.pid, startedAt: readStart(process.pid), host: hostname() }
}

function isAlive({ process: id, startedAt, host }: Holder): boolean {
  // Of another machine nobody can tell.
  if (host !== hostname()) return true
  if (!Number.isSafeInteger(id) || id <= 0) return false
  try {
    process.kill(id, 0)
  } catch (error) {
    return systemErrorCode(error) === 'EPERM'
  }
  const start = readStart(id)
  // The number may belong to somebody else by now.
  return start === '' || startedAt === '' || start === startedAt
}

/** When a process began, in ticks since the machine did; empty where the system does not tell. */
function readStart(id: number): string {
  try {
    const stat = readFileSync(`/proc/${id}/stat`, 'utf8')
    // Field 22; the second one is a name in parentheses that may hold anything.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error
    return ''
  }
}
