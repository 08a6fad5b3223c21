/** The one file that keeps what compressions removed: `archive.db` in the folder for data of the user. */
import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { findUserFolders } from '../configuration/user-folders.ts'
import { explainSystemError, systemErrorCode } from '../sessions/session-error.ts'
import { ArchiveError } from './archive-error.ts'
import { migrate } from './migrate.ts'
import { openSqlite, type Sqlite } from './sqlite.ts'

const PRIVATE_FILE = 0o600
const PRIVATE_FOLDER = 0o700
// With two hundred processes that write at once the last one waits this long.
const BUSY_MS = 60_000
const RETRY_MS = 25

export function findArchivePath(): string {
  return join(findUserFolders().data, 'archive.db')
}

/** Undefined when nothing was ever kept. Throws `ArchiveError`. */
export async function openArchive(path = findArchivePath()): Promise<Sqlite | undefined> {
  return existsSync(path) ? await open(path) : undefined
}

/** Makes it where there is none. Throws `ArchiveError`. */
export async function createArchive(path = findArchivePath()): Promise<Sqlite> {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: PRIVATE_FOLDER })
    // Files beside a database get the permissions that it has, so it has its own before it is opened.
    closeSync(openSync(path, 'a', PRIVATE_FILE))
  } catch (error) {
    throw explain(error, path)
  }
  return await open(path)
}

async function open(path: string): Promise<Sqlite> {
  const until = performance.now() + BUSY_MS
  for (;;) {
    let database: Sqlite | undefined
    try {
      database = openSqlite(path, { timeout: BUSY_MS })
      // Before there is a table; later it does nothing.
      database.prepare('PRAGMA auto_vacuum = INCREMENTAL').all()
      database.prepare('PRAGMA journal_mode = WAL').all()
      database.exec('PRAGMA foreign_keys = ON')
      migrate(database)
      return database
    } catch (error) {
      database?.close()
      // The change to WAL is refused at once, not after the timeout, while others make it.
      if (!isBusy(error) || performance.now() > until) throw explain(error, path)
    }
    await setTimeout(RETRY_MS)
  }
}

const SYSTEM_CODE = /^E[A-Z0-9]+$/

/** What went wrong with the archive as an `ArchiveError`; errors of other kinds as they are. */
export function explain(error: unknown, path = findArchivePath()): unknown {
  if (error instanceof ArchiveError || !(error instanceof Error)) return error
  const code = systemErrorCode(error) ?? ''
  if (/^SQLITE_(?:CORRUPT|NOTADB)/.test(code)) {
    return new ArchiveError(
      'archive-damaged',
      `Opening the archive "${path}": it is damaged (${error.message}). Move it away; the next compression makes a new one.`,
    )
  }
  if (code.startsWith('SQLITE_') || error.message.includes('ConnectionFailed')) {
    const reason = isBusy(error) ? `other processes wrote for over ${BUSY_MS / 1000} seconds` : error.message
    return new ArchiveError('archive-unavailable', `Using the archive "${path}": ${reason}.`)
  }
  if (!SYSTEM_CODE.test(code)) return error
  return new ArchiveError('archive-unavailable', `Opening the archive "${path}": ${explainSystemError(error)}.`)
}

function isBusy(error: unknown): boolean {
  return /^SQLITE_(?:BUSY|LOCKED)/.test(systemErrorCode(error) ?? '')
}
