// ASCII, also encoded again: `%253D`. No rule for secrets asks for letters of other scripts.
// Without a flag for letters of both cases, as that makes the search ten times slower.
const ENCODED = /(?:\\{1,16}u00|%(?:25){0,16}(?:5[cC]u00)?)([0-7][\da-fA-F])/g
// A quote may end a string of JSON, and a backslash that encodes nothing may be before such a quote.
// What is decoded ends there: no secret may reach from one string into the next.
const STOP = /[\n"]|(?<!\\)\\+(?!\\|u00[0-7][\da-fA-F])/

// In characters: as much as takes some milliseconds, the longest value, and what is before one.
const LONGEST_PIECE = 16_384
const LONGEST_VALUE = 4_096
const LONGEST_BEFORE = 256

export interface Decoded {
  readonly text: string
  /** Where each character of the text, and its end, are in the original. */
  readonly places: readonly number[]
}

/**
 * Signs of addresses inside addresses are decoded, `?u=https%3A%2F%2Fx%2F%3Fkey%3D…`, and so are
 * those of JSON, `\u003d`: no rule for secrets has to know how they are written. A long text is
 * decoded in pieces, and only where something is encoded.
 */
export function* decodeSigns(original: string): Generator<Decoded, void, undefined> {
  let from = 0
  for (;;) {
    ENCODED.lastIndex = from
    const sign = ENCODED.exec(original)?.index
    if (sign === undefined) return
    const least = Math.max(from, sign - LONGEST_BEFORE)
    const before = original.slice(least, sign)
    const start = least + Math.max(0, ...['\n', '"', '\\'].map((stop) => before.lastIndexOf(stop)))
    const rest = original.slice(sign, sign + LONGEST_PIECE)
    const stop = rest.search(STOP)
    yield decode(before.slice(start - least) + (stop < 0 ? rest : rest.slice(0, stop)), start)
    // A value that begins at the end of a full piece is whole in the next.
    from = sign + (stop < 0 ? LONGEST_PIECE - LONGEST_VALUE : stop)
  }
}

function decode(piece: string, start: number): Decoded {
  const places: number[] = []
  let at = start
  const copyTo = (end: number) => {
    while (at <= start + end) places.push(at++)
  }
  // A quote that is encoded is closed only by one that is, too.
  const others = /[0%5]27/.test(piece) ? piece.replaceAll("'", '’') : piece
  const text = others.replace(ENCODED, (sign, code, index) => {
    copyTo(index)
    at += sign.length - 1
    return decodeURIComponent(`%${code}`)
  })
  copyTo(piece.length)
  return { text, places }
}
