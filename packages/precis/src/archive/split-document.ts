/**
 * A document as the stretches that are kept one by one; joined, they are the document.
 *
 *   lines    │{…}↵│{…}↵│{…}↵│             every line is a record
 *   JSON     │{"messages":[│{…}│,│{…}│]}│  every element of the list is one, what lies between belongs to none
 *
 * Lines of Gemini CLI that hold messages are split as JSON is.
 */
import type { ByteSource, FormatName } from '@precis/core/formats'
import { isChatLog } from '../sessions/copilot/stored-copilot.ts'
import { isLog } from '../sessions/gemini-cli/stored-chat.ts'
import { asObject, parseObject } from '../sessions/lines.ts'
import { type ElementSpan, findListElements } from './list-elements.ts'

export interface Piece {
  /** Valid until the next one is read. */
  readonly bytes: Uint8Array
  /** Numbers of native records, as messages name them, that lie in it. */
  readonly records: readonly number[]
}

export function* splitDocument(source: ByteSource, format: FormatName): Generator<Piece> {
  if (!isLines(source, format)) {
    const bytes = source.read(0, source.byteLength)
    yield* splitAround(bytes, findListElements(bytes), (index) => [index])
  } else if (format === 'gemini-cli') {
    yield* splitGeminiLog(source)
  } else {
    let record = 0
    for (const bytes of readWholeLines(source)) yield { bytes, records: [record++] }
  }
}

function isLines(source: ByteSource, format: FormatName): boolean {
  switch (format) {
    case 'claude-code':
    case 'codex':
    case 'pi':
      return true
    case 'gemini-cli':
      return isLog(source)
    case 'copilot':
      return isChatLog(source)
    default:
      return false
  }
}

const PIECE_BYTES = 1 << 18
const LINE_FEED = 0x0a

/** With their breaks, of any length. */
function* readWholeLines(source: ByteSource): Generator<Buffer> {
  let begun: Buffer[] = []
  for (let position = 0; position < source.byteLength; position += PIECE_BYTES) {
    // A copy: the view lives until the next read.
    const piece = Buffer.from(source.read(position, Math.min(position + PIECE_BYTES, source.byteLength)))
    let start = 0
    for (let feed = piece.indexOf(LINE_FEED); feed >= 0; feed = piece.indexOf(LINE_FEED, start)) {
      yield Buffer.concat([...begun, piece.subarray(start, feed + 1)])
      begun = []
      start = feed + 1
    }
    if (start < piece.length) begun.push(piece.subarray(start))
  }
  if (begun.length > 0) yield Buffer.concat(begun)
}

function* splitAround(
  bytes: Uint8Array,
  elements: readonly ElementSpan[],
  recordsOf: (index: number) => readonly number[],
): Generator<Piece> {
  let position = 0
  for (const [index, { start, end }] of elements.entries()) {
    if (start > position) yield { bytes: bytes.subarray(position, start), records: [] }
    yield { bytes: bytes.subarray(start, end), records: recordsOf(index) }
    position = end
  }
  if (position < bytes.length) yield { bytes: bytes.subarray(position), records: [] }
}

/** After `gemini --resume` one line holds the whole history. Its messages are counted behind the line itself. */
function* splitGeminiLog(source: ByteSource): Generator<Piece> {
  let next = 0
  for (const bytes of readWholeLines(source)) {
    const line = next++
    const { path, messages } = findNested(bytes)
    const records = messages.map((message) => (typeof asObject(message)?.id === 'string' ? [next++] : []))
    const elements = messages.length > 0 ? findListElements(bytes, [path]) : []
    // A key that is escaped or given twice: the line stays whole.
    if (elements.length === 0 || elements.length !== messages.length)
      yield { bytes, records: [line, ...records.flat()] }
    else yield* splitAround(bytes, elements, (index) => records[index] ?? [])
  }
}

interface NestedMessages {
  /** Keys that lead to their list. */
  readonly path: readonly string[]
  readonly messages: readonly unknown[]
}

function findNested(line: Buffer): NestedMessages {
  const value = parseObject(line)
  if (!value || typeof value.$rewindTo === 'string' || typeof value.id === 'string') return { path: [], messages: [] }
  const set = asObject(value.$set)
  const isSession = typeof value.sessionId === 'string' && typeof value.projectHash === 'string'
  const messages = set ? set.messages : isSession ? value.messages : undefined
  return { path: set ? ['$set', 'messages'] : ['messages'], messages: Array.isArray(messages) ? messages : [] }
}
