/** The exclusive right, for a while, to do what only one process may do. */
import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { setTimeout } from 'node:timers/promises'
import type { Database, DatabaseValue, Dialect } from '../database/database.ts'
import { type Columns, readStoredRow } from '../database/stored-row.ts'
import { ArchiveError } from '../files/errors.ts'
import { isRunning } from '../files/process-identity.ts'

export interface LeaseOptions {
  /** A holder that was silent for so long has lost it. */
  readonly ttlMs: number
  /** How long to wait for another holder. If missing, it does not wait. */
  readonly waitMs?: number
}

// The clock of the database, so that machines need not agree on the time. Milliseconds since 1970.
const NOW: Readonly<Record<Dialect, string>> = {
  sqlite: "CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)",
  postgres: 'CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)',
}
// No holder asks for more: what ends later is of a clock that was put back since.
const LONGEST_MS = 3_600_000
const RETRY_MS = 100
const RENEWALS_PER_TTL = 3

/**
 * Renewed during the work, given back at its end. The signal is aborted when it was lost all the
 * same, as by a computer that slept. Throws `ArchiveError` when another holder does not give it
 * back in time.
 */
export async function withLease<T>(
  database: Database,
  name: string,
  { ttlMs, waitMs = 0 }: LeaseOptions,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const holder = `${hostname()} ${process.pid} ${randomBytes(6).toString('hex')}`
  let until: number | undefined
  while (!(await take(database, name, holder, ttlMs))) {
    until ??= performance.now() + waitMs
    if (performance.now() >= until) throw inUse(name)
    await setTimeout(RETRY_MS)
  }
  const ended = new AbortController()
  const lost = new AbortController()
  const renewal = renew(database, name, holder, ttlMs, ended.signal, lost)
  try {
    return await work(lost.signal)
  } finally {
    ended.abort()
    await renewal
    await database.run('DELETE FROM lease WHERE name = ? AND holder = ?', [name, holder])
  }
}

async function take(
  database: Database,
  name: string,
  holder: string,
  ttlMs: number,
): Promise<boolean> {
  if (database.dialect === 'sqlite') await forgetDead(database, name)
  const now = NOW[database.dialect]
  const { changes } = await database.run(
    `INSERT INTO lease (name, holder, expiresAt) VALUES (?, ?, ${now} + ?)
     ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, expiresAt = excluded.expiresAt
     WHERE lease.expiresAt <= ${now} OR lease.expiresAt > ${now} + ?`,
    [name, holder, ttlMs, LONGEST_MS],
  )
  return changes === 1
}

const LEASE: Columns<{ readonly holder: string; readonly expiresAt: number }> = {
  holder: 'text',
  expiresAt: 'number',
}

/** A file is used on one machine, which can see immediately if the holder still runs. */
async function forgetDead(database: Database, name: string): Promise<void> {
  const [found] = await database.all('SELECT holder, expiresAt FROM lease WHERE name = ?', [name])
  if (!found) return
  const { row, damaged } = readStoredRow(found, LEASE)
  const [host, pid] = row.holder.split(' ')
  // No process could release a damaged lease.
  if (damaged.length === 0 && (host !== hostname() || isRunning(Number(pid)))) return
  const { holder } = found as { readonly holder: DatabaseValue }
  const asFound = 'CAST(holder AS BLOB) IS CAST(? AS BLOB)'
  await database.run(`DELETE FROM lease WHERE name = ? AND ${asFound}`, [name, holder])
}

async function renew(
  database: Database,
  name: string,
  holder: string,
  ttlMs: number,
  ended: AbortSignal,
  lost: AbortController,
): Promise<void> {
  const renewal = `UPDATE lease SET expiresAt = ${NOW[database.dialect]} + ? WHERE name = ? AND holder = ?`
  while (await pause(ttlMs / RENEWALS_PER_TTL, ended)) {
    try {
      const { changes } = await database.run(renewal, [ttlMs, name, holder])
      if (changes === 1) continue
      lost.abort(inUse(name))
    } catch (error) {
      lost.abort(error)
    }
    return
  }
}

/** False when it ended before. */
async function pause(delayMs: number, ended: AbortSignal): Promise<boolean> {
  try {
    await setTimeout(delayMs, undefined, { signal: ended, ref: false })
    return true
  } catch {
    return false
  }
}

function inUse(name: string): ArchiveError {
  return new ArchiveError(
    'archive-in-use',
    `Waiting for "${name}" of the archive: another process is at it. Try again when it has ended.`,
  )
}

// Any number that no other program of the same server is likely to take.
const KEY = 7_702_511_973

/**
 * Until the transaction ends. Processes that store share the archive. A process that collects or
 * changes tables has it exclusively. SQLite lets only one process write anyway.
 */
export async function lockArchive(transaction: Database, kind: 'shared' | 'alone'): Promise<void> {
  if (transaction.dialect === 'sqlite') return
  const lock = kind === 'shared' ? 'pg_advisory_xact_lock_shared' : 'pg_advisory_xact_lock'
  await transaction.all(`SELECT ${lock}(?)`, [KEY])
}
