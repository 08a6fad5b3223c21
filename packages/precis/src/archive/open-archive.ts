/** The one place that keeps what compressions removed: `archive.db` in the folder for data of the user, or a database of PostgreSQL. */
import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { findUserFolders } from '../configuration/user-folders.ts'
import type { Database } from '../database/database.ts'
import { isDatabaseAddress, renderDatabaseAddress } from '../database/database-address.ts'
import { DatabaseError, type DatabaseErrorCode } from '../database/database-error.ts'
import { refuseSpecialFile } from '../input-file.ts'
import { explainSystemError, systemErrorCode } from '../system-error.ts'
import { ArchiveError, type ArchiveErrorCode } from './archive-error.ts'
import { migrate, readVersion } from './migrate.ts'

const PRIVATE_FILE = 0o600
const PRIVATE_FOLDER = 0o700

export function findArchivePath(): string {
  return join(findUserFolders().data, 'archive.db')
}

/** `place` is the path of a file or `postgres://…`. Undefined when nothing was ever kept there. Throws `ArchiveError`. */
export function openArchive(place = findArchivePath()): Promise<Database | undefined> {
  return explaining(place, async () => {
    if (!isDatabaseAddress(place) && !existsSync(place)) return undefined
    return await open(place, async (database) => isDatabaseAddress(place) && (await readVersion(database)) === 0)
  })
}

/** Makes it where there is none. Throws `ArchiveError`. */
export async function createArchive(place = findArchivePath()): Promise<Database> {
  const database = await explaining(place, async () => {
    if (!isDatabaseAddress(place)) {
      mkdirSync(dirname(place), { recursive: true, mode: PRIVATE_FOLDER })
      makePrivateFile(place)
    }
    return await open(place, async () => false)
  })
  if (!database) throw new TypeError('Opening the archive: it was made and is not there.')
  return database
}

/**
 * Files beside a database get the permissions that it has, so it has its own before it is opened. One that is there is not
 * touched: to close a file of which this process has a connection open gives up the locks of that connection, and then two
 * processes write into one another (sqlite.org/howtocorrupt.html, 2.2).
 */
function makePrivateFile(path: string): void {
  try {
    closeSync(openSync(path, 'ax', PRIVATE_FILE))
  } catch (error) {
    if (systemErrorCode(error) !== 'EEXIST') throw error
    // A link to a file that is still to be made: nobody has that open.
    if (!existsSync(path)) closeSync(openSync(path, 'a', PRIVATE_FILE))
  }
}

async function open(place: string, isEmpty: (database: Database) => Promise<boolean>): Promise<Database | undefined> {
  const database = await connect(place)
  try {
    if (!(await isEmpty(database))) {
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
async function connect(place: string): Promise<Database> {
  if (isDatabaseAddress(place)) return await (await import('../database/postgres.ts')).openPostgres(place)
  refuseSpecialFile(place)
  return await (await import('../database/sqlite-database.ts')).openSqliteDatabase(place)
}

async function explaining<T>(place: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw explain(error, place)
  }
}

const CODES: Readonly<Partial<Record<DatabaseErrorCode, ArchiveErrorCode>>> = {
  damaged: 'archive-damaged',
  full: 'archive-full',
}
const SYSTEM_CODE = /^E[A-Z0-9]+$/

/** What went wrong with the archive as an `ArchiveError`; errors of other kinds as they are. */
export function explain(error: unknown, place = findArchivePath()): unknown {
  if (error instanceof ArchiveError || !(error instanceof Error)) return error
  if (error instanceof DatabaseError) {
    const code = CODES[error.code] ?? 'archive-unavailable'
    const advice = code === 'archive-damaged' ? '. Move it away; the next compression makes a new one' : ''
    const said = code === 'archive-damaged' ? `it is damaged (${error.message})` : error.message
    return new ArchiveError(code, `Using the archive${renderPlace(place)}: ${said}${advice}.`)
  }
  if (!SYSTEM_CODE.test(systemErrorCode(error) ?? '')) return error
  return new ArchiveError(
    'archive-unavailable',
    `Opening the archive${renderPlace(place)}: ${explainSystemError(error)}.`,
  )
}

/** For people; nothing of an address that cannot be read, as its password may be anywhere. */
export function renderPlace(place: string): string {
  try {
    return ` "${isDatabaseAddress(place) ? renderDatabaseAddress(place) : place}"`
  } catch (error) {
    if (error instanceof DatabaseError) return ''
    throw error
  }
}
