/** Records of an original as the archive keeps them: compressed, with their words if they are gone. */
import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { deflateRaw, deflateRawSync } from 'node:zlib'
import type { ByteSource } from '@precis/core/formats'
import { SessionError } from '../files/errors.ts'
import { type HashedPieces, isGone } from './hash-pieces.ts'
import { renderSearchableText } from './searchable-text.ts'

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
/** A transaction stores about as many, and as many are in memory. */
export const BYTES_AT_ONCE = 8 << 20
// Each that is under way has tables of its own, and is in memory twice.
const ENCODED_AT_ONCE = 64

/** In the given order. Throws `SessionError` if the source has changed since it was hashed. The compressor works on other threads meanwhile. */
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
    if (some.length < ENCODED_AT_ONCE && bytes < BYTES_AT_ONCE && at + 1 < indices.length) continue
    yield* await Promise.all(some.map((each) => encodePiece(source, pieces, each)))
    some = []
    bytes = 0
  }
}

async function encodePiece(
  source: ByteSource,
  pieces: HashedPieces,
  index: number,
): Promise<EncodedPiece> {
  const { start, end } = pieces.rangeAt(index)
  // A copy: the view lives until the next read.
  const bytes = Uint8Array.from(source.read(start, end))
  const hash = pieces.hashAt(index)
  // Its agent may have written the file again in its place since it was hashed.
  if (!createHash('sha256').update(bytes).digest().equals(hash)) throw sourceChanged()
  const isDeflated = bytes.length >= SMALLEST_DEFLATED
  const deflated =
    bytes.length >= SMALLEST_HANDED_OVER
      ? deflateElsewhere(bytes, DEFLATE)
      : isDeflated && deflateRawSync(bytes, DEFLATE)
  const text = isGone(pieces.changeAt(index)) ? renderSearchableText(bytes) : undefined
  return {
    hash,
    bytes: bytes.length,
    isDeflated,
    content: (await deflated) || bytes,
    text,
  }
}

export function sourceChanged(): SessionError {
  return new SessionError(
    'changed',
    'Reading the original: its agent wrote it again in its place meanwhile. Nothing was written. Let its agent finish, then run this again.',
  )
}
