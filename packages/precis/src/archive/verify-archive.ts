/** Reads all of it and compares every byte with its hash. */
import { listCompressions } from './compressions.ts'
import { createRecordReader, readOriginal } from './read-original.ts'
import type { Sqlite } from './sqlite.ts'

export interface Verified {
  readonly records: number
  readonly compressions: number
  /** What is damaged, in words; empty when nothing is. */
  readonly problems: readonly string[]
}

export function verifyArchive(database: Sqlite): Verified {
  const problems: string[] = []
  attempt(() => problems.push(...checkDatabase(database)), problems)
  const records = attempt(() => listRecords(database), problems) ?? []
  attempt(() => {
    const read = createRecordReader(database)
    for (const record of records) attempt(() => read(record), problems)
  }, problems)
  const compressions = attempt(() => listCompressions(database), problems) ?? []
  for (const compression of compressions) attempt(() => readOriginal(database, compression), problems)
  return { records: records.length, compressions: compressions.length, problems }
}

function checkDatabase(database: Sqlite): string[] {
  const rows = database.prepare('PRAGMA integrity_check').all() as { integrity_check: string }[]
  return rows.map(({ integrity_check: line }) => line).filter((line) => line !== 'ok')
}

function listRecords(database: Sqlite): number[] {
  const rows = database.prepare('SELECT id FROM record').all() as { id: number }[]
  return rows.map(({ id }) => id)
}

/** In a damaged file any step may fail, and the next one may not. */
function attempt<T>(step: () => T, problems: string[]): T | undefined {
  try {
    return step()
  } catch (error) {
    problems.push(error instanceof Error ? error.message : String(error))
    return undefined
  }
}
