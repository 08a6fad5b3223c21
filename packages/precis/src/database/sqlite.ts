/** The library that reads and writes SQLite, loaded when the first file is opened: it is a binary of this platform. */
import { createRequire } from 'node:module'

export type SqliteValue = string | number | Uint8Array | null

export interface Sqlite {
  prepare(sql: string): SqliteStatement
  exec(sql: string): void
  close(): void
}

export interface SqliteStatement {
  /** One list, as the library takes a lone blob for names of parameters, and dies of it. */
  all(values?: readonly SqliteValue[]): object[]
  run(values?: readonly SqliteValue[]): { readonly changes: number; readonly lastInsertRowid: number }
}

export interface SqliteOptions {
  readonly readonly?: boolean
  /** How long a statement waits for another process that writes; at once when it is missing. */
  readonly timeout?: number
}

type SqliteClass = new (path: string, options: SqliteOptions) => Sqlite

const require = createRequire(import.meta.url)
let loaded: SqliteClass | undefined

/** Throws what the library throws. A statement is to be run to its end: an open one keeps its transaction open. */
export function openSqlite(path: string, options: SqliteOptions): Sqlite {
  loaded ??= loadClass()
  return new loaded(path, options)
}

function loadClass(): SqliteClass {
  const library: unknown = require('libsql')
  if (typeof library === 'function') return library as SqliteClass
  throw new TypeError('Loading libsql: it exports no class. Install precis again.')
}
