/** Reads all of it and compares every byte with its hash. */
import type { Database } from '../database/database.ts'
import { listCompressions } from './compressions.ts'
import { createRecordReader, type RecordSize, readOriginal, readRecords } from './read-original.ts'

export interface Verified {
  readonly records: number
  readonly compressions: number
  /** What is damaged, in words; empty when nothing is. */
  readonly problems: readonly string[]
}

export async function verifyArchive(database: Database): Promise<Verified> {
  const problems: string[] = []
  await attempt(async () => problems.push(...(await checkDatabase(database))), problems)
  const records =
    (await attempt(() => database.all<RecordSize>('SELECT id AS record, bytes FROM record'), problems)) ?? []
  for (let start = 0; start < records.length; start += RECORDS_AT_ONCE) {
    await checkRecords(database, records.slice(start, start + RECORDS_AT_ONCE), problems)
  }
  const compressions = (await attempt(() => listCompressions(database), problems)) ?? []
  for (const compression of compressions) await attempt(() => readOriginal(database, compression), problems)
  return { records: records.length, compressions: compressions.length, problems }
}

const RECORDS_AT_ONCE = 500

async function checkRecords(database: Database, records: readonly RecordSize[], problems: string[]): Promise<void> {
  const found: string[] = []
  await attempt(async () => {
    for await (const bytes of readRecords(database, records)) bytes.at(0)
  }, found)
  if (found.length === 0) return
  // Reading ends at the first that is damaged; there may be others.
  const read = createRecordReader(database)
  for (const { record } of records) await attempt(() => read(record), problems)
}

/** PostgreSQL checks its own pages when it reads them. */
async function checkDatabase(database: Database): Promise<string[]> {
  if (database.dialect === 'postgres') return []
  const rows = await database.all<{ line: string }>('SELECT integrity_check AS line FROM pragma_integrity_check')
  return rows.map(({ line }) => line).filter((line) => line !== 'ok')
}

/** In a damaged file any step may fail, and the next one may not. */
async function attempt<T>(step: () => Promise<T>, problems: string[]): Promise<T | undefined> {
  try {
    return await step()
  } catch (error) {
    problems.push(error instanceof Error ? error.message : String(error))
    return undefined
  }
}
