/** Forgets what no session needs any more. */
import { existsSync } from 'node:fs'
import { splitDatabasePath } from '../sessions/opencode/stored-session.ts'
import { type ArchivedCompression, listCompressions } from './compressions.ts'
import { inTransaction, type Sqlite } from './sqlite.ts'

export interface Collected {
  readonly compressions: number
  readonly records: number
}

// A session is written after its entry, and a large one takes its time.
const GRACE_MS = 3_600_000

/**
 * An entry is needed while the session that was written is there, or a later one that came from it. One whose result
 * went to standard output cannot be looked for, and stays.
 */
export function collectGarbage(database: Sqlite, now = Date.now()): Collected {
  const entries = listCompressions(database)
  const needed = findNeeded(entries, now)
  const gone = entries.filter(({ id }) => !needed.has(id))
  return inTransaction(database, () => {
    const forget = database.prepare('DELETE FROM compression WHERE id = ?')
    for (const { id } of gone) forget.run([id])
    const unused = 'SELECT id FROM record WHERE NOT EXISTS (SELECT 1 FROM piece WHERE piece.record = record.id)'
    database.exec(`DELETE FROM search WHERE rowid IN (${unused} AND isIndexed = 1)`)
    const { changes } = database.prepare(`DELETE FROM record WHERE id IN (${unused})`).run()
    return { compressions: gone.length, records: changes }
  })
}

/** Gives pages that are free back to the file system. */
export function shrinkArchive(database: Sqlite): void {
  database.prepare('PRAGMA incremental_vacuum').all()
  database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').all()
}

function findNeeded(entries: readonly ArchivedCompression[], now: number): Set<number> {
  const needed = new Set<number>()
  const origins = new Set<string>()
  // Newest first: whoever came from an entry was seen before it.
  for (const { id, sessionId, path, originalId, storedAt } of entries) {
    const isYoung = now - Date.parse(storedAt) < GRACE_MS
    const isOrigin = sessionId !== null && origins.has(sessionId)
    if (!isYoung && !isOrigin && path !== null && !existsSync(splitDatabasePath(path)?.database ?? path)) continue
    needed.add(id)
    if (originalId !== null) origins.add(originalId)
  }
  return needed
}
