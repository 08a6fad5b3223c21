/** Finds a text in decoded strings, and first in bytes of JSON, of which most need not be parsed. */
import { containsWords } from './filter-sessions.ts'

export interface TextSearch {
  /**
   * The position at which JSON may contain it, or -1. May find too much, and too little only where
   * the text has a Kelvin sign for a k or ends with İ.
   */
  readonly findCandidate: (json: Uint8Array, from: number) => number
  /** Index in decoded text, or -1. Case is ignored. */
  readonly find: (text: string) => number
  readonly length: number
}

// JSON writers leave the ASCII of it as it is, and write the rest as UTF-8 or as \uXXXX. Some escape
// <, >, &, ' and /. Greek letters with an iota below have capitals with it below and beside.
const PLAIN_RUN = /[a-z0-9 _.,:;()\u0080-\u1f7f\u2000-\u{10ffff}-]+/gu
// The search is linear because of it, however often a text repeats itself.
const LONGEST_ANCHOR = 32
/** The most bytes of a candidate: each character as two escapes. */
export const LONGEST_CANDIDATE = LONGEST_ANCHOR * 12
const MOST_PLACES = 31

export function createTextSearch(wanted: string): TextSearch {
  const text = wanted.toLowerCase()
  // A dot above belongs to the letter in İ, which has no small form of one character.
  const runs =
    text
      .replaceAll('i\u0307', '\n')
      .match(PLAIN_RUN)
      ?.map((run) => Array.from(run)) ?? []
  const anchor = runs.reduce((longest, run) => (run.length > longest.length ? run : longest), [])
  return {
    findCandidate: createByteSearch(anchor.slice(0, LONGEST_ANCHOR)),
    find: (value) => value.toLowerCase().indexOf(text),
    length: text.length,
  }
}

/** For texts that have each of the words, in any order. The longest word is the place. */
export function createWordSearch(words: readonly string[]): TextSearch {
  const place = createTextSearch(
    words.reduce((longest, word) => (word.length > longest.length ? word : longest), ''),
  )
  return { ...place, find: (value) => (containsWords(value, words) ? place.find(value) : -1) }
}

/** One way to write a character. Each byte is that of `either` or that of `or`. */
interface Spelling {
  readonly either: Uint8Array
  readonly or: Uint8Array
}

/**
 * Horspool, "Practical fast searching in strings" (1980), with a set of bytes for each place: at 1
 * to 2 GB/s it is three times as fast as a lower-case copy of the bytes.
 *
 *   ü     c3 bc │ c3 9c │ \u00fc │ \u00dc
 *   für   the shortest way to write it is the window, which here has four bytes
 */
function createByteSearch(characters: readonly string[]): TextSearch['findCandidate'] {
  const spellings = characters.map(listSpellings)
  const shortest = spellings.reduce((sum, each) => sum + findShortest(each), 0)
  const last = Math.min(shortest, MOST_PLACES) - 1
  // Nothing plain in it: everything has to be decoded.
  if (last < 0) return (json, from) => (from < json.length ? from : -1)
  const skips = new Uint8Array(256).fill(last + 1)
  // A bit for each place of the window.
  const places = new Int32Array(256)
  listBytes(spellings, last + 1).forEach((bytes, place) => {
    for (const byte of bytes) {
      if (place < last) skips[byte] = last - place
      places[byte] = places[byte]! | (1 << place)
    }
  })
  // How far to go on from a byte that cannot be the last one of the window. 0 for one that can.
  const leaps = skips.map((skip, byte) => ((places[byte]! >> last) & 1 ? 0 : skip))
  return (json, from) => {
    const { length } = json
    for (let end = from + last; end < length; end += skips[json[end]!]!) {
      for (let leap = leaps[json[end]!]!; leap !== 0; leap = leaps[json[end]!]!) {
        end += leap
        if (end >= length) return -1
      }
      const start = end - last
      let at = last - 1
      while (at >= 0 && (places[json[start + at]!]! >> at) & 1) at--
      if (at < 0 && isSpelled(json, start, spellings)) return start
    }
    return -1
  }
}

const findShortest = (spellings: readonly Spelling[]): number =>
  Math.min(...spellings.map(({ either }) => either.length))

// Capitals that no small letter names as its capital.
const OTHER_CAPITALS: Readonly<Record<string, string>> = {
  '\u00df': '\u1e9e',
  '\u00e5': '\u212b',
  '\u03c9': '\u2126',
  '\u03b8': '\u03f4',
  // Two letters in one, of which the first is a capital.
  '\u01c6': '\u01c5',
  '\u01c9': '\u01c8',
  '\u01cc': '\u01cb',
  '\u01f3': '\u01f2',
}

function listSpellings(character: string): Spelling[] {
  const capital = character.toUpperCase()
  const isAscii = character < '\u0080'
  if (isAscii) return [{ either: Buffer.from(character), or: Buffer.from(capital) }]
  const other = Object.hasOwn(OTHER_CAPITALS, character) ? OTHER_CAPITALS[character] : undefined
  // A capital of several letters, such as the SS of ß, becomes no small letter again.
  const forms = [character, capital, other ?? ''].filter((form) => Array.from(form).length === 1)
  return [...new Set(forms)].flatMap((form) => {
    const bytes = Buffer.from(form)
    const digits = Array.from({ length: form.length }, (_, unit) =>
      form.charCodeAt(unit).toString(16).padStart(4, '0'),
    )
    const spell = (render: (hex: string) => string) =>
      Buffer.from(digits.map((hex) => `\\u${render(hex)}`).join(''))
    return [
      { either: bytes, or: bytes },
      { either: spell((hex) => hex), or: spell((hex) => hex.toUpperCase()) },
    ]
  })
}

/** The bytes that may be at each place of the window. */
function listBytes(spellings: readonly (readonly Spelling[])[], length: number): Set<number>[] {
  const places = Array.from({ length }, () => new Set<number>())
  let starts = new Set([0])
  for (const character of spellings) {
    const ends = new Set<number>()
    for (const { either, or } of character) {
      for (const start of starts) {
        for (const bytes of [either, or])
          bytes.forEach((byte, index) => {
            places[start + index]?.add(byte)
          })
        ends.add(start + either.length)
      }
    }
    starts = ends
  }
  return places
}

/** No spelling begins with another one, so that there is one way at most. */
function isSpelled(
  json: Uint8Array,
  start: number,
  spellings: readonly (readonly Spelling[])[],
): boolean {
  let at = start
  for (const character of spellings) {
    const spelling = character.find((each) => isAt(json, at, each))
    if (!spelling) return false
    at += spelling.either.length
  }
  return true
}

function isAt(json: Uint8Array, at: number, { either, or }: Spelling): boolean {
  for (let index = 0; index < either.length; index++) {
    const byte = json[at + index]
    if (byte !== either[index] && byte !== or[index]) return false
  }
  return true
}
