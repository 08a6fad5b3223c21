/** Forgets what no session needs any more. */
import { existsSync } from 'node:fs'
import { hostname } from 'node:os'
import { basename, dirname, join } from 'node:path'
import type { Database } from '../database/database.ts'
import { findAgentHome } from '../sessions/agent-home.ts'
import { listSessionFiles } from '../sessions/find-sessions.ts'
import { splitDatabasePath } from '../sessions/opencode/stored-session.ts'
import { lockArchive } from './archive-lock.ts'
import { type ArchivedCompression, listCompressions } from './compressions.ts'
import { withLease } from './lease.ts'
import { searchIndexes } from './search-index.ts'

export interface Collected {
  readonly compressions: number
  readonly records: number
}

// A session is written after its entry, and a large one takes its time.
const GRACE_MS = 3_600_000
const LEASE = { ttlMs: 30_000, waitMs: 120_000 }
// Those who store wait for one of these, not for all.
const RECORDS_AT_ONCE = 5000

/**
 * An entry is needed while the session that was written is there, or a later one that came from it. One whose result
 * went to standard output cannot be looked for, and stays; so does one of another machine. One process at a time.
 */
export async function collectGarbage(database: Database, now = Date.now()): Promise<Collected> {
  return await withLease(database, 'collection', LEASE, async (signal) => {
    const compressions = await forgetCompressions(database, now)
    let records = 0
    const [{ newest } = { newest: 0 }] = await database.all<{ newest: number }>(
      'SELECT coalesce(max(id), 0) AS newest FROM record',
    )
    for (let from = 0; from < newest; from += RECORDS_AT_ONCE) {
      signal.throwIfAborted()
      records += await forgetRecords(database, from, from + RECORDS_AT_ONCE)
    }
    return { compressions, records }
  })
}

async function forgetCompressions(database: Database, now: number): Promise<number> {
  return await database.transaction(async (transaction) => {
    await lockArchive(transaction, 'alone')
    const entries = await listCompressions(transaction)
    const needed = findNeeded(entries, now, database.dialect === 'sqlite' ? undefined : hostname())
    const gone = entries.filter(({ id }) => !needed.has(id))
    for (const { id } of gone) await transaction.run('DELETE FROM compression WHERE id = ?', [id])
    return gone.length
  })
}

async function forgetRecords(database: Database, from: number, to: number): Promise<number> {
  return await database.transaction(async (transaction) => {
    await lockArchive(transaction, 'alone')
    await searchIndexes[database.dialect].removeUnused(transaction, from, to)
    const { changes } = await transaction.run(
      `DELETE FROM record WHERE id > ? AND id <= ?
       AND NOT EXISTS (SELECT 1 FROM piece WHERE piece.record = record.id)`,
      [from, to],
    )
    return changes
  })
}

/** Gives room that is free back to the file system, or to later compressions. */
export async function shrinkArchive(database: Database): Promise<void> {
  const steps = {
    sqlite: ['PRAGMA incremental_vacuum', 'PRAGMA wal_checkpoint(TRUNCATE)'],
    postgres: ['VACUUM record', 'VACUUM piece', 'VACUUM search', 'VACUUM compression'],
  }
  for (const step of steps[database.dialect]) await database.all(step)
}

/** With a host only its own files can be looked for. */
function findNeeded(entries: readonly ArchivedCompression[], now: number, host: string | undefined): Set<number> {
  const needed = new Set<number>()
  const origins = new Set<string>()
  const isMoved = createSearchForMoved()
  // Newest first: whoever came from an entry was seen before it.
  for (const entry of entries) {
    const { id, sessionId, path, originalId, storedAt } = entry
    const isYoung = now - Date.parse(storedAt) < GRACE_MS
    const isOrigin = sessionId !== null && origins.has(sessionId)
    const isElsewhere = host !== undefined && entry.host !== host
    const isThere = path === null || existsSync(splitDatabasePath(path)?.database ?? path) || isMoved(entry)
    if (!isYoung && !isOrigin && !isElsewhere && !isThere) continue
    needed.add(id)
    if (originalId !== null) origins.add(originalId)
  }
  return needed
}

/** A session may be elsewhere: imported into a database, put away by its agent, in the folder of a project that moved. */
function createSearchForMoved(): (entry: ArchivedCompression) => boolean {
  let ids: Set<string> | undefined
  return ({ sessionId, path }) => {
    if (sessionId === null || path === null) return false
    // Sessions are only listed when one is not where it was written.
    ids ??= new Set(listSessionFiles().map(({ id }) => id.toLowerCase()))
    const id = sessionId.toLowerCase()
    // Gemini CLI names a file after the beginning of the id; Codex puts sessions away beside the others.
    if (ids.has(id) || ids.has(id.slice(0, GEMINI_DIGITS))) return true
    const codex = findAgentHome('codex')?.sessionsDirectory
    return codex !== undefined && existsSync(join(dirname(codex), 'archived_sessions', basename(path)))
  }
}

const GEMINI_DIGITS = 8
