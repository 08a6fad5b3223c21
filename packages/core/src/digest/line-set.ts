import { bisect } from '../conversation/lists.ts'
import { type Part, renderPart } from '../conversation/message.ts'

/**
 * The trimmed lines of many parts. A hash represents a line, because copies would take as much
 * memory as the history. Two lines with the same hash count as one.
 */
export class LineSet {
  /** In ascending order: in a hash table, lines that were made for it could share one place. */
  readonly #hashes: Float64Array

  constructor(parts: readonly Part[]) {
    const hashes = parts.map(hashLines)
    this.#hashes = new Float64Array(hashes.reduce((sum, { length }) => sum + length, 0))
    let at = 0
    for (const ofPart of hashes) {
      this.#hashes.set(ofPart, at)
      at += ofPart.length
    }
    this.#hashes.sort()
  }

  has(line: string): boolean {
    const hash = hashSlice(line, 0, line.length)
    const hashes = this.#hashes
    return hashes[bisect(hashes.length, (place) => hashes[place]! >= hash)] === hash
  }
}

const known = new WeakMap<Part, Float64Array>()

/** A hash of each line that is not blank. Memoized by identity. */
function hashLines(part: Part): Float64Array {
  const found = known.get(part)
  if (found) return found
  const text = renderPart(part)
  const hashes: number[] = []
  for (let start = 0; start <= text.length; ) {
    const next = text.indexOf('\n', start)
    const end = next < 0 ? text.length : next
    let from = start
    while (from < end && isSpace(text.charCodeAt(from))) from++
    let to = end
    while (to > from && isSpace(text.charCodeAt(to - 1))) to--
    if (from < to) hashes.push(hashSlice(text, from, to))
    start = end + 1
  }
  const packed = Float64Array.from(hashes)
  known.set(part, packed)
  return packed
}

// FNV-1a, and a polynomial with another multiplier.
const FIRST_OFFSET = 0x811c9dc5
const FIRST_FACTOR = 0x01000193
const SECOND_FACTOR = 0x5bd1e995
// A number holds 53 bits: all 32 of the first, and the upper 21 of the second.
const SECOND_BITS = 21

function hashSlice(text: string, from: number, to: number): number {
  let first = FIRST_OFFSET | 0
  let second = 1
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at)
    first = Math.imul(first ^ code, FIRST_FACTOR)
    second = (Math.imul(second, SECOND_FACTOR) + code) | 0
  }
  return (first >>> 0) * 2 ** SECOND_BITS + (second >>> (32 - SECOND_BITS))
}

const SPACE = 32
const LAST_ASCII = 127

/** What `trim` removes. */
function isSpace(code: number): boolean {
  if (code <= LAST_ASCII) return code === SPACE || (code >= 9 && code <= 13)
  return String.fromCharCode(code).trim() === ''
}
