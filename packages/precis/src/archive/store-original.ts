/** Keeps an original, record by record, together with what is to be known of the compression. */
import { createHash, randomBytes } from 'node:crypto'
import { deflateRawSync } from 'node:zlib'
import type { ByteSource, FormatName } from '@precis/core/formats'
import { ArchiveError } from './archive-error.ts'
import { collectGarbage } from './collect-garbage.ts'
import { measureArchive } from './measure-archive.ts'
import type { RecordFate } from './record-fates.ts'
import { renderSearchableText } from './searchable-text.ts'
import { splitDocument } from './split-document.ts'
import { inTransaction, type Sqlite } from './sqlite.ts'

/** What a compression does, told before its result is written. */
export interface Original {
  readonly command: 'compress' | 'clone'
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
  /** Records that were removed or changed. */
  readonly spans: number
}

// Below it the frame of the compressor is more than it saves.
const SMALLEST_DEFLATED = 400
// Small tables: records are small, and making the tables is most of the time.
const DEFLATE = { level: 1, windowBits: 13, memLevel: 6 }
// What is more than that is encoded under the lock, so that it need not be held.
const MOST_PREPARED_BYTES = 16 << 20
// Of a record that is not encoded yet, with its words.
const EXPECTED_SHARE = 0.6

/**
 * Throws `ArchiveError` when the archive would be larger than `quotaBytes` with it, also after a collection. What is
 * slow is done before the lock is taken: other processes wait for the writing alone.
 */
export function storeOriginal(database: Sqlite, original: Original, quotaBytes: number): Stored {
  const prepared = prepare(database, original)
  if (measureArchive(database).bytes + prepared.newBytes > quotaBytes) {
    collectGarbage(database)
    const { bytes } = measureArchive(database)
    if (bytes + prepared.newBytes > quotaBytes) throw full(bytes, prepared.newBytes, quotaBytes)
  }
  return inTransaction(database, () => write(database, original, prepared))
}

interface PreparedPiece {
  readonly hash: Buffer
  /** Undefined when the archive had it a moment ago, it came before, or others fill the memory. */
  readonly content: PreparedContent | undefined
  readonly read: () => PreparedContent
  readonly fate: RecordFate | undefined
}

interface PreparedContent {
  readonly bytes: number
  readonly isDeflated: boolean
  readonly content: Uint8Array
  readonly text: string
}

interface Prepared {
  readonly pieces: readonly PreparedPiece[]
  readonly hash: Buffer
  readonly newBytes: number
}

function prepare(database: Sqlite, { source, format, fates }: Original): Prepared {
  const find = database.prepare('SELECT isIndexed FROM record WHERE hash = ?')
  const whole = createHash('sha256')
  const pieces: PreparedPiece[] = []
  const seen = new Set<string>()
  let newBytes = 0
  let preparedBytes = 0
  let at = 0
  for (const { bytes, records } of splitDocument(source, format)) {
    whole.update(bytes)
    const hash = createHash('sha256').update(bytes).digest()
    const fate = mergeFates(records.flatMap((record) => fates.get(record) ?? []))
    const isSpan = isGone(fate)
    const key = `${hash.toString('base64')} ${isSpan}`
    const [known] = seen.has(key) ? [{ isIndexed: 1 }] : find.all([hash])
    const isKnown = known !== undefined && (!isSpan || ('isIndexed' in known && known.isIndexed === 1))
    seen.add(key)
    const start = at
    const end = at + bytes.length
    at = end
    const read = () => encode(source.read(start, end), isSpan)
    const content = isKnown || preparedBytes > MOST_PREPARED_BYTES ? undefined : encode(bytes, isSpan)
    if (!isKnown) newBytes += bytes.length * EXPECTED_SHARE
    if (content) preparedBytes += content.content.length + 2 * content.text.length
    pieces.push({ hash, content, read, fate })
  }
  return { pieces, hash: whole.digest(), newBytes }
}

function encode(bytes: Uint8Array, isSpan: boolean): PreparedContent {
  const isDeflated = bytes.length >= SMALLEST_DEFLATED
  const content = isDeflated ? deflateRawSync(bytes, DEFLATE) : Uint8Array.from(bytes)
  return { bytes: bytes.length, isDeflated, content, text: isSpan ? renderSearchableText(bytes) : '' }
}

function write(database: Sqlite, original: Original, { pieces, hash }: Prepared): Stored {
  const { command, source, format, sessionId, path, newSessionId, newPath, report } = original
  const name = randomBytes(5).toString('hex')
  const { lastInsertRowid: id } = database
    .prepare(
      'INSERT INTO compression (name, command, storedAt, format, sessionId, path, originalId, originalPath, originalHash, originalBytes, report) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
    )
    .run([
      name,
      command,
      new Date().toISOString(),
      format,
      newSessionId ?? null,
      newPath ?? null,
      sessionId ?? null,
      path ?? null,
      hash,
      source.byteLength,
      JSON.stringify(report),
    ])
  const keep = createKeeper(database)
  const insert = database.prepare(
    'INSERT INTO piece (compression, position, record, span, fate, label) VALUES (?, ?, ?, ?, ?, ?)',
  )
  let spans = 0
  for (const [position, piece] of pieces.entries()) {
    const { fate } = piece
    const span = isGone(fate) ? ++spans : null
    insert.run([Number(id), position, keep(piece), span, fate?.fate ?? null, fate?.label ?? null])
  }
  return { name, spans }
}

/** Gives the id of the record of a piece; stores it, or its words, where another process has not done so meanwhile. */
function createKeeper(database: Sqlite): (piece: PreparedPiece) => number {
  const find = database.prepare('SELECT id, isIndexed FROM record WHERE hash = ?')
  const insert = database.prepare(
    'INSERT INTO record (hash, bytes, isDeflated, isIndexed, content) VALUES (?, ?, ?, 0, ?)',
  )
  const insertText = database.prepare('INSERT INTO search (rowid, content) VALUES (?, ?)')
  const mark = database.prepare('UPDATE record SET isIndexed = 1 WHERE id = ?')
  return (piece) => {
    const { hash, fate } = piece
    const [row] = find.all([hash]) as { id: number; isIndexed: number }[]
    if (row && (row.isIndexed === 1 || !isGone(fate))) return row.id
    const { bytes, isDeflated, content, text } = piece.content ?? piece.read()
    const id = row?.id ?? Number(insert.run([hash, bytes, isDeflated ? 1 : 0, content]).lastInsertRowid)
    if (isGone(fate)) {
      insertText.run([id, text])
      mark.run([id])
    }
    return id
  }
}

function isGone(fate: RecordFate | undefined): boolean {
  return fate !== undefined && fate.fate !== 'kept'
}

/** A line may hold several records. */
function mergeFates([first, ...others]: readonly RecordFate[]): RecordFate | undefined {
  if (!first || others.every(({ fate }) => fate === first.fate)) return first
  return { ...first, fate: 'changed' }
}

function full(bytes: number, newBytes: number, quotaBytes: number): ArchiveError {
  const mega = (value: number) => `${Math.ceil(value / 1_000_000)} MB`
  return new ArchiveError(
    'archive-full',
    `Keeping the original: the archive has ${mega(bytes)}, this needs ${mega(newBytes)} more, and the quota is ${mega(quotaBytes)}. Delete compressed sessions you no longer need and run "precis archive gc", or raise "archive.quotaMegabytes".`,
  )
}
