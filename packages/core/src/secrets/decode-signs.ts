import { bisect } from '../conversation/lists.ts'

// ASCII, also encoded again: `%253D`. No rule for secrets asks for letters of other scripts.
// Without a flag for letters of both cases, as that makes the search ten times slower.
const SIGN = /(?:(\\{1,16})u00|%(?:25){0,16}(?:5[cC]u00)?)([0-7][\da-fA-F])/g
const SIGN_OR_STOP = new RegExp(`${SIGN.source}|[\\n"]|\\\\+`, 'g')

// In characters: as much as takes some milliseconds, the longest value, and what is before one.
const LONGEST_PIECE = 16_384
const LONGEST_VALUE = 4_096
const LONGEST_BEFORE = 256

const STOPS = new Set('\n"\\')

// No value reaches beyond it.
export const PIECE_END = '\n\0\n'

export interface Decoded {
  readonly text: string
  /** Where a character of the text, or its end, is in the original. */
  placeOf(index: number): number
}

/**
 * Signs of addresses inside addresses are decoded, `?u=https%3A%2F%2Fx%2F%3Fkey%3D…`, and so are
 * those of JSON, `\u003d`: no rule for secrets has to know how they are written. A text is decoded
 * in pieces, and only where something is encoded. Short pieces are in one text.
 */
export function* decodeSigns(original: string): Generator<Decoded, void, undefined> {
  let pieces = new Pieces()
  let from = 0
  for (;;) {
    SIGN.lastIndex = from
    const sign = SIGN.exec(original)?.index
    if (sign === undefined) break
    const least = Math.max(from, sign - LONGEST_BEFORE)
    let start = sign
    while (start > least && !STOPS.has(original.charAt(start - 1))) start--
    if (start > least) start--
    from = pieces.add(original, start, sign)
    if (pieces.text.length < LONGEST_PIECE) continue
    yield pieces
    pieces = new Pieces()
  }
  if (pieces.text !== '') yield pieces
}

class Pieces implements Decoded {
  text = ''
  // Where text begins that is the same as in the original, and its place there.
  readonly #starts: number[] = []
  readonly #places: number[] = []

  placeOf(index: number): number {
    const next = bisect(this.#starts.length, (run) => this.#starts[run]! > index)
    return this.#places[next - 1]! + index - this.#starts[next - 1]!
  }

  /**
   * Adds a piece with a sign, and returns where the next one may begin. A quote may end a string of
   * JSON, and so may one behind backslashes that encode nothing: a piece ends there, so that no
   * secret reaches from one string into the next.
   */
  add(original: string, start: number, sign: number): number {
    const most = Math.min(sign + LONGEST_PIECE, original.length)
    const same: string[] = []
    const signs: string[] = []
    let [at, end, length] = [start, most, this.text.length]
    let backslashes = Infinity
    const copyTo = (to: number) => {
      this.#starts.push(length)
      this.#places.push(at)
      same.push(original.slice(at, to))
      length += to - at
    }
    SIGN_OR_STOP.lastIndex = sign
    for (let match = SIGN_OR_STOP.exec(original); match; match = SIGN_OR_STOP.exec(original)) {
      const { 0: found, 1: slashes = '', 2: code, index } = match
      if (index >= most) break
      if (code === undefined) {
        // In a string whose quotes are encoded, what has as many backslashes is part of it.
        if (found.startsWith('\\') && found.length >= backslashes) {
          if (original.charAt(index + found.length) === '"') SIGN_OR_STOP.lastIndex++
          continue
        }
        end = index
        break
      }
      let decoded = String.fromCharCode(Number.parseInt(code, 16))
      if (decoded === '"') {
        // One with more backslashes than the one that opened is in the string.
        if (slashes.length <= backslashes)
          backslashes = backslashes < Infinity ? Infinity : slashes.length || Infinity
        decoded = '\\'.repeat(countEscapes(slashes.length)) + decoded
      }
      copyTo(index)
      signs.push(decoded)
      length += decoded.length
      at = index + found.length
    }
    copyTo(end)
    // A quote that is encoded is closed only by one that is, too.
    const quotes = ["'", '"'].filter((quote) => signs.some((sign) => sign.endsWith(quote)))
    const mask = (piece: string) =>
      quotes.reduce((masked, quote) => masked.replaceAll(quote, '’'), piece)
    this.text += same.map((piece, place) => mask(piece) + (signs[place] ?? '')).join('') + PIECE_END
    // A value that begins at the end of a full piece is whole in the next.
    return end < most ? end : sign + LONGEST_PIECE - LONGEST_VALUE
  }
}

/**
 * The backslashes of a quote that is written with as many before its `u`: `\\u0022` in a string of
 * JSON is `\"` there, whose own strings begin with it.
 */
const countEscapes = (slashes: number): number => {
  if (slashes === 0) return 0
  return slashes % 2 === 1 ? (slashes - 1) / 2 : 2 * countEscapes(slashes / 2) + 1
}
