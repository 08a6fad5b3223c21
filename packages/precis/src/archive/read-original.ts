/** What the archive keeps, byte for byte. */
import { createHash } from 'node:crypto'
import { inflateRawSync } from 'node:zlib'
import { ArchiveError } from './archive-error.ts'
import type { ArchivedCompression } from './compressions.ts'
import type { Sqlite } from './sqlite.ts'

/** One native record that was removed or changed. */
export interface ArchivedSpan {
  /** Counts from one, oldest first. */
  readonly span: number
  readonly fate: 'changed' | 'removed'
  readonly label: string
  readonly record: number
  readonly bytes: number
  /** SHA-256 in hexadecimal digits. */
  readonly hash: string
}

/** The whole original in pieces. Throws `ArchiveError` before the first one when it is not what was stored. */
export function readOriginal(database: Sqlite, { id, name }: ArchivedCompression): Iterable<Uint8Array> {
  const records = database.prepare('SELECT record FROM piece WHERE compression = ? ORDER BY position').all([id]) as {
    record: number
  }[]
  const [stored] = database
    .prepare('SELECT originalHash AS hash FROM compression WHERE id = ?')
    .all([id]) as StoredHash[]
  const read = createRecordReader(database)
  const sha256 = createHash('sha256')
  for (const { record } of records) sha256.update(read(record))
  if (!stored || !sha256.digest().equals(toBuffer(stored.hash))) throw damaged(`the original of ${name}`)
  return {
    *[Symbol.iterator]() {
      for (const { record } of records) yield read(record)
    },
  }
}

interface StoredHash {
  readonly hash: ArrayBuffer
}

export function listSpans(database: Sqlite, { id }: Pick<ArchivedCompression, 'id'>): ArchivedSpan[] {
  const rows = database
    .prepare(
      `SELECT span, fate, label, record, bytes, hash FROM piece JOIN record ON record.id = piece.record
       WHERE compression = ? AND span IS NOT NULL ORDER BY position`,
    )
    .all([id]) as (Omit<ArchivedSpan, 'hash'> & StoredHash)[]
  return rows.map((row) => ({ ...row, hash: toBuffer(row.hash).toString('hex') }))
}

const NUMBER = /^\d{1,7}$/
const HASH = /^[0-9a-f]{8,64}$/i

/** By its number, or by the beginning of its hash, at least eight digits. Throws `ArchiveError`. */
export function findSpan(database: Sqlite, compression: ArchivedCompression, reference: string): ArchivedSpan {
  const spans = listSpans(database, compression)
  const found = NUMBER.test(reference)
    ? spans[Number(reference) - 1]
    : HASH.test(reference)
      ? spans.find(({ hash }) => hash.startsWith(reference.toLowerCase()))
      : undefined
  if (found) return found
  const range =
    spans.length === 0 ? 'it has none' : `give a number from 1 to ${spans.length}, or the beginning of a hash`
  throw new ArchiveError('no-such-span', `Looking for span "${reference}" of ${compression.name}: ${range}.`)
}

/** The bytes of a record by its id. Throws `ArchiveError` when they are not what was stored. */
export function createRecordReader(database: Sqlite): (record: number) => Buffer {
  const select = database.prepare('SELECT hash, isDeflated, content FROM record WHERE id = ?')
  return (record) => {
    const [row] = select.all([record]) as (StoredHash & { isDeflated: number; content: ArrayBuffer })[]
    const bytes = row && (row.isDeflated === 1 ? inflate(row.content, record) : toBuffer(row.content))
    if (!bytes || !createHash('sha256').update(bytes).digest().equals(toBuffer(row.hash))) {
      throw damaged(`record ${record}`)
    }
    return bytes
  }
}

function inflate(content: ArrayBuffer, record: number): Buffer {
  try {
    return inflateRawSync(content)
  } catch {
    throw damaged(`record ${record}`)
  }
}

/** libsql gives blobs as bare memory. */
function toBuffer(blob: ArrayBuffer): Buffer {
  return Buffer.from(blob)
}

function damaged(what: string): ArchiveError {
  return new ArchiveError(
    'archive-damaged',
    `Reading ${what} from the archive: it is not what was stored. "precis archive verify" says what else is damaged.`,
  )
}
