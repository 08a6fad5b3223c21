/** The few things that are asked of a database of an agent. */
import { openSqlite } from '../../database/sqlite.ts'

export interface Database {
  /** Rows as objects. Throws what the library throws. */
  query(sql: string, ...values: readonly string[]): readonly object[]
  close(): void
}

/** For reading only. */
export function openDatabase(path: string): Database {
  const database = openSqlite(path, { readonly: true })
  return {
    query: (sql, ...values) => database.prepare(sql).all(values),
    close: () => database.close(),
  }
}
