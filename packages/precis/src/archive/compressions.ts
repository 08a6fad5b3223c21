/** The journal: what was made of what. */
import { existsSync, realpathSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { type JsonObject, parseObject } from '../sessions/lines.ts'
import { ArchiveError } from './archive-error.ts'
import type { Sqlite } from './sqlite.ts'

/** One entry. Ids and paths are null where there were none: standard input and output, documents without an id. */
export interface ArchivedCompression {
  readonly id: number
  /** Ten hexadecimal digits. */
  readonly name: string
  readonly command: string
  /** ISO 8601. */
  readonly storedAt: string
  readonly format: string
  readonly sessionId: string | null
  readonly path: string | null
  readonly originalId: string | null
  readonly originalPath: string | null
  readonly originalBytes: number
}

const COLUMNS = 'id, name, command, storedAt, format, sessionId, path, originalId, originalPath, originalBytes'

/** Newest first. */
export function listCompressions(database: Sqlite, limit = -1): ArchivedCompression[] {
  return database
    .prepare(`SELECT ${COLUMNS} FROM compression ORDER BY id DESC LIMIT ?`)
    .all([limit]) as ArchivedCompression[]
}

/**
 * By path or id of the session that was written, by name of the entry, or by path or id of an original, in this order;
 * ids by any unique beginning. The newest where there are several. Throws `ArchiveError`.
 */
export function findCompression(database: Sqlite, session: string): ArchivedCompression {
  const path = findRealPath(session)
  const id = session.toLowerCase()
  const starts = (value: string | null) => id.length >= SHORTEST_ID && value?.toLowerCase().startsWith(id) === true
  const all = listCompressions(database)
  const ways: ((entry: ArchivedCompression) => string | false | null)[] = [
    (entry) => entry.path === path && entry.path,
    (entry) => starts(entry.sessionId) && entry.sessionId,
    (entry) => starts(entry.name) && entry.name,
    (entry) => entry.originalPath === path && entry.originalPath,
    (entry) => starts(entry.originalId) && entry.originalId,
  ]
  for (const way of ways) {
    const found = all.filter(way)
    const names = new Set(found.map(way))
    if (names.size > 1) throw ambiguous(session, [...names].map(String))
    if (found[0]) return found[0]
  }
  throw new ArchiveError(
    'not-archived',
    `Looking up "${session}" in the archive: nothing of it is kept. Give a session that precis compressed or cloned, by id or path; "precis archive" lists them.`,
  )
}

const SHORTEST_ID = 3
const MOST_SHOWN = 10

function ambiguous(session: string, names: readonly string[]): ArchiveError {
  const shown = names.slice(0, MOST_SHOWN).map((name) => `\n  ${name}`)
  return new ArchiveError(
    'ambiguous-session',
    `Looking up "${session}" in the archive: ${names.length} sessions start like this. Give more of the id:${shown.join('')}`,
  )
}

/** The entry and those its original came from in turn, newest first. */
export function listGenerations(database: Sqlite, newest: ArchivedCompression): ArchivedCompression[] {
  // Of several of one id the newest comes last.
  const bySession = new Map(
    listCompressions(database)
      .reverse()
      .map((entry) => [entry.sessionId, entry]),
  )
  const generations: ArchivedCompression[] = []
  const seen = new Set<number>()
  for (let entry: ArchivedCompression | undefined = newest; entry && !seen.has(entry.id); ) {
    seen.add(entry.id)
    generations.push(entry)
    entry = entry.originalId === null ? undefined : bySession.get(entry.originalId)
  }
  return generations
}

/** What the command reported, as it was stored. */
export function readReport(database: Sqlite, { id }: ArchivedCompression): JsonObject {
  const [row] = database.prepare('SELECT report FROM compression WHERE id = ?').all([id]) as { report: string }[]
  return parseObject(Buffer.from(row?.report ?? '{}')) ?? {}
}

/** Absolute and without links, also of a file that is not there yet. */
export function findRealPath(path: string): string {
  if (existsSync(path)) return realpathSync(path)
  const folder = dirname(path)
  return join(existsSync(folder) ? realpathSync(folder) : resolve(folder), basename(path))
}
