/**
 * The upkeep of the archive: measures it, checks every byte of it, and forgets what no session
 * needs any more.
 */

import { existsSync } from 'node:fs'
import { hostname } from 'node:os'
import { dirname } from 'node:path'
import { agents } from '../agents/index.ts'
import type { Database, Dialect } from '../database/database.ts'
import { ArchiveError, reasonOf } from '../files/errors.ts'
import {
  isAtHome,
  isSessionMissing,
  listSessionFiles,
  locateStored,
} from '../sessions/find-sessions.ts'
import { type ArchivedCompression, describeDamage, listCompressions } from './compressions.ts'
import { listDamagedConversations } from './conversation-store.ts'
import { ChangesHash, type StoredChange } from './hash-pieces.ts'
import { lockArchive, withLease } from './lease.ts'
import {
  createRecordReader,
  listSpans,
  type RecordSize,
  readOriginal,
  readStoredRecords,
} from './read-original.ts'
import { searchIndexes } from './search-index.ts'

export interface ArchiveSize {
  /** Size of the database, without pages that are free for use again. */
  readonly bytes: number
  readonly compressions: number
  readonly records: number
  /** Size of the records before they were compressed. */
  readonly recordBytes: number
}

const COUNTS = `SELECT (SELECT count(*) FROM compression) AS compressions, (SELECT count(*) FROM record) AS records,
  (SELECT coalesce(sum(bytes), 0) FROM record) AS recordBytes`

export async function measureArchive(database: Database): Promise<ArchiveSize> {
  const [counts] = await database.all<Omit<ArchiveSize, 'bytes'>>(COUNTS)
  return {
    compressions: 0,
    records: 0,
    recordBytes: 0,
    ...counts,
    bytes: await measureUsedBytes(database),
  }
}

const USED: Readonly<Record<Dialect, string>> = {
  sqlite: `SELECT ((SELECT page_count FROM pragma_page_count) - (SELECT freelist_count FROM pragma_freelist_count))
    * (SELECT page_size FROM pragma_page_size) AS bytes`,
  // Files do not shrink with their rows, so their contents are added up. 60 and 100 bytes are the
  // overhead of a row, with indexes.
  postgres: `SELECT (SELECT coalesce(sum(octet_length(content) + 100), 0) FROM record)
    + (SELECT count(*) * 100 FROM piece) + (SELECT coalesce(sum(pg_column_size(words) * 2 + 60), 0) FROM search)
    + (SELECT coalesce(sum(octet_length(report) + 200), 0) FROM compression)
    + (SELECT coalesce(sum(octet_length(value) + 200), 0) FROM conversation) AS bytes`,
}

/** The bytes that count for the quota. */
export async function measureUsedBytes(database: Database): Promise<number> {
  return await readBytes(database, USED[database.dialect])
}

/** A lower bound of the used bytes, quick to compute. */
export async function measureMostBytes(database: Database): Promise<number> {
  return await readBytes(database, MOST[database.dialect])
}

const MOST: Readonly<Record<Dialect, string>> = {
  sqlite: USED.sqlite,
  postgres: `SELECT coalesce(sum(pg_total_relation_size(oid)), 0) AS bytes FROM pg_class
    WHERE relkind = 'r' AND relnamespace = to_regnamespace('precis')`,
}

async function readBytes(database: Database, sql: string): Promise<number> {
  const [row] = await database.all<{ bytes: number }>(sql)
  return row?.bytes ?? 0
}

/** Reads all of it and compares every byte with its hash. */
export interface Verified {
  readonly records: number
  readonly compressions: number
  /** All damage, in words. Empty if there is no damage. */
  readonly problems: readonly string[]
}

export async function verifyArchive(database: Database): Promise<Verified> {
  const problems: string[] = []
  await attempt(async () => problems.push(...(await checkDatabase(database))), problems)
  const records =
    (await attempt(
      () => database.all<RecordSize>('SELECT id AS record, bytes FROM record'),
      problems,
    )) ?? []
  for (let start = 0; start < records.length; start += CHECKED_AT_ONCE) {
    await checkRecords(database, records.slice(start, start + CHECKED_AT_ONCE), problems)
  }
  const compressions = (await attempt(() => listCompressions(database), problems)) ?? []
  for (const compression of compressions) await checkEntry(database, compression, problems)
  const conversations = (await attempt(() => listDamagedConversations(database), problems)) ?? []
  for (const key of conversations) problems.push(`conversation "${key}" is damaged: it begins anew`)
  return { records: records.length, compressions: compressions.length, problems }
}

const CHECKED_AT_ONCE = 500

async function checkRecords(
  database: Database,
  records: readonly RecordSize[],
  problems: string[],
): Promise<void> {
  const found: string[] = []
  await attempt(async () => {
    for await (const bytes of readStoredRecords(database, records)) bytes.at(0)
  }, found)
  if (found.length === 0) return
  // Reading ends at the first damaged one. There may be others.
  const read = createRecordReader(database)
  for (const { record } of records) await attempt(() => read(record), problems)
}

async function checkEntry(
  database: Database,
  entry: ArchivedCompression,
  problems: string[],
): Promise<void> {
  const damage = await attempt(() => describeDamage(database, entry), problems)
  if (damage !== undefined) problems.push(damage)
  const spans = (await attempt(() => listSpans(database, entry), problems)) ?? []
  const broken = spans.filter(({ damaged }) => damaged)
  for (const { span, damaged } of broken)
    problems.push(`span ${span} of entry ${entry.name} is damaged: ${damaged?.join(', ')}`)
  if (broken.length === 0) await attempt(() => checkChanges(database, entry), problems)
  await attempt(() => readOriginal(database, entry), problems)
}

/** Entries from before this hash was recorded have none, and older files no column for it. */
async function checkChanges(database: Database, { id, name }: ArchivedCompression): Promise<void> {
  const [stored] = await database.all<{ changesHash?: unknown }>(
    'SELECT * FROM compression WHERE id = ?',
    [id],
  )
  const expected = stored?.changesHash ?? null
  if (expected === null) return
  const hash = new ChangesHash()
  const rows = await database.all<StoredChange>(
    'SELECT position, span, fate, label FROM piece WHERE compression = ? ORDER BY position',
    [id],
  )
  for (const row of rows) hash.add(row)
  if (expected instanceof Uint8Array && hash.digest().equals(expected)) return
  throw new ArchiveError(
    'archive-damaged',
    `entry ${name} (number ${id}) of the archive is damaged: the number, fate or label of a span`,
  )
}

/** PostgreSQL checks its own pages when it reads them. */
async function checkDatabase(database: Database): Promise<string[]> {
  if (database.dialect === 'postgres') return []
  const rows = await database.all<{ line: unknown }>(
    'SELECT integrity_check AS line FROM pragma_integrity_check',
  )
  return rows.map(({ line }) => String(line)).filter((line) => line !== 'ok')
}

/** In a damaged file any step may fail, and the next one may not. */
async function attempt<T>(step: () => Promise<T>, problems: string[]): Promise<T | undefined> {
  try {
    return await step()
  } catch (error) {
    problems.push(reasonOf(error))
    return undefined
  }
}

export interface Collected {
  readonly compressions: number
  readonly records: number
}

// A session is written after its entry, and a large one takes its time.
const GRACE_MS = 3_600_000
const LEASE = { ttlMs: 30_000, waitMs: 120_000 }
// Processes that store wait for one of these, not for all.
const FORGOTTEN_AT_ONCE = 5000

/**
 * How long state without a file is kept: an original that came through the gateway, after the last
 * compaction of its conversation, and the gateway's own state, after its last use.
 */
export const KEPT_DAYS = 30
const DAY_MS = 86_400_000

/**
 * An entry is needed while its session exists, or a later session that came from it. An entry whose
 * result went to standard output stays, because its result cannot be looked for. So does an entry
 * of another machine. A damaged entry and all older ones stay, because any of them may be its
 * origin. A compaction without a file is needed for some time. One process runs this at a time.
 */
export async function collectGarbage(database: Database, now = Date.now()): Promise<Collected> {
  return await withLease(database, 'collection', LEASE, async (signal) => {
    const compressions = await forgetCompressions(database, now)
    let records = 0
    const [{ newest } = { newest: 0 }] = await database.all<{ newest: number }>(
      'SELECT coalesce(max(id), 0) AS newest FROM record',
    )
    for (let from = 0; from < newest; from += FORGOTTEN_AT_ONCE) {
      signal.throwIfAborted()
      records += await forgetRecords(database, from, from + FORGOTTEN_AT_ONCE)
    }
    return { compressions, records }
  })
}

async function forgetCompressions(database: Database, now: number): Promise<number> {
  return await database.transaction(async (transaction) => {
    await lockArchive(transaction, 'alone')
    const entries = await listCompressions(transaction)
    const needed = findNeeded(entries, now, database.dialect === 'sqlite' ? undefined : hostname())
    const gone = entries.filter(({ id }) => !needed.has(id))
    for (const { id } of gone) await transaction.run('DELETE FROM compression WHERE id = ?', [id])
    return gone.length
  })
}

async function forgetRecords(database: Database, from: number, to: number): Promise<number> {
  return await database.transaction(async (transaction) => {
    await lockArchive(transaction, 'alone')
    await searchIndexes[database.dialect].removeUnused(transaction, from, to)
    const { changes } = await transaction.run(
      `DELETE FROM record WHERE id > ? AND id <= ?
       AND NOT EXISTS (SELECT 1 FROM piece WHERE piece.record = record.id)`,
      [from, to],
    )
    return changes
  })
}

/** Returns free space to the file system, or to later compressions. */
export async function shrinkArchive(database: Database): Promise<void> {
  const steps = {
    sqlite: ['PRAGMA incremental_vacuum', 'PRAGMA wal_checkpoint(TRUNCATE)'],
    postgres: ['VACUUM record', 'VACUUM piece', 'VACUUM search', 'VACUUM compression'],
  }
  for (const step of steps[database.dialect]) await database.all(step)
}

/** With a host only its own files can be looked for. */
function findNeeded(
  entries: readonly ArchivedCompression[],
  now: number,
  host: string | undefined,
): Set<number> {
  const needed = new Set<number>()
  const origins = new Set<string>()
  let isUnknown = false
  const isListed = createSearchForListed()
  const isThere = ({ sessionId, path, command, storedAt, host: own }: ArchivedCompression) => {
    if (host !== undefined && own !== host) return true
    // Nothing tells when the conversation of a gateway ends.
    if (path === null && command === 'compact')
      return now - Date.parse(storedAt) < KEPT_DAYS * DAY_MS || isListed(sessionId)
    if (path === null) return true
    return !isGone(path) || isListed(sessionId) || isSetAside(sessionId, path)
  }
  // Newest first: a result of an entry was seen before it.
  for (const entry of entries) {
    const { id, sessionId, path, originalId, originalPath, storedAt } = entry
    isUnknown ||= entry.damaged !== undefined
    const isYoung = now - Date.parse(storedAt) < GRACE_MS
    const ownId = sessionId?.replace(OWNER, '') ?? null
    const isOrigin =
      origins.has(`id ${sessionId}`) || origins.has(`id ${ownId}`) || origins.has(`path ${path}`)
    if (!isUnknown && !isYoung && !isOrigin && !isThere(entry)) continue
    needed.add(id)
    // As `listGenerations` follows them.
    if (originalId !== null) origins.add(`id ${originalId}`)
    else if (originalPath !== null) origins.add(`path ${originalPath}`)
  }
  return needed
}

/**
 * If the folder is missing too, it may be on a drive that is not mounted. The home of an agent is
 * mounted if it is there.
 */
function isGone(path: string): boolean {
  if (!isSessionMissing(path)) return false
  const file = locateStored(path)?.file ?? path
  return (
    existsSync(dirname(file)) ||
    agents.some((agent) => isAtHome(agent, file) && existsSync(agent.findHome(process.env)))
  )
}

// The gateway adds the owner of a session to its id.
const OWNER = /\.[0-9a-f]{12}$/

/** A session may be elsewhere: imported into a database, or in the folder of a project that moved. */
function createSearchForListed(): (sessionId: string | null) => boolean {
  let ids: Set<string> | undefined
  const shortLengths = agents.flatMap((agent) => agent.ids.charactersInNames ?? [])
  return (sessionId) => {
    if (sessionId === null) return false
    // Sessions are listed only if a session is not at its recorded path.
    ids ??= new Set(listSessionFiles().map(({ id }) => id.toLowerCase()))
    const id = sessionId.toLowerCase().replace(OWNER, '')
    return ids.has(id) || shortLengths.some((length) => ids?.has(id.slice(0, length)))
  }
}

/** Whether its agent put it away. A document without an id is nothing of an agent. */
const isSetAside = (sessionId: string | null, path: string): boolean =>
  sessionId !== null &&
  agents.some((agent) => existsSync(agent.findSetAside?.(path, process.env) ?? ''))
