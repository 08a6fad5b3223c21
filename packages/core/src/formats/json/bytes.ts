/** Bytes in memory and bytes read in pieces, looked at in one way. */
import type { ByteSource, FormatInput } from '../format.ts'

/** So much is read of a source at once. */
export const PIECE_BYTES = 1 << 20

export function isByteSource(input: FormatInput): input is ByteSource {
  return (
    typeof input === 'object' &&
    input !== null &&
    !(input instanceof Uint8Array) &&
    'byteLength' in input &&
    typeof input.byteLength === 'number' &&
    'read' in input &&
    typeof input.read === 'function'
  )
}

/** May be a view that dies at the next call. */
export function readBytes(input: Uint8Array | ByteSource, start: number, end: number): Uint8Array {
  return input instanceof Uint8Array ? input.subarray(start, end) : input.read(start, end)
}

/** The stretch in pieces that last: of a source they are copies. */
export function* readPieces(input: Uint8Array | ByteSource, start: number, end: number): Generator<Uint8Array> {
  for (let position = start; position < end; position += PIECE_BYTES) {
    const piece = readBytes(input, position, Math.min(position + PIECE_BYTES, end))
    yield input instanceof Uint8Array ? piece : piece.slice()
  }
}

export function concatenateBytes(pieces: readonly Uint8Array[]): Uint8Array {
  let size = 0
  for (const piece of pieces) size += piece.length
  const whole = new Uint8Array(size)
  let position = 0
  for (const piece of pieces) {
    whole.set(piece, position)
    position += piece.length
  }
  return whole
}
