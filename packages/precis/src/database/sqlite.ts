/**
 * The library that reads and writes SQLite, loaded when the first file is opened: it is a binary of
 * this platform.
 */
import { isUtf8 } from 'node:buffer'
import { createRequire } from 'node:module'

type SqliteValue = string | number | Uint8Array | null

export interface Sqlite {
  /**
   * A query names its columns. `*` would read their names from the file, where each may be damaged.
   */
  prepare(sql: string): SqliteStatement
  exec(sql: string): void
  close(): void
}

export interface SqliteStatement {
  /**
   * Rows by the names of their columns. A blob is a `Buffer`, and so is text that is not in the
   * encoding of the file: its bytes. One list of values, as the library takes a lone blob for names
   * of parameters, and dies of it.
   */
  all(values?: readonly SqliteValue[]): object[]
  run(values?: readonly SqliteValue[]): {
    readonly changes: number
    readonly lastInsertRowid: number
  }
}

export interface SqliteOptions {
  readonly readonly?: boolean
  /** How long a statement waits for another process that writes. If missing, it does not wait. */
  readonly timeout?: number
}

type SqliteClass = new (path: string, options: SqliteOptions) => Sqlite

const require = createRequire(import.meta.url)
let loaded: SqliteClass | undefined

/**
 * Throws what the library throws. A statement is to be run to its end: an open one keeps its
 * transaction open.
 */
export function openSqlite(path: string, options: SqliteOptions): Sqlite {
  loaded ??= loadClass()
  const library = new loaded(path, options)
  let decode: Decode | undefined
  const decodeText: Decode = (bytes) => {
    decode ??= findDecoder(library)
    return decode(bytes)
  }
  return {
    prepare: (sql) =>
      QUERY.test(sql) ? prepareQuery(library, sql, decodeText) : prepareOther(library, sql),
    exec: (sql) => library.exec(sql),
    close: () => library.close(),
  }
}

function loadClass(): SqliteClass {
  const library: unknown = require('libsql')
  if (typeof library === 'function') return library as SqliteClass
  throw new TypeError('Loading libsql: it exports no class. Install precis again.')
}

const QUERY = /^\s*(?:SELECT|WITH)\b/i

/**
 * The library aborts the process at text that is not UTF-8, and one damaged bit is enough for that.
 * So it never gets text:
 *
 *   SELECT name, hash FROM t      name  'a'    ─►   name  x'61'    hash  x'00'    isText  '10'
 */
function prepareQuery(library: Sqlite, sql: string, decode: Decode): SqliteStatement {
  let prepared:
    | { readonly names: readonly string[]; readonly statement: SqliteStatement }
    | undefined
  const prepare = (values: readonly SqliteValue[]) => {
    const names = findNames(library, sql, values)
    const quoted = names.map((name) => `"${name.replaceAll('"', '""')}"`)
    const columns = quoted.map(
      (name) => `CASE typeof(${name}) WHEN 'text' THEN CAST(${name} AS BLOB) ELSE ${name} END`,
    )
    const areText = quoted.map((name) => `(typeof(${name}) = 'text')`).join(' || ')
    const selected = columns.map((column, index) => `${column} AS "${index}"`).join(', ')
    // With LIMIT inside and WHERE outside, SQLite runs the query unchanged: each column once, rows
    // in their order.
    const statement = library.prepare(
      `SELECT ${selected}, ${areText} AS isText FROM (SELECT * FROM (${sql}) LIMIT -1) WHERE 1`,
    )
    return { names, statement }
  }
  return {
    all(values = NONE) {
      prepared ??= prepare(values)
      const { names, statement } = prepared
      return statement.all(values).map((row) => toNamedRow(row as SqliteRow, names, decode))
    },
    run: (values = NONE) => library.prepare(sql).run(values),
  }
}

const NONE: readonly never[] = []

/**
 * Asks for no row. The library also lists columns, with their types as the file has them, and dies
 * of a damaged one.
 */
function findNames(library: Sqlite, sql: string, values: readonly SqliteValue[]): string[] {
  const probe = `SELECT * FROM (SELECT 1 AS "") LEFT JOIN (SELECT * FROM (${sql}) LIMIT 0)`
  const [row = {}] = library.prepare(probe).all(values)
  return Object.keys(row).slice(1)
}

type SqliteRow = Readonly<Record<string, string | number | ArrayBuffer | null>> & {
  readonly isText: string
}

function toNamedRow(row: SqliteRow, names: readonly string[], decode: Decode): object {
  const named: Record<string, unknown> = {}
  for (const [index, name] of names.entries()) {
    const value = row[index]
    const bytes = value instanceof ArrayBuffer ? Buffer.from(value) : undefined
    named[name] = bytes ? (`${row.isText}`[index] === '1' ? decode(bytes) : bytes) : value
  }
  return named
}

/** Pragmas, and what a statement returns of rows that it has just written. */
function prepareOther(library: Sqlite, sql: string): SqliteStatement {
  const statement = library.prepare(sql)
  return {
    all: (values = NONE) => statement.all(values).map(toRow),
    run: (values = NONE) => statement.run(values),
  }
}

function toRow(row: object): object {
  const fields = row as Record<string, unknown>
  for (const name in fields) {
    const value = fields[name]
    if (value instanceof ArrayBuffer) fields[name] = Buffer.from(value)
  }
  return row
}

/** Returns bytes that are not valid in the encoding unchanged. */
type Decode = (bytes: Buffer) => string | Buffer

function findDecoder(library: Sqlite): Decode {
  const [row] = library.prepare('PRAGMA encoding').all()
  const encoding = row && 'encoding' in row ? String(row.encoding).toLowerCase() : 'utf-8'
  if (encoding === 'utf-8') return (bytes) => (isUtf8(bytes) ? bytes.toString('utf8') : bytes)
  const decoder = new TextDecoder(encoding, { fatal: true, ignoreBOM: true })
  return (bytes) => {
    try {
      return decoder.decode(bytes)
    } catch {
      return bytes
    }
  }
}
