/** The library that reads and writes databases, loaded when the first one is opened: it is a binary of this platform. */
import { createRequire } from 'node:module'

export type SqliteValue = string | number | Uint8Array | null

export interface Sqlite {
  prepare(sql: string): SqliteStatement
  exec(sql: string): void
  close(): void
}

export interface SqliteStatement {
  /** One list, as the library takes a single blob that stands alone for names of parameters, and dies of it. */
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

/** All of it or nothing, also when the process is killed. No other process writes meanwhile. */
export function inTransaction<T>(database: Sqlite, work: () => T): T {
  database.exec('BEGIN IMMEDIATE')
  try {
    const result = work()
    database.exec('COMMIT')
    return result
  } catch (error) {
    // A disk that is full has ended the transaction already.
    attempt(() => database.exec('ROLLBACK'))
    throw error
  }
}

function attempt(step: () => void): void {
  try {
    step()
  } catch (error) {
    if (!(error instanceof Error) || !error.message.includes('no transaction')) throw error
  }
}
