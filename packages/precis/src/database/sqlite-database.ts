/** A file as a `Database`. The library is synchronous, but answers are promises. */
import { accessSync, constants, existsSync, realpathSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { DatabaseError, type DatabaseErrorCode } from '../files/errors.ts'
import { type Connection, createDatabase, type Database, type DatabaseValue } from './database.ts'
import { openSqlite, type Sqlite, type SqliteStatement } from './sqlite.ts'

// Two hundred concurrent processes take five minutes on two busy cores.
const BUSY_MS = 300_000
// The library holds the whole thread while it waits for others, so it does not wait for long.
const BUSY_AT_ONCE_MS = 1000
const RETRY_MS = 25
// Hashes come in no order, so every insertion meets another page of their index.
const CACHE_KILOBYTES = 16_384

export interface SqliteWaits {
  /**
   * The wait of a call for another writer while none finishes, also in the queue. Five minutes by
   * default. If it is given, this thread may serve others meanwhile, and is never held.
   */
  readonly busyMs?: number
}

/** Creates the file if it is missing. Throws `DatabaseError`. */
export async function openSqliteDatabase(
  path: string,
  { busyMs }: SqliteWaits = {},
): Promise<Database> {
  // Absolute: the library reads names like `:memory:` and `file:x` as something other than a file.
  const file = resolve(path)
  const timeout = busyMs === undefined ? BUSY_AT_ONCE_MS : 0
  const sqlite = await untilFree(() => openPrepared(file, timeout), busyMs)
  return createDatabase(connect(path, sqlite, busyMs))
}

/** Opens a file that cannot be written, such as a backup, for reading. */
function openPrepared(file: string, timeout: number): Sqlite {
  try {
    return prepare(file, timeout)
  } catch (error) {
    if (!isUnwritable(error) || !existsSync(file)) throw error
    const real = realpathSync(file)
    // The file is incomplete while others may write, or if a write-ahead log is next to it.
    if ((isWritable(real) && isWritable(dirname(real))) || existsSync(`${real}-wal`)) throw error
    return prepare(`${pathToFileURL(real).href}?immutable=1`, timeout)
  }
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK)
    return true
  } catch {
    return false
  }
}

function prepare(place: string, timeout: number): Sqlite {
  const sqlite = openSqlite(place, { timeout })
  try {
    // Before there is a table. Later it changes nothing and writes all the same: to read, one would
    // have to wait for who writes.
    const [row] = sqlite.prepare('SELECT page_count AS pages FROM pragma_page_count').all()
    if (row && 'pages' in row && row.pages === 0)
      sqlite.prepare('PRAGMA auto_vacuum = INCREMENTAL').all()
    sqlite.prepare('PRAGMA journal_mode = WAL').all()
    sqlite.exec(`PRAGMA cache_size = -${CACHE_KILOBYTES}`)
    sqlite.exec('PRAGMA foreign_keys = ON')
    return sqlite
  } catch (error) {
    sqlite.close()
    throw error
  }
}

function connect(place: string, sqlite: Sqlite, busyMs: number | undefined): Connection {
  const statements = new Map<string, SqliteStatement>()
  const find = (sql: string): SqliteStatement => {
    let statement = statements.get(sql)
    if (!statement) {
      statement = sqlite.prepare(sql)
      statements.set(sql, statement)
    }
    return statement
  }
  let isInTransaction = false
  // Inside a transaction no other process can be in the way.
  const ask = <T>(step: () => T, askedAt?: number): Promise<T> =>
    untilFree(step, isInTransaction ? 0 : busyMs, countWrites, askedAt)
  const countWrites = (): number => {
    try {
      const [row] = find('PRAGMA data_version').all()
      return row && 'data_version' in row ? Number(row.data_version) : 0
    } catch (error) {
      if (isBusy(error)) return 0
      throw explain(error)
    }
  }
  return {
    dialect: 'sqlite',
    place,
    all: <Row extends object>(sql: string, values?: readonly DatabaseValue[], askedAt?: number) =>
      ask(() => find(sql).all(values) as unknown as Row[], askedAt),
    run: (sql, values, askedAt) => ask(() => ({ changes: find(sql).run(values).changes }), askedAt),
    async transaction(work, askedAt) {
      await ask(() => sqlite.exec('BEGIN IMMEDIATE'), askedAt)
      isInTransaction = true
      try {
        const result = await work()
        await ask(() => sqlite.exec('COMMIT'))
        return result
      } catch (error) {
        rollBack(sqlite)
        throw error
      } finally {
        isInTransaction = false
      }
    },
    async close() {
      statements.clear()
      sqlite.close()
    },
  }
}

/** A disk that is full has ended the transaction already. */
function rollBack(sqlite: Sqlite): void {
  try {
    sqlite.exec('ROLLBACK')
  } catch (error) {
    if (!(error instanceof Error) || !error.message.includes('no transaction')) throw explain(error)
  }
}

/** Waits on while others come along: on a slow machine with many of them that takes its time. */
async function untilFree<T>(
  step: () => T,
  waitMs = BUSY_MS,
  countWrites = () => 0,
  askedAt = performance.now(),
): Promise<T> {
  let until = askedAt + waitMs
  let writes: number | undefined
  for (;;) {
    try {
      return step()
    } catch (error) {
      if (!isBusy(error)) throw explain(error)
      if (writes === undefined) writes = countWrites()
      else if (performance.now() > until) {
        const writesNow = countWrites()
        if (writesNow === writes) throw explain(error)
        writes = writesNow
        until = performance.now() + waitMs
      }
    }
    await setTimeout(RETRY_MS * (1 + Math.random()))
  }
}

// The lowest byte of an SQLite error code is its kind (sqlite.org/rescode.html). The library names
// only some of the finer codes.
const REASONS: Readonly<Record<number, readonly [DatabaseErrorCode, string | undefined]>> = {
  3: ['not-permitted', undefined],
  8: [
    'not-permitted',
    'nothing can be written there. See the permissions of the file and of its folder',
  ],
  11: ['damaged', undefined],
  13: ['full', 'the disk is full. Free some space, and try again'],
  14: ['failed', 'it cannot be opened as a file. See what is there, and its permissions'],
  26: ['damaged', undefined],
}
// Another connection or this one writes, or too many connections compete for a turn.
const BUSY = new Set([5, 6, 15])
const READ_ONLY = 8
const CANNOT_OPEN = 14

function explain(error: unknown): unknown {
  const kind = readKind(error)
  if (!(error instanceof Error) || kind === undefined) return error
  if (BUSY.has(kind))
    return new DatabaseError('busy', 'another process is writing, and does not end')
  const [code, words] = REASONS[kind] ?? ['failed', undefined]
  return new DatabaseError(code, words ?? error.message)
}

function isBusy(error: unknown): boolean {
  return BUSY.has(readKind(error) ?? 0)
}

function isUnwritable(error: unknown): boolean {
  const kind = readKind(error)
  return kind === READ_ONLY || kind === CANNOT_OPEN
}

function readKind(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined
  if ('rawCode' in error && typeof error.rawCode === 'number') return error.rawCode & 0xff
  return error.message.includes('ConnectionFailed') ? CANNOT_OPEN : undefined
}
