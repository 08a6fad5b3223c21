/**
 * The one place that keeps what compressions removed: `archive.db` in the folder for data of the
 * user, or a database of PostgreSQL.
 */
import { closeSync, existsSync, openSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import {
  type Database,
  type Dialect,
  isDatabaseAddress,
  renderDatabaseAddress,
} from '../database/database.ts'
import type { SqliteWaits } from '../database/sqlite-database.ts'
import {
  ArchiveError,
  type ArchiveErrorCode,
  DatabaseError,
  type DatabaseErrorCode,
  explainSystemError,
  systemErrorCode,
} from '../files/errors.ts'
import { makeFolders } from '../files/make-folders.ts'
import { refuseSpecialFile } from '../files/read-document.ts'
import { findUserFolders } from '../files/user-folders.ts'
import { lockArchive } from './lease.ts'

const PRIVATE_FILE = 0o600

export function findArchivePath(): string {
  return join(findUserFolders().data, 'archive.db')
}

/**
 * `place` is the path of a file or `postgres://…`. Undefined when nothing was ever kept there.
 * Throws `ArchiveError`.
 */
export function openArchive(place = findArchivePath()): Promise<Database | undefined> {
  return explaining(place, async () => {
    if (isDatabaseAddress(place))
      return await open(place, {}, async (database) => (await readVersion(database)) > 0)
    return isFileThere(place) ? await open(place) : undefined
  })
}

/** A folder without read permission looks empty. */
function isFileThere(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined
  } catch (error) {
    if (systemErrorCode(error) === 'ENOTDIR') return false
    throw error
  }
}

/** Creates it if it is missing. Throws `ArchiveError`. */
export async function createArchive(
  place = findArchivePath(),
  waits: SqliteWaits = {},
): Promise<Database> {
  const database = await explaining(place, async () => {
    if (!isDatabaseAddress(place)) {
      makeFolders(dirname(place))
      makePrivateFile(place)
    }
    return await open(place, waits)
  })
  if (!database) throw new TypeError('Opening the archive: it was made and is not there.')
  return database
}

/**
 * Files next to a database get its permissions, so the database gets its own before it is opened.
 * An existing file is not touched. Closing a file that this process has open in a connection
 * releases the locks of that connection, and then two processes may write at the same time
 * (sqlite.org/howtocorrupt.html, 2.2).
 */
function makePrivateFile(path: string): void {
  try {
    closeSync(openSync(path, 'ax', PRIVATE_FILE))
  } catch (error) {
    if (systemErrorCode(error) !== 'EEXIST') throw error
    // A link to a file that is still to be made: no process has that open.
    if (!existsSync(path)) closeSync(openSync(path, 'a', PRIVATE_FILE))
  }
}

async function open(
  place: string,
  waits: SqliteWaits = {},
  isThere: (database: Database) => Promise<boolean> = async () => true,
): Promise<Database | undefined> {
  const database = await connect(place, waits)
  try {
    if (await isThere(database)) {
      await migrate(database)
      return database
    }
  } catch (error) {
    await database.close()
    throw error
  }
  await database.close()
  return undefined
}

/** Each library is loaded when it is needed. */
async function connect(place: string, waits: SqliteWaits): Promise<Database> {
  if (isDatabaseAddress(place))
    return await (await import('../database/postgres.ts')).openPostgres(place)
  refuseSpecialFile(place)
  return await (await import('../database/sqlite-database.ts')).openSqliteDatabase(place, waits)
}

async function explaining<T>(place: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw explainArchiveError(
      error,
      place,
      'Move it away, and the next compression makes a new one',
    )
  }
}

const CODES: Readonly<Partial<Record<DatabaseErrorCode, ArchiveErrorCode>>> = {
  damaged: 'archive-damaged',
  full: 'archive-full',
}
const ADVICE =
  '"precis archive verify" names what is damaged, and "precis restore" writes what is whole. To begin a new one, move it away'
const SYSTEM_CODE = /^E[A-Z0-9]+$/

/** An error of the archive as an `ArchiveError`. Other errors stay unchanged. */
export function explainArchiveError(
  error: unknown,
  place = findArchivePath(),
  whenDamaged = ADVICE,
): unknown {
  if (error instanceof ArchiveError || !(error instanceof Error)) return error
  if (error instanceof DatabaseError) {
    const code = CODES[error.code] ?? 'archive-unavailable'
    const advice = code === 'archive-damaged' ? `. ${whenDamaged}` : ''
    const said = code === 'archive-damaged' ? `it is damaged (${error.message})` : error.message
    return new ArchiveError(code, `Using the archive${renderPlace(place)}: ${said}${advice}.`)
  }
  if (!SYSTEM_CODE.test(systemErrorCode(error) ?? '')) return error
  return new ArchiveError(
    'archive-unavailable',
    `Opening the archive${renderPlace(place)}: ${explainSystemError(error)}.`,
  )
}

/** For people. Shows nothing of an unreadable address, because its password may be anywhere. */
function renderPlace(place: string): string {
  try {
    return ` "${isDatabaseAddress(place) ? renderDatabaseAddress(place) : place}"`
  } catch (error) {
    if (error instanceof DatabaseError) return ''
    throw error
  }
}

/**
 * Tables of the archive, one step for each version.
 *
 *   compression ──< piece >── record          piece: which record is at which place of an original
 *                               │
 *                             search           words of records that were removed or changed, without secrets
 *   lease                                      which process does a task of only one, and until when
 *   conversation                               compressions of followed conversations, for the next request
 */
interface Types {
  readonly id: string
  readonly integer: string
  readonly blob: string
  readonly ordered: string
  readonly search: readonly string[]
}

const TYPES: Readonly<Record<Dialect, Types>> = {
  sqlite: {
    id: 'INTEGER PRIMARY KEY',
    integer: 'INTEGER',
    blob: 'BLOB',
    ordered: 'WITHOUT ROWID',
    // `content=''`: the index keeps no text. Excerpts are cut from the record itself.
    search: [
      `CREATE VIRTUAL TABLE search USING fts5 (content, content='', contentless_delete=1, tokenize="unicode61 tokenchars '_'")`,
    ],
  },
  postgres: {
    id: 'BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY',
    integer: 'BIGINT',
    blob: 'BYTEA',
    ordered: '',
    // A list of words has at most a megabyte, so a long record has several.
    search: [
      `CREATE TABLE search (
         record BIGINT NOT NULL REFERENCES record (id) ON DELETE CASCADE,
         part BIGINT NOT NULL,
         words TSVECTOR NOT NULL,
         PRIMARY KEY (record, part)
       )`,
      'CREATE INDEX searchByWord ON search USING GIN (words)',
    ],
  },
}

function listMigrations(dialect: Dialect): readonly (readonly string[])[] {
  const { id, integer, blob, ordered, search } = TYPES[dialect]
  return [
    [
      `CREATE TABLE record (
         id ${id},
         hash ${blob} NOT NULL UNIQUE,
         bytes ${integer} NOT NULL,
         isDeflated ${integer} NOT NULL,
         isIndexed ${integer} NOT NULL,
         content ${blob} NOT NULL
       )`,
      `CREATE TABLE compression (
         id ${id},
         name TEXT NOT NULL UNIQUE,
         command TEXT NOT NULL,
         storedAt TEXT NOT NULL,
         format TEXT NOT NULL,
         sessionId TEXT,
         path TEXT,
         originalId TEXT,
         originalPath TEXT,
         originalHash ${blob} NOT NULL,
         originalBytes ${integer} NOT NULL,
         report TEXT NOT NULL
       )`,
      'CREATE INDEX compressionBySession ON compression (sessionId)',
      'CREATE INDEX compressionByPath ON compression (path)',
      `CREATE TABLE piece (
         compression ${integer} NOT NULL REFERENCES compression (id) ON DELETE CASCADE,
         position ${integer} NOT NULL,
         record ${integer} NOT NULL REFERENCES record (id),
         span ${integer},
         fate TEXT,
         label TEXT,
         PRIMARY KEY (compression, position)
       ) ${ordered}`,
      'CREATE INDEX pieceByRecord ON piece (record)',
      ...search,
    ],
    [
      `ALTER TABLE compression ADD COLUMN resultBytes ${integer}`,
      `ALTER TABLE compression ADD COLUMN resultHash ${blob}`,
      `ALTER TABLE compression ADD COLUMN resultMessages ${integer}`,
      'ALTER TABLE compression ADD COLUMN host TEXT',
      'CREATE INDEX compressionByOriginal ON compression (originalHash)',
      `CREATE TABLE lease (name TEXT PRIMARY KEY, holder TEXT NOT NULL, expiresAt ${integer} NOT NULL)`,
    ],
    [
      `CREATE TABLE conversation (
         key TEXT PRIMARY KEY,
         version ${integer} NOT NULL,
         usedAt ${integer} NOT NULL,
         value TEXT NOT NULL
       )`,
    ],
    [`ALTER TABLE compression ADD COLUMN changesHash ${blob}`],
  ]
}

// A file of this version on a read-only disk can be read as it is. It lacks only the hash of changes.
const READABLE_VERSION = 3

/**
 * Brings a database to the latest version, in one transaction. Throws `ArchiveError` for a database
 * of a newer precis.
 */
async function migrate(database: Database): Promise<void> {
  const migrations = listMigrations(database.dialect)
  const found = await readVersion(database)
  if (found === migrations.length) return
  try {
    await writeMigrations(database, migrations)
  } catch (error) {
    const isReadOnly = error instanceof DatabaseError && error.code === 'not-permitted'
    const isReadable = found >= READABLE_VERSION && found < migrations.length
    if (!isReadOnly || !isReadable || database.dialect !== 'sqlite') throw error
  }
}

async function writeMigrations(
  database: Database,
  migrations: ReturnType<typeof listMigrations>,
): Promise<void> {
  await database.transaction(async (transaction) => {
    await lockArchive(transaction, 'alone')
    // Another process may have been faster.
    const version = await readVersion(transaction)
    if (version > migrations.length) {
      throw new ArchiveError(
        'archive-too-new',
        `Opening the archive: it has version ${version}, and this precis knows up to ${migrations.length}. Install the newest precis.`,
      )
    }
    if (version === 0 && database.dialect === 'postgres') await createSchema(transaction)
    for (const statement of migrations.slice(version).flat()) await transaction.run(statement)
    await writeVersion(transaction, migrations.length)
  })
}

/** Zero when there are no tables yet. */
async function readVersion(database: Database): Promise<number> {
  if (database.dialect === 'postgres') {
    // The table of tables: a look-up by name may still say what was so before another process made
    // them.
    const [table] = await database.all(
      "SELECT 1 AS found FROM pg_tables WHERE schemaname = 'precis' AND tablename = 'version'",
    )
    if (!table) return 0
  }
  const sql =
    database.dialect === 'sqlite'
      ? 'SELECT user_version AS number FROM pragma_user_version'
      : VERSION
  const [row] = await database.all<{ number: number }>(sql)
  return row?.number ?? 0
}

const VERSION = 'SELECT number FROM version'

/** A user without permission to create a schema may use an existing one. */
async function createSchema(transaction: Database): Promise<void> {
  const [schema] = await transaction.all(
    "SELECT 1 AS found FROM pg_namespace WHERE nspname = 'precis'",
  )
  if (!schema) await transaction.run('CREATE SCHEMA precis')
  await transaction.run('CREATE TABLE version (number BIGINT NOT NULL)')
  await transaction.run('INSERT INTO version (number) VALUES (0)')
}

async function writeVersion(transaction: Database, version: number): Promise<void> {
  // A pragma takes no parameters.
  if (transaction.dialect === 'sqlite') await transaction.run(`PRAGMA user_version = ${version}`)
  else await transaction.run('UPDATE version SET number = ?', [version])
}
