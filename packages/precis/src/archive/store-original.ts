/** Keeps an original, record by record, together with what is to be known of the compression. */
import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { setImmediate } from 'node:timers/promises'
import type { ByteSource, FormatName } from '@precis/core/formats'
import type { Database, DatabaseValue } from '../database/database.ts'
import { insertRows } from '../database/insert-rows.ts'
import { ArchiveError } from './archive-error.ts'
import { lockArchive } from './archive-lock.ts'
import { collectGarbage } from './collect-garbage.ts'
import { type HashedPieces, hashPieces, isGone } from './hash-pieces.ts'
import { measureMostBytes, measureUsedBytes } from './measure-archive.ts'
import type { RecordFate } from './record-fates.ts'
import { type EncodedPiece, encodePieces, findMissing, findRecords, keyOf, storeRecords } from './store-records.ts'

/** What a compression does, told before its result is written. */
export interface Original {
  /** `compact`: an agent's own compaction, in place. */
  readonly command: 'compress' | 'clone' | 'compact'
  readonly source: ByteSource
  readonly format: FormatName
  readonly sessionId: string | undefined
  /** Absolute; undefined for standard input. */
  readonly path: string | undefined
  readonly fates: ReadonlyMap<number, RecordFate>
  /** Where the result goes, as far as it has a name. */
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
const BYTES_AT_ONCE = 8 << 20
// Of a record, with its words.
const EXPECTED_SHARE = 0.6

/**
 * Throws `ArchiveError` when the archive would be larger than `quotaBytes` with it, also after a collection.
 *
 *   hash all │ records, a few megabytes in each transaction │ entry and pieces, in one
 *
 * What is slow is done before a lock is taken, and no lock is held for long. A process that is killed leaves records that
 * nothing needs, which the next collection forgets; an entry is there with all of its pieces or not at all.
 */
export async function storeOriginal(database: Database, original: Original, quotaBytes: number): Promise<Stored> {
  const { source } = original
  const pieces = await hashPieces(source, original.format, original.fates)
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
    for (const index of await findMissing(database, pieces, from, to)) {
      const { start, end } = pieces.rangeAt(index)
      bytes += end - start
    }
  }
  return bytes
}

function* listStretches({ count }: HashedPieces): Generator<readonly [number, number]> {
  for (let from = 0; from < count; from += PIECES_AT_ONCE) yield [from, Math.min(from + PIECES_AT_ONCE, count)]
}

async function storeAhead(database: Database, pieces: HashedPieces, source: ByteSource): Promise<void> {
  let encoded: EncodedPiece[] = []
  let bytes = 0
  const store = async () => {
    const batch = encoded
    encoded = []
    bytes = 0
    if (batch.length > 0) await database.transaction((transaction) => storeRecords(transaction, batch))
  }
  for (const [from, to] of listStretches(pieces)) {
    const missing = await findMissing(database, pieces, from, to)
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

async function writeEntry(transaction: Database, original: Original, pieces: HashedPieces): Promise<Stored> {
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
  const [{ id } = { id: 0 }] = await insertRows<{ id: number }>(transaction, ENTRY, [entry], 'RETURNING id')
  let spans = 0
  for (const [from, to] of listStretches(pieces)) {
    const ids = await findIds(transaction, pieces, source, from, to)
    const rows: DatabaseValue[][] = []
    for (let index = from; index < to; index++) {
      const fate = pieces.fateAt(index)
      const span = isGone(fate) ? ++spans : null
      rows.push([id, index, ids(index), span, fate?.fate ?? null, fate?.label ?? null])
    }
    await insertRows(transaction, PIECE, rows)
  }
  return { name, hash: pieces.hash.toString('hex'), spans }
}

/** A collection may have been between. */
async function findIds(transaction: Database, pieces: HashedPieces, source: ByteSource, from: number, to: number) {
  const missing = await findMissing(transaction, pieces, from, to)
  for await (const piece of encodePieces(source, pieces, missing)) await storeRecords(transaction, [piece])
  const records = await findRecords(transaction, pieces, from, to)
  return (index: number): number => {
    const record = records.get(keyOf(pieces, index))
    if (!record) throw new TypeError(`Keeping the original: piece ${index} is not in the archive.`)
    return record.id
  }
}

function full(bytes: number, newBytes: number, quotaBytes: number): ArchiveError {
  const mega = (value: number) => `${Math.ceil(value / 1_000_000)} MB`
  return new ArchiveError(
    'archive-full',
    `Keeping the original: the archive has ${mega(bytes)}, this needs ${mega(newBytes)} more, and the quota is ${mega(quotaBytes)}. Delete compressed sessions you no longer need and run "precis archive gc", or raise "archive.quotaMegabytes".`,
  )
}
