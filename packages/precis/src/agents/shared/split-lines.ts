/**
 * A document as the sections that are kept one by one. Joined, they are the document.
 *
 *   lines    │{…}↵│{…}↵│{…}↵│             every line is a record
 *   JSON     │{"messages":[│{…}│,│{…}│]}│  every element of the list is a record
 */
import type { ByteSource } from '@precis/core/formats'
import type { Piece } from './agent.ts'

/** A log: one record per line, numbered from 0. */
export function* splitLines(source: ByteSource): Generator<Piece> {
  let record = 0
  for (const bytes of readWholeLines(source)) yield { bytes, records: [record++] }
}

/** One JSON document: a list of messages, or an object with one. Elements are numbered from 0. */
export function* splitJson(source: ByteSource): Generator<Piece> {
  const bytes = source.read(0, source.byteLength)
  yield* splitAround(bytes, findListElements(bytes), (index) => [index])
}

const PIECE_BYTES = 1 << 18
const LINE_FEED = 0x0a

/** Includes line breaks. Lines may have any length. */
export function* readWholeLines(source: ByteSource): Generator<Buffer> {
  let begun: Buffer[] = []
  for (let position = 0; position < source.byteLength; position += PIECE_BYTES) {
    // A copy, because the view is valid only until the next read.
    const piece = Buffer.from(
      source.read(position, Math.min(position + PIECE_BYTES, source.byteLength)),
    )
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

export function* splitAround(
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

export type ElementSpan = { readonly start: number; readonly end: number }

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const BACKSLASH = 0x5c
const OPEN = new Set([0x5b, 0x7b])
const CLOSE = new Set([0x5d, 0x7d])
const OPEN_ARRAY = 0x5b
const SPACE = new Set([0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf])
// The document itself, or a member of it with messages.
const LISTS = [[], ['messages'], ['input'], ['contents'], ['requests']]

/**
 * One pass that counts brackets, so depth costs nothing. Assumes valid JSON in UTF-8. For anything
 * else it returns some spans, ordered and disjoint. `lists`: keys that lead to a list. The first
 * one found counts.
 */
export function findListElements(
  bytes: Uint8Array,
  lists: readonly (readonly string[])[] = LISTS,
): ElementSpan[] {
  const elements: ElementSpan[] = []
  let depth = 0
  let listDepth = 0
  let text = ''
  // By depth, down to the deepest possible list.
  const keys: string[] = []
  const deepest = Math.max(...lists.map((path) => path.length))
  let start = -1
  let end = 0
  const finish = () => {
    if (start >= 0) elements.push({ start, end })
    start = -1
  }
  for (let position = 0; position < bytes.length; position++) {
    const byte = bytes[position] ?? 0
    if (SPACE.has(byte)) continue
    const isList = listDepth > 0 && depth === listDepth
    if (isList && (byte === COMMA || CLOSE.has(byte))) {
      finish()
      // Only the first list counts.
      if (byte !== COMMA) return elements
      continue
    }
    if (isList && start < 0) start = position
    if (byte === QUOTE) {
      const close = skipString(bytes, position)
      if (depth <= deepest && listDepth === 0) text = readKey(bytes, position + 1, close)
      position = close
    } else if (byte === COLON) {
      if (depth <= deepest) keys[depth] = text
    } else if (OPEN.has(byte)) {
      depth++
      if (depth <= deepest) keys[depth] = ''
      if (
        listDepth === 0 &&
        byte === OPEN_ARRAY &&
        lists.some((path) => leadsTo(path, keys, depth))
      )
        listDepth = depth
    } else if (CLOSE.has(byte)) depth--
    end = position + 1
  }
  return elements
}

function leadsTo(path: readonly string[], keys: readonly string[], depth: number): boolean {
  return path.length === depth - 1 && path.every((key, index) => keys[index + 1] === key)
}

/** The position of the quote that ends the string. */
function skipString(bytes: Uint8Array, at: number): number {
  let position = at + 1
  while (position < bytes.length && bytes[position] !== QUOTE)
    position += bytes[position] === BACKSLASH ? 2 : 1
  return position
}

const LONGEST_KEY = 16

function readKey(bytes: Uint8Array, start: number, end: number): string {
  return end - start > LONGEST_KEY ? '' : Buffer.from(bytes.subarray(start, end)).toString('latin1')
}
