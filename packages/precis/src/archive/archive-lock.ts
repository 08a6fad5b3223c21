import type { Database } from '../database/database.ts'

// Any number that no other program of the same server is likely to take.
const KEY = 7_702_511_973

/**
 * Until the transaction ends: who stores shares the archive with others who store, who collects or changes tables has it
 * alone. SQLite lets one process write at a time anyway.
 */
export async function lockArchive(transaction: Database, kind: 'shared' | 'alone'): Promise<void> {
  if (transaction.dialect === 'sqlite') return
  const lock = kind === 'shared' ? 'pg_advisory_xact_lock_shared' : 'pg_advisory_xact_lock'
  await transaction.all(`SELECT ${lock}(?)`, [KEY])
}
