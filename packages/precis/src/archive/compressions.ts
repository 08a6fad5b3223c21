/** The journal: which session was made from which original. */
import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import type { Database, DatabaseValue } from '../database/database.ts'
import { type Columns, readStoredRow } from '../database/stored-row.ts'
import { ArchiveError } from '../files/errors.ts'
import { findRealPath } from '../files/find-real-path.ts'
import { type JsonObject, parseObject } from '../files/lines.ts'
import { lockArchive } from './lease.ts'

/**
 * One entry. Ids and paths are null if there were none: standard input and output, documents
 * without an id.
 */
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
  /** SHA-256 in hexadecimal digits. */
  readonly originalHash: string
  readonly originalBytes: number
  /**
   * Bytes of the new session as it was written. Null while it is being written, and in entries from
   * before sizes were recorded.
   */
  readonly resultBytes: number | null
  /** SHA-256 in hexadecimal digits. */
  readonly resultHash: string | null
  readonly resultMessages: number | null
  /** The machine that wrote it. Null in entries from before machines were recorded. */
  readonly host: string | null
  /** Damaged columns, whose values here are substitutes. Missing if no column is damaged. */
  readonly damaged?: readonly string[]
}

interface CompressionRow
  extends Omit<ArchivedCompression, 'originalHash' | 'resultHash' | 'damaged'> {
  readonly originalHash: Buffer
  readonly resultHash: Buffer | null
}

const COLUMNS: Columns<CompressionRow> = {
  id: 'number',
  name: 'text',
  command: 'text',
  storedAt: 'time',
  format: 'text',
  sessionId: 'text?',
  path: 'text?',
  originalId: 'text?',
  originalPath: 'text?',
  originalHash: 'bytes',
  originalBytes: 'number',
  resultBytes: 'number?',
  resultHash: 'bytes?',
  resultMessages: 'number?',
  host: 'text?',
}

/** Newest first. */
export async function listCompressions(
  database: Database,
  limit = Number.MAX_SAFE_INTEGER,
): Promise<ArchivedCompression[]> {
  return await select(database, 'ORDER BY id DESC LIMIT ?', [limit])
}

async function select(
  database: Database,
  which: string,
  values: readonly DatabaseValue[],
): Promise<ArchivedCompression[]> {
  const columns = Object.keys(COLUMNS).join(', ')
  const rows = await database.all(`SELECT ${columns} FROM compression ${which}`, values)
  return rows.map((found) => {
    const { row, damaged } = readStoredRow(found, COLUMNS)
    return {
      ...row,
      originalHash: row.originalHash.toString('hex'),
      resultHash: row.resultHash?.toString('hex') ?? null,
      ...(damaged.length > 0 && { damaged }),
    }
  })
}

/**
 * An agent that compacts a session in place leaves an entry of it, with its own id and path. The
 * entry that made the session is another one:
 *
 *   compress   original ──► session          made the session; its original is another session
 *   compact                 session ⟲        taken of the session, as it was before
 */
const MADE = "command <> 'compact'"
const ALL = '1 = 1'
const MADE_FIRST = `ORDER BY CASE WHEN ${MADE} THEN 0 ELSE 1 END, id DESC`
// In the other order: it took everything, and a compression with the same original maybe less.
const TAKEN_FIRST = `ORDER BY CASE WHEN ${MADE} THEN 1 ELSE 0 END, id DESC`
const NEWEST = 'ORDER BY id DESC LIMIT 1'

/**
 * Finds the entry that made a session from its original. It tries path or id of the written
 * session, then the name of the entry, then path, id or SHA-256 of an original. An id may be any
 * unique beginning, and a hash at least twelve digits. The latest match wins. An entry taken of the
 * session itself is used only if there is no other. Throws `ArchiveError`.
 */
export async function findCompression(
  database: Database,
  session: string,
): Promise<ArchivedCompression> {
  return await findFirst(database, session, [
    () => select(database, `WHERE path = ? AND ${MADE} ${NEWEST}`, [findRealPath(session)]),
    () => findBeginning(database, 'sessionId', session, MADE),
    ...listOtherWays(database, session, MADE_FIRST),
  ])
}

/**
 * The newest entry of a session, whether it made the session or was made from it: a search in what
 * was removed starts there.
 */
export async function findNewestEntry(
  database: Database,
  session: string,
): Promise<ArchivedCompression> {
  return await findFirst(database, session, [
    async () => {
      const [found] = await select(database, `WHERE path = ? ${NEWEST}`, [findRealPath(session)])
      // If it was moved since, later entries have another path.
      return found?.sessionId && !found.damaged
        ? await select(database, `WHERE sessionId = ? ${NEWEST}`, [found.sessionId])
        : [found]
    },
    () => findBeginning(database, 'sessionId', session),
    ...listOtherWays(database, session, TAKEN_FIRST),
  ])
}

type Way = () => Promise<readonly (ArchivedCompression | undefined)[]>

function listOtherWays(database: Database, session: string, order: string): Way[] {
  return [
    () => findBeginning(database, 'name', session),
    () => select(database, `WHERE originalPath = ? ${order} LIMIT 1`, [findRealPath(session)]),
    () => findBeginning(database, 'originalId', session, ALL, order),
    () => findOriginal(database, session, order),
  ]
}

async function findFirst(
  database: Database,
  session: string,
  ways: readonly Way[],
): Promise<ArchivedCompression> {
  for (const way of ways) {
    const [first] = await way()
    if (first) return first
  }
  const damaged = (await listCompressions(database)).filter((entry) => entry.damaged)
  const names = damaged.slice(0, MOST_SHOWN).map(({ name }) => name)
  const hint =
    names.length > 0 ? ` Entries that are damaged may be of it: ${names.join(', ')}.` : ''
  throw new ArchiveError(
    'not-archived',
    `Looking up "${session}" in the archive: nothing of it is kept. Give a session that precis compressed or cloned, by id or path. "precis archive" lists them.${hint}`,
  )
}

const SHORTEST_ID = 3

async function findBeginning(
  database: Database,
  column: 'sessionId' | 'name' | 'originalId',
  text: string,
  condition = ALL,
  order = 'ORDER BY id DESC',
) {
  const id = text.toLowerCase()
  if (id.length < SHORTEST_ID) return []
  // Characters as the database counts them.
  const { length } = Array.from(id)
  const where = `WHERE substr(lower(${column}), 1, ?) = ? AND ${condition} ${order}`
  const begun = await select(database, where, [length, id])
  // The gateway stores a session under its id and its owner, which begins with the id itself.
  const whole = begun.filter((entry) => String(entry[column]).toLowerCase() === id)
  const found = whole.length > 0 ? whole : begun
  assertOne(text, found, (entry) => String(entry[column]))
  return found
}

const HASH = /^[0-9a-f]{12,64}$/i

async function findOriginal(database: Database, text: string, order: string) {
  if (!HASH.test(text)) return []
  const found = await select(database, `WHERE originalHash >= ? AND originalHash <= ? ${order}`, [
    Buffer.from(text.padEnd(64, '0'), 'hex'),
    Buffer.from(text.padEnd(64, 'f'), 'hex'),
  ])
  assertOne(text, found, ({ originalHash }) => originalHash)
  return found
}

const MOST_SHOWN = 10

function assertOne(
  session: string,
  found: readonly ArchivedCompression[],
  name: (entry: ArchivedCompression) => string,
): void {
  const names = [...new Set(found.map(name))]
  if (names.length < 2) return
  const shown = names.slice(0, MOST_SHOWN).map((each) => `\n  ${each}`)
  throw new ArchiveError(
    'ambiguous-session',
    `Looking up "${session}" in the archive: ${names.length} sessions start like this. Give more of the id:${shown.join('')}`,
  )
}

/**
 * Whether the gateway answered the compaction that an entry was taken for. If so, it stored its
 * summary after that, under the id of the session and its owner.
 */
export async function isAnswered(
  database: Database,
  { id, sessionId }: ArchivedCompression,
): Promise<boolean> {
  const beginning = `${sessionId}.`
  const values = [id, Array.from(beginning).length, beginning]
  const found = await select(
    database,
    `WHERE id > ? AND substr(sessionId, 1, ?) = ? AND NOT ${MADE} ${NEWEST}`,
    values,
  )
  return found.length > 0
}

/** Entries that were taken of a session before its agent compacted it in place, newest first. */
export async function listTaken(
  database: Database,
  sessionId: string | undefined,
  path: string | undefined,
): Promise<ArchivedCompression[]> {
  const [column, value] = sessionId === undefined ? ['path', path] : ['sessionId', sessionId]
  return await select(database, `WHERE ${column} = ? AND NOT ${MADE} ORDER BY id DESC`, [
    value ?? null,
  ])
}

/** The entry and those its original came from in turn, newest first. */
export async function listGenerations(
  database: Database,
  newest: ArchivedCompression,
): Promise<ArchivedCompression[]> {
  const generations: ArchivedCompression[] = []
  const seen = new Set<number>()
  for (let entry: ArchivedCompression | undefined = newest; entry && !seen.has(entry.id); ) {
    seen.add(entry.id)
    generations.push(entry)
    const { id, originalId, originalPath }: ArchivedCompression = entry
    const [column, original] =
      originalId === null ? ['path', originalPath] : ['sessionId', originalId]
    // One that an agent compacted in its place came from itself, as it was before.
    ;[entry] = await select(database, `WHERE ${column} = ? AND id < ? ${NEWEST}`, [original, id])
  }
  return generations
}

/**
 * Notes that another session goes on like the result of an entry, as undo makes one: what was
 * removed from the one was removed from the other, and is needed as long. `resultMessages` is how
 * many messages of the result both begin with. Returns the new name.
 */
export async function repeatEntry(
  database: Database,
  { id }: ArchivedCompression,
  {
    sessionId,
    path,
    resultMessages,
  }: { readonly sessionId: string; readonly path: string } & Pick<
    ArchivedCompression,
    'resultMessages'
  >,
): Promise<string> {
  const name = randomBytes(5).toString('hex')
  const same =
    'command, format, originalId, originalPath, originalHash, originalBytes, report, changesHash'
  const own = [name, new Date().toISOString(), hostname(), sessionId, path, resultMessages]
  await database.transaction(async (transaction) => {
    await lockArchive(transaction, 'shared')
    const [row] = await transaction.all<{ id: number }>(
      `INSERT INTO compression (name, storedAt, host, sessionId, path, resultMessages, ${same})
       SELECT ?, ?, ?, ?, ?, CAST(? AS INTEGER), ${same} FROM compression WHERE id = ? RETURNING id`,
      [...own, id],
    )
    // A collection may have been faster.
    if (!row) return
    const piece = 'position, record, span, fate, label'
    await transaction.run(
      `INSERT INTO piece (compression, ${piece}) SELECT ?, ${piece} FROM piece WHERE compression = ?`,
      [row.id, id],
    )
  })
  return name
}

/** The report of the command, as it was stored. Empty if it is damaged. */
export async function readReport(
  database: Database,
  entry: ArchivedCompression,
): Promise<JsonObject> {
  return (await findReport(database, entry)) ?? {}
}

async function findReport(
  database: Database,
  { id }: ArchivedCompression,
): Promise<JsonObject | undefined> {
  const [row] = await database.all<{ report: unknown }>(
    'SELECT report FROM compression WHERE id = ?',
    [id],
  )
  return typeof row?.report === 'string' ? parseObject(Buffer.from(row.report)) : undefined
}

/** The damage of an entry in words, except in its original. Undefined if nothing is damaged. */
export async function describeDamage(
  database: Database,
  entry: ArchivedCompression,
): Promise<string | undefined> {
  const report = (await findReport(database, entry)) === undefined ? ['report'] : []
  const columns = [...(entry.damaged ?? []), ...report]
  if (columns.length === 0) return undefined
  return `entry ${entry.name} (number ${entry.id}) of the archive is damaged: ${columns.join(', ')}`
}

/** The result as it was written, to detect later changes. */
export interface WrittenResult {
  readonly bytes: number
  /** SHA-256 in hexadecimal digits. */
  readonly hash: string
  readonly messages?: number | undefined
}

export async function recordResult(
  database: Database,
  name: string,
  { bytes, hash, messages }: WrittenResult,
): Promise<void> {
  const columns = 'resultBytes = ?, resultHash = ?, resultMessages = ?'
  const values = [bytes, Buffer.from(hash, 'hex'), messages ?? null, name]
  await database.run(`UPDATE compression SET ${columns} WHERE name = ?`, values)
}

/** The next collection removes its records. */
export async function forgetCompression(database: Database, name: string): Promise<void> {
  await database.run('DELETE FROM compression WHERE name = ?', [name])
}
