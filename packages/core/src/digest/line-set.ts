import { type Part, renderPart } from '../conversation/message.ts'

/**
 * The trimmed lines of many parts. Two hashes represent a line, because copies would take as much
 * memory as the history. Two lines with the same hashes count as one.
 */
export class LineSet {
  /** Pairs of hashes, at the place of the first hash or after it. Two zeros are an empty place. */
  readonly #table: Int32Array
  readonly #mask: number

  constructor(parts: readonly Part[]) {
    const hashes = parts.map(hashLines)
    const count = hashes.reduce((sum, { length }) => sum + length, 0) / 2
    const places = 2 ** Math.ceil(Math.log2(count * 2 + 2))
    this.#table = new Int32Array(places * 2)
    this.#mask = places - 1
    for (const ofPart of hashes) this.#add(ofPart)
  }

  has(line: string): boolean {
    const hashes: number[] = []
    hashSlice(line, 0, line.length, hashes)
    const [first = 0, second = 0] = hashes
    const place = this.#find(first, second)
    return this.#table[place] === first && this.#table[place + 1] === second
  }

  #add(hashes: Int32Array): void {
    for (let index = 0; index < hashes.length; index += 2) {
      const place = this.#find(hashes[index]!, hashes[index + 1]!)
      this.#table[place] = hashes[index]!
      this.#table[place + 1] = hashes[index + 1]!
    }
  }

  /** Where a pair is, or where it would be. */
  #find(first: number, second: number): number {
    for (let place = first & this.#mask; ; place = (place + 1) & this.#mask) {
      const one = this.#table[place * 2]
      const other = this.#table[place * 2 + 1]
      if ((one === first && other === second) || (one === 0 && other === 0)) return place * 2
    }
  }
}

const known = new WeakMap<Part, Int32Array>()

/** Two hashes of each line that is not blank. Memoized by identity. */
function hashLines(part: Part): Int32Array {
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
    if (from < to) hashSlice(text, from, to, hashes)
    start = end + 1
  }
  const packed = Int32Array.from(hashes)
  known.set(part, packed)
  return packed
}

// FNV-1a, and a polynomial with another multiplier.
const FIRST_OFFSET = 0x811c9dc5
const FIRST_FACTOR = 0x01000193
const SECOND_FACTOR = 0x5bd1e995

function hashSlice(text: string, from: number, to: number, hashes: number[]): void {
  let first = FIRST_OFFSET | 0
  let second = 1
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at)
    first = Math.imul(first ^ code, FIRST_FACTOR)
    second = (Math.imul(second, SECOND_FACTOR) + code) | 0
  }
  hashes.push(first ^ (first >>> 15), second)
}

const SPACE = 32
const LAST_ASCII = 127

/** What `trim` removes. */
function isSpace(code: number): boolean {
  if (code <= LAST_ASCII) return code === SPACE || (code >= 9 && code <= 13)
  return String.fromCharCode(code).trim() === ''
}
