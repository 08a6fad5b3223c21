/**
 * A document as the stretches that are kept one by one; joined, they are the document.
 *
 *   lines    │{…}↵│{…}↵│{…}↵│             every line is a record
 *   JSON     │{"messages":[│{…}│,│{…}│]}│  every element of the list is one, what lies between belongs to none
 */
import type { ByteSource, FormatName } from '@precis/core/formats'
import { isLog } from '../sessions/gemini-cli/stored-chat.ts'
import { asObject, parseObject } from '../sessions/lines.ts'
import { findListElements } from './list-elements.ts'

export interface Piece {
  /** Valid until the next one is read. */
  readonly bytes: Uint8Array
  /** Numbers of native records, as messages name them, that lie in it. */
  readonly records: readonly number[]
}

export function* splitDocument(source: ByteSource, format: FormatName): Generator<Piece> {
  const isGemini = format === 'gemini-cli'
  const isLines = format === 'claude-code' || format === 'codex' || format === 'pi' || (isGemini && isLog(source))
  if (!isLines) {
    yield* splitJson(source.read(0, source.byteLength))
    return
  }
  let next = 0
  for (const bytes of readWholeLines(source)) {
    const records = [next++]
    // A line of Gemini CLI may hold messages, and they are counted behind it.
    if (isGemini) for (let nested = countNested(bytes); nested > 0; nested--) records.push(next++)
    yield { bytes, records }
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

function* splitJson(bytes: Uint8Array): Generator<Piece> {
  let position = 0
  let record = 0
  for (const { start, end } of findListElements(bytes)) {
    if (start > position) yield { bytes: bytes.subarray(position, start), records: [] }
    yield { bytes: bytes.subarray(start, end), records: [record++] }
    position = end
  }
  if (position < bytes.length) yield { bytes: bytes.subarray(position), records: [] }
}

function countNested(line: Buffer): number {
  const value = parseObject(line)
  if (!value || typeof value.$rewindTo === 'string' || typeof value.id === 'string') return 0
  const set = asObject(value.$set)
  const isSession = typeof value.sessionId === 'string' && typeof value.projectHash === 'string'
  const messages = set ? set.messages : isSession ? value.messages : undefined
  if (!Array.isArray(messages)) return 0
  return messages.filter((message) => typeof asObject(message)?.id === 'string').length
}
