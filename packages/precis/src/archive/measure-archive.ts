import type { Sqlite } from './sqlite.ts'

export interface ArchiveSize {
  /** Of the database, without pages that are free for use again. */
  readonly bytes: number
  readonly compressions: number
  readonly records: number
  /** Of the records as they were. */
  readonly recordBytes: number
}

export function measureArchive(database: Sqlite): ArchiveSize {
  const [row] = database
    .prepare(
      `SELECT (SELECT page_count FROM pragma_page_count) AS pages, (SELECT freelist_count FROM pragma_freelist_count) AS free,
         (SELECT page_size FROM pragma_page_size) AS pageBytes, (SELECT count(*) FROM compression) AS compressions,
         (SELECT count(*) FROM record) AS records, (SELECT coalesce(sum(bytes), 0) FROM record) AS recordBytes`,
    )
    .all() as {
    pages: number
    free: number
    pageBytes: number
    compressions: number
    records: number
    recordBytes: number
  }[]
  const { pages = 0, free = 0, pageBytes = 0, compressions = 0, records = 0, recordBytes = 0 } = row ?? {}
  return { bytes: (pages - free) * pageBytes, compressions, records, recordBytes }
}
