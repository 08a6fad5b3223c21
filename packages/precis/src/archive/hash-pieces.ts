/** What the archive has to know of a document before it keeps it: where its pieces end and what they hash to. */
import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { ByteSource, FormatName } from '@precis/core/formats'
import type { RecordFate } from './record-fates.ts'
import { splitDocument } from './split-document.ts'

const HASH_BYTES = 32

/** A few dozen bytes for each piece: a gigabyte of session has half a million of them. */
export interface HashedPieces {
  readonly count: number
  /** SHA-256 of the whole document. */
  readonly hash: Buffer
  hashAt(index: number): Buffer
  /** Where it lies in the document. */
  rangeAt(index: number): { readonly start: number; readonly end: number }
  fateAt(index: number): RecordFate | undefined
}

// Hashing a large session holds the process; an interruption gets through here.
const BYTES_BETWEEN_PAUSES = 16 << 20

export async function hashPieces(
  source: ByteSource,
  format: FormatName,
  fates: ReadonlyMap<number, RecordFate>,
): Promise<HashedPieces> {
  const whole = createHash('sha256')
  let hashes = Buffer.alloc(1 << 15)
  const ends: number[] = []
  const pieceFates: (RecordFate | undefined)[] = []
  let end = 0
  let pauseAt = BYTES_BETWEEN_PAUSES
  for (const { bytes, records } of splitDocument(source, format)) {
    whole.update(bytes)
    const at = ends.length * HASH_BYTES
    if (at === hashes.length) hashes = Buffer.concat([hashes], 2 * hashes.length)
    createHash('sha256').update(bytes).digest().copy(hashes, at)
    end += bytes.length
    ends.push(end)
    pieceFates.push(mergeFates(records, fates))
    if (end < pauseAt) continue
    await setImmediate()
    pauseAt = end + BYTES_BETWEEN_PAUSES
  }
  return {
    count: ends.length,
    hash: whole.digest(),
    hashAt: (index) => hashes.subarray(index * HASH_BYTES, (index + 1) * HASH_BYTES),
    rangeAt: (index) => ({ start: ends[index - 1] ?? 0, end: ends[index] ?? 0 }),
    fateAt: (index) => pieceFates[index],
  }
}

/** A piece may hold several records. */
function mergeFates(records: readonly number[], fates: ReadonlyMap<number, RecordFate>): RecordFate | undefined {
  let merged: RecordFate | undefined
  for (const record of records) {
    const fate = fates.get(record)
    if (merged && fate && fate.fate !== merged.fate) return { ...merged, fate: 'changed' }
    merged ??= fate
  }
  return merged
}

export function isGone(fate: RecordFate | undefined): boolean {
  return fate !== undefined && fate.fate !== 'kept'
}
