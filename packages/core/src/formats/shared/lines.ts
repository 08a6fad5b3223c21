/**
 * JSON Lines as every session format reads and writes them. Reads line by line in bounded memory,
 * and writes the kept sections of the source.
 *
 *   source   {"a":1}\r\n  {"b":2}\n  {"c"
 *   line     start─end    start─end  start─end      text and value (none for the cut-off line)
 *
 * Positions count units of the source: bytes, or UTF-16 code units if the source is a string.
 */
import { parseJson } from '../../conversation/json-text.ts'
import { type ByteSource, FormatError, type FormatInput } from './format.ts'
import { isJsonObject, type JsonObject, toObject } from './json.ts'
import { rewriteJson } from './rewrite.ts'
import { type Replacement, type Span, spliceValues } from './spans.ts'

/** No agent writes a longer line, and no model reads a longer text. */
export const MAX_TEXT_UNITS = 64 << 20
const BINARY_SAMPLE_UNITS = 4096
const MAX_UNREADABLE_LINES = 16
const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d

type JsonlInput = string | Uint8Array | ByteSource

export interface JsonlSource {
  readonly input: JsonlInput
  readonly length: number
  /** The section as text. Bytes that are not UTF-8 become U+FFFD. */
  readText(start: number, end: number): string
  /**
   * One character per unit, so that its spans are spans of the source. In bytes, only ASCII is
   * decoded.
   */
  readUnits(start: number, end: number): string
}

export interface JsonlLine {
  readonly index: number
  readonly start: number
  readonly end: number
  /** The start of the next line, which is the end of the line break. */
  readonly next: number
  readonly text: string
  /** The result of JSON.parse. Undefined for a blank or malformed line. */
  readonly value: unknown
  /**
   * `cut-off`: malformed, the last line, and no line break. A crash during a write leaves such a
   * line.
   */
  readonly problem?: 'malformed' | 'cut-off'
}

export type OutputPiece = Span | string

/**
 * Throws `FormatError` for an empty document, for bytes that are not text, and for a value that is
 * not a document.
 */
export function openJsonl(input: FormatInput, formatName: string): JsonlSource {
  const source = createSource(input, formatName)
  const beginning = source.readText(0, Math.min(source.length, BINARY_SAMPLE_UNITS))
  if (source.length <= PIECE_BYTES && source.readText(0, source.length).trim() === '') {
    throw new FormatError('empty', `Reading a ${formatName} session: the document is empty.`)
  }
  const first = beginning.trimStart()[0]
  if (first !== '{' && first !== '[' && beginning.includes('\0')) throw binaryError(formatName)
  return source
}

export function isJsonlSource(value: unknown): value is JsonlSource {
  return isJsonObject(value) && typeof value.readText === 'function'
}

/**
 * Every line, including blank lines. Throws `FormatError` if a line is over 64 MiB or none of the
 * first lines is JSON.
 */
export function* readLines(source: JsonlSource, formatName: string): Generator<JsonlLine> {
  let index = 0
  let unreadable = 0
  let readable = 0
  for (const { start, end, next, text } of splitLines(source, formatName)) {
    const value = text.trim() === '' ? undefined : parseJson(text)
    if (value !== undefined) readable++
    const isMalformed = value === undefined && text.trim() !== ''
    if (isMalformed) unreadable++
    if (
      readable === 0 &&
      (unreadable === MAX_UNREADABLE_LINES || (isMalformed && next === source.length))
    ) {
      if (text.includes('\0') || text.includes('\ufffd')) throw binaryError(formatName)
      throw new FormatError(
        'malformed',
        `Reading a ${formatName} session: line ${index + 1} and all before it are not JSON. Give the session's .jsonl file.`,
      )
    }
    const line = { index, start, end, next, text, value }
    yield isMalformed ? { ...line, problem: end === source.length ? 'cut-off' : 'malformed' } : line
    index++
  }
}

/** The objects of a line that holds several, because a kill during a write left no line break. */
export function* splitObjects(
  source: JsonlSource,
  line: Span,
): Generator<Span & { readonly value: unknown }> {
  const units = source.readUnits(line.start, line.end)
  let depth = 0
  let begin = 0
  let isText = false
  for (let index = 0; index < units.length; index++) {
    const sign = units[index]
    if (isText && sign === '\\') index++
    else if (sign === '"') isText = !isText
    else if (!isText && sign === '{') {
      if (depth === 0) begin = line.start + index
      depth++
    } else if (!isText && sign === '}' && depth > 0) {
      depth--
      const end = line.start + index + 1
      if (depth === 0) yield { start: begin, end, value: parseJson(source.readText(begin, end)) }
    }
  }
}

export function readObject(source: JsonlSource, { start, end }: Span): JsonObject {
  return toObject(JSON.parse(source.readText(start, end)))
}

/** A line with other values in some places. All other bytes stay the same. */
export function spliceLine(
  source: JsonlSource,
  line: Span,
  replacements: readonly Replacement[],
): OutputPiece[] {
  if (replacements.length === 0) return [{ start: line.start, end: line.end }]
  return spliceValues(source.readUnits(line.start, line.end), replacements).map((piece) =>
    typeof piece === 'string'
      ? piece
      : { start: line.start + piece.start, end: line.start + piece.end },
  )
}

/**
 * A section of JSON with another value. If the value is the same object, it is the section itself.
 */
export function rewriteSpan(
  source: JsonlSource,
  { start, end }: Span,
  before: unknown,
  after: unknown,
): OutputPiece {
  return Object.is(before, after)
    ? { start, end }
    : rewriteJson(source.readText(start, end), before, after)
}

/** Text for a text source, bytes for bytes, chunks of bytes for a `ByteSource`. */
export function writePieces(
  source: JsonlSource,
  pieces: Iterable<OutputPiece>,
): string | Uint8Array | Iterable<Uint8Array> {
  const { input } = source
  if (typeof input === 'string') {
    let text = ''
    for (const piece of pieces)
      text += typeof piece === 'string' ? piece : input.slice(piece.start, piece.end)
    return text
  }
  if (input instanceof Uint8Array) return concatenateBytes([...writeChunks(input, pieces)])
  const kept = [...pieces]
  return { [Symbol.iterator]: () => writeChunks(input, kept) }
}

function* writeChunks(
  input: Uint8Array | ByteSource,
  pieces: Iterable<OutputPiece>,
): Generator<Uint8Array> {
  const encoder = new TextEncoder()
  for (const piece of pieces) {
    if (typeof piece === 'string') yield encoder.encode(piece)
    else yield* readPieces(input, piece.start, piece.end)
  }
}

function createSource(input: FormatInput, formatName: string): JsonlSource {
  if (typeof input === 'string') {
    const read = (start: number, end: number) => input.slice(start, end)
    return { input, length: input.length, readText: read, readUnits: read }
  }
  if (!(input instanceof Uint8Array) && !isByteSource(input)) {
    throw new FormatError(
      'unknown-format',
      `Reading a ${formatName} session: found an object, give text or bytes.`,
    )
  }
  const read = (start: number, end: number) => readBytes(input, start, end)
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  // Decodes as Windows-1252 by the encoding standard: every byte is one character, and ASCII stays
  // the same.
  const unitDecoder = new TextDecoder('latin1')
  return {
    input,
    length: input instanceof Uint8Array ? input.length : input.byteLength,
    readText: (start, end) => decoder.decode(read(start, end)),
    readUnits: (start, end) => unitDecoder.decode(read(start, end)),
  }
}

type RawLine = Pick<JsonlLine, 'start' | 'end' | 'next' | 'text'>

function splitLines({ input, length }: JsonlSource, formatName: string): Generator<RawLine> {
  return typeof input === 'string'
    ? splitText(input, formatName)
    : splitBytes(input, length, formatName)
}

function* splitText(input: string, formatName: string): Generator<RawLine> {
  let start = input.startsWith('\ufeff') ? 1 : 0
  while (start < input.length) {
    const feed = input.indexOf('\n', start)
    const next = feed < 0 ? input.length : feed + 1
    if (next - start > MAX_TEXT_UNITS) throw lineTooLong(formatName, start)
    let end = feed < 0 ? next : feed
    if (feed >= 0 && end > start && input.charCodeAt(end - 1) === CARRIAGE_RETURN) end--
    yield { start, end, next, text: input.slice(start, end) }
    start = next
  }
}

function* splitBytes(
  input: Uint8Array | ByteSource,
  length: number,
  formatName: string,
): Generator<RawLine> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  let lineStart = decoder.decode(readBytes(input, 0, Math.min(3, length))) === '\ufeff' ? 3 : 0
  let begun: Uint8Array[] = []
  const finish = (last: Uint8Array, next: number, hasBreak: boolean): RawLine => {
    const bytes = begun.length === 0 ? last : concatenateBytes([...begun, last])
    begun = []
    let size = bytes.length - (hasBreak ? 1 : 0)
    if (hasBreak && bytes[size - 1] === CARRIAGE_RETURN) size--
    const start = lineStart
    lineStart = next
    return { start, end: start + size, next, text: decoder.decode(bytes.subarray(0, size)) }
  }
  let pieceStart = lineStart
  for (const piece of readPieces(input, lineStart, length)) {
    let position = 0
    for (
      let feed = piece.indexOf(LINE_FEED);
      feed >= 0;
      feed = piece.indexOf(LINE_FEED, position)
    ) {
      yield finish(piece.subarray(position, feed + 1), pieceStart + feed + 1, true)
      position = feed + 1
    }
    if (position < piece.length) begun.push(piece.subarray(position))
    pieceStart += piece.length
    if (pieceStart - lineStart > MAX_TEXT_UNITS) throw lineTooLong(formatName, lineStart)
  }
  if (begun.length > 0) yield finish(new Uint8Array(0), length, false)
}

function binaryError(formatName: string): FormatError {
  return new FormatError(
    'binary',
    `Reading a ${formatName} session: the document is no UTF-8 text. Give the session's .jsonl file.`,
  )
}

function lineTooLong(formatName: string, start: number): FormatError {
  return new FormatError(
    'line-too-long',
    `Reading a ${formatName} session: the line that starts at ${start} is over 64 MiB. No agent writes such a line; remove it.`,
  )
}

const PIECE_BYTES = 1 << 20

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

/** May return a view that becomes invalid at the next call. */
export function readBytes(input: Uint8Array | ByteSource, start: number, end: number): Uint8Array {
  return input instanceof Uint8Array ? input.subarray(start, end) : input.read(start, end)
}

/** The section in pieces that stay valid. Pieces of a source are copies. */
export function* readPieces(
  input: Uint8Array | ByteSource,
  start: number,
  end: number,
): Generator<Uint8Array> {
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
