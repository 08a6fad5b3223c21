/** Reads sessions line by line. Unreadable content is left out, and nothing throws. */
import type { ByteSource } from '@precis/core/formats'
import { isInMemory } from './read-document.ts'

// Most that only look at the beginning find what they want in the first piece.
const FIRST_PIECE_BYTES = 1 << 14
const PIECE_BYTES = 1 << 18
const MAX_LINE_BYTES = 32 << 20
const LINE_FEED = 0x0a
const BYTE_ORDER_MARK = '\ufeff'

/**
 * Lines of a stretch, in bounded memory, without their breaks. A line longer than 32 MB comes as an
 * empty one.
 */
export function* readLines(
  source: ByteSource,
  start = 0,
  end = source.byteLength,
): Generator<Buffer> {
  let pieces: Buffer[] = []
  let length = 0
  let next = start
  // Otherwise a view is only valid until the next read.
  const isKept = isInMemory(source)
  for (
    let pieceBytes = isKept ? end - start : FIRST_PIECE_BYTES;
    next < end;
    pieceBytes = Math.min(pieceBytes * 2, PIECE_BYTES)
  ) {
    const position = next
    next = Math.min(position + pieceBytes, end)
    const read = source.read(position, next)
    const piece = isKept ? asBuffer(read) : Buffer.from(read)
    let lineStart = 0
    for (
      let lineEnd = piece.indexOf(LINE_FEED);
      lineEnd >= 0;
      lineEnd = piece.indexOf(LINE_FEED, lineStart)
    ) {
      const rest = piece.subarray(lineStart, lineEnd)
      if (length + rest.length > MAX_LINE_BYTES) yield Buffer.alloc(0)
      else yield pieces.length === 0 ? rest : Buffer.concat([...pieces, rest])
      pieces = []
      length = 0
      lineStart = lineEnd + 1
    }
    const rest = piece.subarray(lineStart)
    length += rest.length
    if (length <= MAX_LINE_BYTES) pieces.push(rest)
    else pieces = []
  }
  if (length > 0 && length <= MAX_LINE_BYTES) yield Buffer.concat(pieces)
}

/** The same bytes, not a copy. */
export const asBuffer = ({ buffer, byteOffset, length }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, length)

/** Whether one of the texts, of at most a kilobyte each, is in the bytes: faster than line by line. */
export function holdsText(source: ByteSource, texts: readonly string[]): boolean {
  const wanted = texts.map((text) => Buffer.from(text))
  const overlap = Math.max(...wanted.map(({ length }) => length)) - 1
  for (let start = 0; start < source.byteLength; start += PIECE_BYTES) {
    const end = Math.min(start + PIECE_BYTES + overlap, source.byteLength)
    const piece = asBuffer(source.read(start, end))
    if (wanted.some((text) => piece.includes(text))) return true
  }
  return false
}

/** A JSON object from a line. Undefined for anything else. Its fields are unknown until checked. */
export function parseObject(line: Buffer): JsonObject | undefined {
  try {
    const text = line.toString('utf8')
    const value: unknown = JSON.parse(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text)
    return asObject(value)
  } catch {
    return undefined
  }
}

export interface JsonObject {
  readonly [field: string]: unknown
}

export function asObject(value: unknown): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as JsonObject)
    : undefined
}

export function asText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** Zero if it is not a number. */
export function asCount(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0
}
