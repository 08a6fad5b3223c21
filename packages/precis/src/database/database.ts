/** One way to ask SQLite and PostgreSQL. SQL is written once for both, with `?` where a value goes. */

export type DatabaseValue = string | number | Uint8Array | null

export type Dialect = 'sqlite' | 'postgres'

export interface Database {
  readonly dialect: Dialect
  /** For messages: the path of a file, or an address without its password. */
  readonly place: string
  /** Rows as objects; numbers are numbers and blobs are `Buffer`s, whatever the database. Throws `DatabaseError`. */
  all<Row extends object>(sql: string, values?: readonly DatabaseValue[]): Promise<Row[]>
  run(sql: string, values?: readonly DatabaseValue[]): Promise<Changes>
  /**
   * All of it or nothing, also when the process is killed. The work has to use the database it is given, nothing else gets
   * between; it is done again when the database says that another transaction was in the way.
   */
  transaction<T>(work: (database: Database) => Promise<T>): Promise<T>
  /** After what is under way. */
  close(): Promise<void>
}

export interface Changes {
  /** Rows that were written or deleted. */
  readonly changes: number
}

/** What a library has to do; that calls do not get between those of a transaction is done here. */
export interface Connection extends Pick<Database, 'dialect' | 'place' | 'all' | 'run' | 'close'> {
  transaction<T>(work: () => Promise<T>): Promise<T>
}

//   outside   all ──┐            ┌── run ──┐
//   inside          └ transaction┤         └── all      one connection: a transaction holds it to its end
//                                └ all, run
export function createDatabase(connection: Connection): Database {
  const { dialect, place } = connection
  let last: Promise<unknown> = Promise.resolve()
  const inTurn = <T>(step: () => Promise<T>): Promise<T> => {
    const turn = last.then(step)
    last = turn.then(settle, settle)
    return turn
  }
  const inside: Database = {
    dialect,
    place,
    all: (sql, values) => connection.all(sql, values),
    run: (sql, values) => connection.run(sql, values),
    transaction: (work) => work(inside),
    close: () => Promise.reject(new TypeError('Closing a database: one of its transactions is under way.')),
  }
  return {
    dialect,
    place,
    all: (sql, values) => inTurn(() => connection.all(sql, values)),
    run: (sql, values) => inTurn(() => connection.run(sql, values)),
    transaction: (work) => inTurn(() => connection.transaction(() => work(inside))),
    close: () => inTurn(() => connection.close()),
  }
}

function settle(): void {}
