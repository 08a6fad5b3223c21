/** Stores an original, record by record, with the facts of its compression. */
import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { setImmediate } from 'node:timers/promises'
import type { ByteSource } from '@precis/core/formats'
import { type Database, type DatabaseValue, insertRows, selectIn } from '../database/database.ts'
import { ArchiveError } from '../files/errors.ts'
import { collectGarbage, measureMostBytes, measureUsedBytes } from './check-archive.ts'
import { BYTES_AT_ONCE, type EncodedPiece, encodePieces, sourceChanged } from './encode-pieces.ts'
import {
  ChangesHash,
  type HashedPieces,
  hashPieces,
  isGone,
  type RecordChange,
} from './hash-pieces.ts'
import { lockArchive } from './lease.ts'
import { searchIndexes } from './search-index.ts'

/** An original and its compression, before the result is written. */
export interface StoredOriginal {
  /** `compact`: an agent's own compaction, in place. */
  readonly command: 'compress' | 'clone' | 'compact'
  readonly source: ByteSource
  /** SHA-256 of the source when it was parsed, if it may have changed since. */
  readonly parsedHash?: string | undefined
  readonly format: string
  readonly sessionId: string | undefined
  /** Absolute. Undefined for standard input. */
  readonly path: string | undefined
  readonly changes: ReadonlyMap<number, RecordChange>
  /** The path of the result, as far as it has a name. */
  readonly newSessionId: string | undefined
  readonly newPath: string | undefined
  /** Plain JSON. */
  readonly report: object
}

export interface Stored {
  /** Names the entry: ten hexadecimal digits. */
  readonly name: string
  /** SHA-256 of the original, in hexadecimal digits. */
  readonly hash: string
  /** Records that were removed or changed. */
  readonly spans: number
}

const PIECES_AT_ONCE = 500
// The expected size of a stored record with its words.
const EXPECTED_SHARE = 0.6

/**
 * Throws `ArchiveError` if the archive would exceed `quotaBytes` with it, even after a collection,
 * and `SessionError` if the source changes meanwhile. Then it has no entry.
 *
 *   hash all │ records, a few megabytes in each transaction │ entry and pieces, in one
 *
 * Slow work is done before a lock is taken, and no lock is held for long. A process that is killed
 * leaves records without an entry, which the next collection deletes. An entry has all of its
 * pieces or does not exist.
 */
export async function storeOriginal(
  database: Database,
  original: StoredOriginal,
  quotaBytes: number,
): Promise<Stored> {
  const { source } = original
  const pieces = await hashPieces(source, original.format, original.changes)
  const { parsedHash = pieces.hash.toString('hex') } = original
  if (pieces.hash.toString('hex') !== parsedHash) throw sourceChanged()
  await makeRoom(database, pieces, source, quotaBytes)
  await storeAhead(database, pieces, source)
  return await database.transaction((transaction) => writeEntry(transaction, original, pieces))
}

async function makeRoom(
  database: Database,
  pieces: HashedPieces,
  { byteLength }: ByteSource,
  quotaBytes: number,
): Promise<void> {
  if ((await measureMostBytes(database)) + byteLength * EXPECTED_SHARE <= quotaBytes) return
  const neededBytes = (await measureMissing(database, pieces)) * EXPECTED_SHARE
  if ((await measureUsedBytes(database)) + neededBytes <= quotaBytes) return
  await collectGarbage(database)
  const bytes = await measureUsedBytes(database)
  // What was collected may have been part of it.
  const stillNeeded = (await measureMissing(database, pieces)) * EXPECTED_SHARE
  if (bytes + stillNeeded > quotaBytes) throw full(bytes, stillNeeded, quotaBytes)
}

async function measureMissing(database: Database, pieces: HashedPieces): Promise<number> {
  let bytes = 0
  for (const [from, to] of listStretches(pieces)) {
    for (const index of await findMissingRecords(database, pieces, from, to)) {
      const { start, end } = pieces.rangeAt(index)
      bytes += end - start
    }
  }
  return bytes
}

function* listStretches({ count }: HashedPieces): Generator<readonly [number, number]> {
  for (let from = 0; from < count; from += PIECES_AT_ONCE)
    yield [from, Math.min(from + PIECES_AT_ONCE, count)]
}

async function storeAhead(
  database: Database,
  pieces: HashedPieces,
  source: ByteSource,
): Promise<void> {
  let encoded: EncodedPiece[] = []
  let bytes = 0
  const store = async () => {
    const batch = encoded
    encoded = []
    bytes = 0
    if (batch.length > 0)
      await database.transaction((transaction) => storeRecords(transaction, batch))
  }
  for (const [from, to] of listStretches(pieces)) {
    const missing = await findMissingRecords(database, pieces, from, to)
    for await (const piece of encodePieces(source, pieces, missing)) {
      encoded.push(piece)
      bytes += piece.bytes
      if (bytes >= BYTES_AT_ONCE) await store()
    }
    // An interruption gets through here.
    await setImmediate()
  }
  await store()
}

const ENTRY =
  'INSERT INTO compression (name, command, storedAt, format, sessionId, path, originalId, originalPath, originalHash, originalBytes, report, host)'
const PIECE = 'INSERT INTO piece (compression, position, record, span, fate, label)'

async function writeEntry(
  transaction: Database,
  original: StoredOriginal,
  pieces: HashedPieces,
): Promise<Stored> {
  await lockArchive(transaction, 'shared')
  const { command, source, format, sessionId, path, newSessionId, newPath, report } = original
  const name = randomBytes(5).toString('hex')
  const entry: DatabaseValue[] = [
    name,
    command,
    new Date().toISOString(),
    format,
    newSessionId ?? null,
    newPath ?? null,
    sessionId ?? null,
    path ?? null,
    pieces.hash,
    source.byteLength,
    JSON.stringify(report),
    hostname(),
  ]
  const [{ id } = { id: 0 }] = await insertRows<{ id: number }>(
    transaction,
    ENTRY,
    [entry],
    'RETURNING id',
  )
  let spans = 0
  const changes = new ChangesHash()
  for (const [from, to] of listStretches(pieces)) {
    const ids = await findIds(transaction, pieces, source, from, to)
    const rows: DatabaseValue[][] = []
    for (let index = from; index < to; index++) {
      const change = pieces.changeAt(index)
      const span = isGone(change) ? ++spans : null
      const { fate, label } = change ?? { fate: null, label: null }
      changes.add({ position: index, span, fate, label })
      rows.push([id, index, ids(index), span, fate, label])
    }
    await insertRows(transaction, PIECE, rows)
  }
  await transaction.run('UPDATE compression SET changesHash = ? WHERE id = ?', [
    changes.digest(),
    id,
  ])
  return { name, hash: pieces.hash.toString('hex'), spans }
}

/** A collection may have been between. */
async function findIds(
  transaction: Database,
  pieces: HashedPieces,
  source: ByteSource,
  from: number,
  to: number,
) {
  const missing = await findMissingRecords(transaction, pieces, from, to)
  for await (const piece of encodePieces(source, pieces, missing))
    await storeRecords(transaction, [piece])
  const records = await findRecords(transaction, pieces, from, to)
  return (index: number): number => {
    const record = records.get(pieceKeyOf(pieces, index))
    if (!record) throw damaged()
    return record.id
  }
}

/** A record that is there and is not found by its hash. */
function damaged(): ArchiveError {
  return new ArchiveError(
    'archive-damaged',
    'Keeping the original: a record of it is in the archive, and is damaged. "precis archive verify" names it.',
  )
}

function full(bytes: number, newBytes: number, quotaBytes: number): ArchiveError {
  const mega = (value: number) => `${Math.ceil(value / 1_000_000)} MB`
  return new ArchiveError(
    'archive-full',
    `Keeping the original: the archive has ${mega(bytes)}, this needs ${mega(newBytes)} more, and the quota is ${mega(quotaBytes)}. Delete compressed sessions you no longer need and run "precis archive gc", or raise "archive.quotaMegabytes".`,
  )
}

interface KnownRecord {
  readonly id: number
  readonly hash: Buffer
  readonly isIndexed: number
}

/** Ids and whether their words are kept, by hash in base64. */
async function findRecords(
  database: Database,
  pieces: HashedPieces,
  from: number,
  to: number,
): Promise<Map<string, KnownRecord>> {
  const hashes = new Map<string, Buffer>()
  for (let index = from; index < to; index++)
    hashes.set(pieceKeyOf(pieces, index), pieces.hashAt(index))
  const rows = await selectIn<KnownRecord>(
    database,
    'SELECT id, hash, isIndexed FROM record WHERE hash',
    [...hashes.values()],
  )
  return new Map(rows.map((row) => [row.hash.toString('base64'), row]))
}

function pieceKeyOf(pieces: HashedPieces, index: number): string {
  return pieces.hashAt(index).toString('base64')
}

/** Records of a stretch that the archive lacks, or whose words it lacks. */
async function findMissingRecords(
  database: Database,
  pieces: HashedPieces,
  from: number,
  to: number,
): Promise<number[]> {
  const known = await findRecords(database, pieces, from, to)
  const seen = new Set<string>()
  const missing: number[] = []
  for (let index = from; index < to; index++) {
    const key = pieceKeyOf(pieces, index)
    const record = known.get(key)
    const isSpan = isGone(pieces.changeAt(index))
    const place = `${key}${isSpan}`
    if (seen.has(place) || (record && (!isSpan || record.isIndexed === 1))) continue
    seen.add(place)
    missing.push(index)
  }
  return missing
}

/** Inside a transaction. What another process stored meanwhile stays as it is. */
async function storeRecords(
  transaction: Database,
  encoded: readonly EncodedPiece[],
): Promise<void> {
  await lockArchive(transaction, 'shared')
  // In one order, so that no two processes wait for each other.
  const ordered = [...encoded].sort((one, other) => Buffer.compare(one.hash, other.hash))
  const texts = new Map(
    ordered.flatMap(({ hash, text }) =>
      text === undefined ? [] : [[hash.toString('base64'), text] as const],
    ),
  )
  const rows = ordered.map(({ hash, bytes, isDeflated, content }): DatabaseValue[] => [
    hash,
    bytes,
    isDeflated ? 1 : 0,
    texts.has(hash.toString('base64')) ? 1 : 0,
    content,
  ])
  const stored = await insertRows<{ id: number; hash: Buffer }>(
    transaction,
    'INSERT INTO record (hash, bytes, isDeflated, isIndexed, content)',
    rows,
    'ON CONFLICT (hash) DO NOTHING RETURNING id, hash',
  )
  const added = stored.flatMap(({ id, hash }) => take(texts, hash.toString('base64'), id))
  for (const key of Array.from(texts.keys())) {
    const [record] = await transaction.all<{ id: number }>(
      'UPDATE record SET isIndexed = 1 WHERE hash = ? AND isIndexed = 0 RETURNING id',
      [Buffer.from(key, 'base64')],
    )
    if (record) added.push(...take(texts, key, record.id))
  }
  await searchIndexes[transaction.dialect].add(transaction, added)
}

function take(texts: Map<string, string>, key: string, record: number) {
  const text = texts.get(key)
  texts.delete(key)
  return text === undefined ? [] : [{ record, text }]
}
