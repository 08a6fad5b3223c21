/** The few things that are asked of a database, and the library that answers them. */
import { createRequire } from 'node:module'

export interface Database {
  /** Rows as objects. Throws what the library throws. */
  query(sql: string, ...values: readonly string[]): readonly object[]
  close(): void
}

interface NativeDatabase {
  prepare(sql: string): { all(...values: readonly unknown[]): object[] }
  close(): void
}

type NativeClass = new (path: string, options: { readonly readonly: boolean }) => NativeDatabase

const require = createRequire(import.meta.url)
let native: NativeClass | undefined

/** For reading only. Loads a binary of this platform, so nothing is loaded before a database is there. */
export function openDatabase(path: string): Database {
  native ??= loadNative()
  const database = new native(path, { readonly: true })
  return {
    query: (sql, ...values) => database.prepare(sql).all(...values),
    close: () => database.close(),
  }
}

function loadNative(): NativeClass {
  const loaded: unknown = require('libsql')
  if (typeof loaded === 'function') return loaded as NativeClass
  throw new TypeError('Loading libsql: it exports no class. Install precis again.')
}
