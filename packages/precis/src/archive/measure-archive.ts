import type { Database, Dialect } from '../database/database.ts'

export interface ArchiveSize {
  /** Of the database, without pages that are free for use again. */
  readonly bytes: number
  readonly compressions: number
  readonly records: number
  /** Of the records as they were. */
  readonly recordBytes: number
}

const COUNTS = `SELECT (SELECT count(*) FROM compression) AS compressions, (SELECT count(*) FROM record) AS records,
  (SELECT coalesce(sum(bytes), 0) FROM record) AS recordBytes`

export async function measureArchive(database: Database): Promise<ArchiveSize> {
  const [counts] = await database.all<Omit<ArchiveSize, 'bytes'>>(COUNTS)
  return { compressions: 0, records: 0, recordBytes: 0, ...counts, bytes: await measureUsedBytes(database) }
}

const USED: Readonly<Record<Dialect, string>> = {
  sqlite: `SELECT ((SELECT page_count FROM pragma_page_count) - (SELECT freelist_count FROM pragma_freelist_count))
    * (SELECT page_size FROM pragma_page_size) AS bytes`,
  // Files do not shrink when rows go, so what is in them is added up; 60 and 100 are what a row takes besides, with its indexes.
  postgres: `SELECT (SELECT coalesce(sum(octet_length(content) + 100), 0) FROM record)
    + (SELECT count(*) * 100 FROM piece) + (SELECT coalesce(sum(pg_column_size(words) * 2 + 60), 0) FROM search)
    + (SELECT coalesce(sum(octet_length(report) + 200), 0) FROM compression) AS bytes`,
}

/** What counts for the quota. */
export async function measureUsedBytes(database: Database): Promise<number> {
  return await readBytes(database, USED[database.dialect])
}

/** At least what is used, and quick to say. */
export async function measureMostBytes(database: Database): Promise<number> {
  return await readBytes(database, MOST[database.dialect])
}

const MOST: Readonly<Record<Dialect, string>> = {
  sqlite: USED.sqlite,
  postgres: `SELECT coalesce(sum(pg_total_relation_size(oid)), 0) AS bytes FROM pg_class
    WHERE relkind = 'r' AND relnamespace = to_regnamespace('precis')`,
}

async function readBytes(database: Database, sql: string): Promise<number> {
  const [row] = await database.all<{ bytes: number }>(sql)
  return row?.bytes ?? 0
}
