/** Reads originals and their records back, byte for byte. */
import { createHash } from 'node:crypto'
import { inflateRawSync } from 'node:zlib'
import { type Database, selectIn } from '../database/database.ts'
import { type Columns, readStoredRow } from '../database/stored-row.ts'
import { ArchiveError } from '../files/errors.ts'
import type { ArchivedCompression } from './compressions.ts'

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
  /** Damaged columns. Missing if no column is damaged. */
  readonly damaged?: readonly string[]
}

/**
 * The whole original in pieces. Throws `ArchiveError` before the first one when it is not what was
 * stored.
 */
export async function readOriginal(
  database: Database,
  { id, name, originalHash }: ArchivedCompression,
): Promise<AsyncIterable<Uint8Array>> {
  const records = await database.all<RecordSize>(
    'SELECT record, bytes FROM piece JOIN record ON record.id = piece.record WHERE compression = ? ORDER BY position',
    [id],
  )
  const sha256 = createHash('sha256')
  for await (const bytes of readStoredRecords(database, records)) sha256.update(bytes)
  if (sha256.digest('hex') !== originalHash) throw damaged(`the original of ${name}`)
  return readStoredRecords(database, records)
}

/** The same in one buffer. */
export async function readWholeOriginal(
  database: Database,
  compression: ArchivedCompression,
): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of await readOriginal(database, compression))
    chunks.push(Uint8Array.from(chunk))
  return Buffer.concat(chunks)
}

export async function listSpans(
  database: Database,
  { id }: Pick<ArchivedCompression, 'id'>,
): Promise<ArchivedSpan[]> {
  const rows = await database.all(
    `SELECT span, fate, label, record, bytes, hash FROM piece JOIN record ON record.id = piece.record
     WHERE compression = ? AND span IS NOT NULL ORDER BY position`,
    [id],
  )
  return rows.map((found) => {
    const { row, damaged } = readStoredRow(found, SPAN)
    return { ...row, hash: row.hash.toString('hex'), ...(damaged.length > 0 && { damaged }) }
  })
}

/** As it is stored. */
export const SPAN: Columns<Omit<ArchivedSpan, 'hash' | 'damaged'> & { readonly hash: Buffer }> = {
  span: 'number',
  fate: 'text',
  label: 'text',
  record: 'number',
  bytes: 'number',
  hash: 'bytes',
}

/** The text for a span that cannot be read. */
export const DAMAGED_SPAN = '[damaged; "precis archive verify" tells more]'

const NUMBER = /^\d{1,7}$/
const HASH = /^[0-9a-f]{8,64}$/i

/** By its number, or by the beginning of its hash, at least eight digits. Throws `ArchiveError`. */
export async function findSpan(
  database: Database,
  compression: ArchivedCompression,
  reference: string,
): Promise<ArchivedSpan> {
  const spans = await listSpans(database, compression)
  const found = NUMBER.test(reference)
    ? spans[Number(reference) - 1]
    : HASH.test(reference)
      ? spans.find(({ hash }) => hash.startsWith(reference.toLowerCase()))
      : undefined
  if (found) return found
  const range =
    spans.length === 0
      ? 'it has none'
      : `give a number from 1 to ${spans.length}, or the beginning of a hash`
  throw new ArchiveError(
    'no-such-span',
    `Looking for span "${reference}" of ${compression.name}: ${range}.`,
  )
}

/** The bytes of a record by its id. Throws `ArchiveError` when they are not what was stored. */
export function createRecordReader(database: Database): (record: number) => Promise<Buffer> {
  return async (record) => {
    for await (const bytes of readStoredRecords(database, [{ record, bytes: 0 }])) return bytes
    throw damaged(`record ${record}`)
  }
}

export interface RecordSize {
  readonly record: number
  /** Not those in the database, which may be fewer. */
  readonly bytes: number
}

const BYTES_AT_ONCE = 4 << 20
const RECORDS_AT_ONCE = 100

/**
 * One after the other in the order given, a few of them in memory. Throws `ArchiveError` at one
 * that is not what was stored.
 */
export async function* readStoredRecords(
  database: Database,
  records: readonly RecordSize[],
): AsyncGenerator<Buffer, void, undefined> {
  let index = 0
  for await (const bytes of readWholeRecords(database, records)) {
    if (!bytes) throw damaged(`record ${records[index]?.record}`)
    index++
    yield bytes
  }
}

/** The same with nothing in the place of one that is not what was stored. */
export async function* readWholeRecords(
  database: Database,
  records: readonly RecordSize[],
): AsyncGenerator<Buffer | undefined, void, undefined> {
  for (let start = 0; start < records.length; ) {
    let end = start
    for (
      let bytes = 0;
      end < records.length && end - start < RECORDS_AT_ONCE && bytes < BYTES_AT_ONCE;
      end++
    ) {
      bytes += records[end]?.bytes ?? 0
    }
    const some = records.slice(start, end)
    const ids = [...new Set(some.map(({ record }) => record))]
    const rows = (await selectIn(database, SELECT, ids)).map((row) => readStoredRow(row, RECORD))
    const byId = new Map(
      rows.map(({ row, damaged }) => [row.id, damaged.length > 0 ? undefined : row]),
    )
    for (const { record } of some) yield decode(byId.get(record))
    start = end
  }
}

const SELECT = 'SELECT id, hash, isDeflated, content FROM record WHERE id'

interface StoredRecord {
  readonly id: number
  readonly hash: Buffer
  readonly isDeflated: number
  readonly content: Buffer
}

const RECORD: Columns<StoredRecord> = {
  id: 'number',
  hash: 'bytes',
  isDeflated: 'number',
  content: 'bytes',
}

function decode(row: StoredRecord | undefined): Buffer | undefined {
  const bytes = row && (row.isDeflated === 1 ? inflate(row.content) : row.content)
  return bytes && createHash('sha256').update(bytes).digest().equals(row.hash) ? bytes : undefined
}

function inflate(content: Buffer): Buffer | undefined {
  try {
    return inflateRawSync(content)
  } catch {
    return undefined
  }
}

function damaged(what: string): ArchiveError {
  return new ArchiveError(
    'archive-damaged',
    `Reading ${what} from the archive: it is not what was stored. "precis archive verify" says what else is damaged.`,
  )
}
