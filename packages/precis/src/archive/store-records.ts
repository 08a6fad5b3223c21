/** Puts records into the archive, each once, with the words of those that are gone. */
import { promisify } from 'node:util'
import { deflateRaw, deflateRawSync } from 'node:zlib'
import type { ByteSource } from '@precis/core/formats'
import type { Database, DatabaseValue } from '../database/database.ts'
import { insertRows, selectIn } from '../database/insert-rows.ts'
import { lockArchive } from './archive-lock.ts'
import { type HashedPieces, isGone } from './hash-pieces.ts'
import { searchIndexes } from './search-index.ts'
import { renderSearchableText } from './searchable-text.ts'

interface KnownRecord {
  readonly id: number
  readonly hash: Buffer
  readonly isIndexed: number
}

/** Ids and whether their words are kept, by hash in base64. */
export async function findRecords(
  database: Database,
  pieces: HashedPieces,
  from: number,
  to: number,
): Promise<Map<string, KnownRecord>> {
  const hashes = new Map<string, Buffer>()
  for (let index = from; index < to; index++) hashes.set(keyOf(pieces, index), pieces.hashAt(index))
  const rows = await selectIn<KnownRecord>(database, 'SELECT id, hash, isIndexed FROM record WHERE hash', [
    ...hashes.values(),
  ])
  return new Map(rows.map((row) => [row.hash.toString('base64'), row]))
}

export function keyOf(pieces: HashedPieces, index: number): string {
  return pieces.hashAt(index).toString('base64')
}

/** Those of a stretch that the archive lacks, or lacks the words of. */
export async function findMissing(
  database: Database,
  pieces: HashedPieces,
  from: number,
  to: number,
): Promise<number[]> {
  const known = await findRecords(database, pieces, from, to)
  const seen = new Set<string>()
  const missing: number[] = []
  for (let index = from; index < to; index++) {
    const key = keyOf(pieces, index)
    const record = known.get(key)
    const isSpan = isGone(pieces.fateAt(index))
    const place = `${key}${isSpan}`
    if (seen.has(place) || (record && (!isSpan || record.isIndexed === 1))) continue
    seen.add(place)
    missing.push(index)
  }
  return missing
}

/** A record as it is kept. */
export interface EncodedPiece {
  readonly hash: Buffer
  readonly bytes: number
  readonly isDeflated: boolean
  readonly content: Uint8Array
  /** Words of a piece that is gone. */
  readonly text: string | undefined
}

// Below it the frame of the compressor is more than it saves.
const SMALLEST_DEFLATED = 400
// Another thread is worth asking from here on.
const SMALLEST_HANDED_OVER = 8192
// Small tables: records are small, and making the tables is most of the time.
const DEFLATE = { level: 1, windowBits: 13, memLevel: 6 }
const deflateElsewhere = promisify(deflateRaw)
// Each that is under way has tables of its own, and is in memory twice.
const PIECES_AT_ONCE = 64
const BYTES_AT_ONCE = 8 << 20

/** In the order given; the compressor works on other threads meanwhile. */
export async function* encodePieces(
  source: ByteSource,
  pieces: HashedPieces,
  indices: readonly number[],
): AsyncGenerator<EncodedPiece> {
  let some: number[] = []
  let bytes = 0
  for (const [at, index] of indices.entries()) {
    const { start, end } = pieces.rangeAt(index)
    some.push(index)
    bytes += end - start
    if (some.length < PIECES_AT_ONCE && bytes < BYTES_AT_ONCE && at + 1 < indices.length) continue
    yield* await Promise.all(some.map((each) => encodePiece(source, pieces, each)))
    some = []
    bytes = 0
  }
}

async function encodePiece(source: ByteSource, pieces: HashedPieces, index: number): Promise<EncodedPiece> {
  const { start, end } = pieces.rangeAt(index)
  // A copy: the view lives until the next read.
  const bytes = Uint8Array.from(source.read(start, end))
  const isDeflated = bytes.length >= SMALLEST_DEFLATED
  const deflated =
    bytes.length >= SMALLEST_HANDED_OVER
      ? deflateElsewhere(bytes, DEFLATE)
      : isDeflated && deflateRawSync(bytes, DEFLATE)
  const text = isGone(pieces.fateAt(index)) ? renderSearchableText(bytes) : undefined
  return { hash: pieces.hashAt(index), bytes: bytes.length, isDeflated, content: (await deflated) || bytes, text }
}

/** Inside a transaction. What another process stored meanwhile stays as it is. */
export async function storeRecords(transaction: Database, encoded: readonly EncodedPiece[]): Promise<void> {
  await lockArchive(transaction, 'shared')
  // In one order, so that no two processes wait for each other.
  const ordered = [...encoded].sort((one, other) => Buffer.compare(one.hash, other.hash))
  const texts = new Map(
    ordered.flatMap(({ hash, text }) => (text === undefined ? [] : [[hash.toString('base64'), text] as const])),
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
