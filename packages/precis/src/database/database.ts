/** One way to ask SQLite and PostgreSQL. SQL is written once for both, with `?` for a value. */
import { DatabaseError } from '../files/errors.ts'

export type DatabaseValue = string | number | Uint8Array | null

export type Dialect = 'sqlite' | 'postgres'

export interface Database {
  readonly dialect: Dialect
  /** For messages: the path of a file, or an address without its password. */
  readonly place: string
  /**
   * Rows as objects. Numbers are numbers and blobs are `Buffer`s in every database. Throws
   * `DatabaseError`.
   */
  all<Row extends object>(sql: string, values?: readonly DatabaseValue[]): Promise<Row[]>
  run(sql: string, values?: readonly DatabaseValue[]): Promise<Changes>
  /**
   * All or nothing, even if the process is killed. The work has to use the database it is given,
   * and no other call runs in between. It runs again if the database reports a conflict with
   * another transaction.
   */
  transaction<T>(work: (database: Database) => Promise<T>): Promise<T>
  /** Waits for running calls. */
  close(): Promise<void>
}

interface Changes {
  /** Rows that were written or deleted. */
  readonly changes: number
}

/**
 * The interface of a library. This file keeps other calls out of a transaction. `askedAt` is when a
 * call began to wait for its turn, on the clock of `performance`.
 */
export interface Connection extends Pick<Database, 'dialect' | 'place' | 'close'> {
  all<Row extends object>(
    sql: string,
    values?: readonly DatabaseValue[],
    askedAt?: number,
  ): Promise<Row[]>
  run(sql: string, values?: readonly DatabaseValue[], askedAt?: number): Promise<Changes>
  transaction<T>(work: () => Promise<T>, askedAt?: number): Promise<T>
}

//   outside   all ──┐            ┌── run ──┐
//   inside          └ transaction┤         └── all      one connection: a transaction holds it to its end
//                                └ all, run
export function createDatabase(connection: Connection): Database {
  const { dialect, place } = connection
  let last: Promise<unknown> = Promise.resolve()
  const inTurn = <T>(step: (askedAt: number) => Promise<T>): Promise<T> => {
    const askedAt = performance.now()
    const turn = last.then(() => step(askedAt))
    last = turn.then(ignore, ignore)
    return turn
  }
  const inside: Database = {
    dialect,
    place,
    all: (sql, values) => connection.all(sql, values),
    run: (sql, values) => connection.run(sql, values),
    transaction: (work) => work(inside),
    close: () =>
      Promise.reject(new TypeError('Closing a database: one of its transactions is under way.')),
  }
  return {
    dialect,
    place,
    all: (sql, values) => inTurn((askedAt) => connection.all(sql, values, askedAt)),
    run: (sql, values) => inTurn((askedAt) => connection.run(sql, values, askedAt)),
    transaction: (work) => inTurn((askedAt) => connection.transaction(() => work(inside), askedAt)),
    close: () => inTurn(() => connection.close()),
  }
}

/** For a promise whose outcome is ignored. */
export function ignore(): void {}

// One statement for many rows costs 20% of one statement per row. More rows than this gain nothing.
const ROWS_AT_ONCE = 100

/**
 * `INSERT INTO … VALUES` for any number of rows. Returns the rows of `suffix`: `ON CONFLICT …
 * RETURNING id`.
 */
export async function insertRows<Row extends object>(
  database: Database,
  into: string,
  rows: readonly (readonly DatabaseValue[])[],
  suffix = '',
): Promise<Row[]> {
  const returned: Row[] = []
  for (let start = 0; start < rows.length; start += ROWS_AT_ONCE) {
    const some = rows.slice(start, start + ROWS_AT_ONCE)
    const values = some.map((row) => `(${row.map(() => '?').join(', ')})`).join(', ')
    for (const row of await database.all<Row>(`${into} VALUES ${values} ${suffix}`, some.flat()))
      returned.push(row)
  }
  return returned
}

/** `SELECT … WHERE … IN` for any number of values. The list is at the end. */
export async function selectIn<Row extends object>(
  database: Database,
  select: string,
  values: readonly DatabaseValue[],
): Promise<Row[]> {
  const found: Row[] = []
  for (let start = 0; start < values.length; start += ROWS_AT_ONCE) {
    const some = values.slice(start, start + ROWS_AT_ONCE)
    for (const row of await database.all<Row>(
      `${select} IN (${some.map(() => '?').join(', ')})`,
      some,
    ))
      found.push(row)
  }
  return found
}

const POSTGRES = /^postgres(?:ql)?:\/\//i
// One letter is a drive of Windows.
const SCHEME = /^\s*([a-z][a-z0-9+.:-]+:[\\/]+)/i
// `user:password@host/database`, and no path that a user would choose.
const BARE = /^\s*[^\s\\/:@]*:[^\\/]*@/

/**
 * True for `postgres://…`, false for the path of a file. Throws `DatabaseError` for an address of
 * another kind.
 */
export function isDatabaseAddress(place: string): boolean {
  if (POSTGRES.test(place)) return true
  const [, scheme] = SCHEME.exec(place) ?? []
  if (scheme === undefined && !BARE.test(place)) return false
  // The rest may hold a password.
  throw new DatabaseError(
    'failed',
    `"${scheme ?? ''}…" is not known. Give the path of a file, or postgres://user@host/database`,
  )
}

/**
 * User, host and database, without password and parameters. Throws `DatabaseError`, which shows
 * nothing of the address.
 */
export function renderDatabaseAddress(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined
  // A `#`, `/` or `?` in a password ends the part for passwords, and what follows would be shown.
  if (!url || `${url.pathname}${url.search}${url.hash}`.includes('@') || url.hash !== '') {
    throw new DatabaseError(
      'failed',
      'the address cannot be read. Give postgres://user:password@host:5432/database, with special characters of the password as %23 for "#", or set PGPASSWORD',
    )
  }
  const user = url.username === '' ? '' : `${url.username}@`
  return `postgres://${user}${url.host || (url.searchParams.get('host') ?? '')}${url.pathname}`
}
