/**
 * Finds the end of the piece that starts at a byte offset. A piece is a match of an encoding's
 * regular expression, and tokens never cross its borders. The text ends with the sentinel byte.
 */
export type FindPieceEnd = (bytes: Uint8Array, start: number, classes: Uint8Array) => number

const APOSTROPHE = 0x27
const SLASH = 0x2f
const SPACE_BYTE = 0x20

/**
 * o200k_base, first alternative that matches:
 *
 *     [^\r\n\p{L}\p{N}]? capital* small+ contraction?       capital = Lu Lt Lm Lo M
 *     [^\r\n\p{L}\p{N}]? capital+ small* contraction?       small   = Ll Lm Lo M
 *     \p{N}{1,3}    ?[^\s\p{L}\p{N}]+[\r\n/]*    \s*[\r\n]+    \s+(?!\S)    \s+
 */
export function findO200kPieceEnd(bytes: Uint8Array, start: number, classes: Uint8Array): number {
  const first = characterAt(bytes, start, classes)
  const firstClass = first >> 3
  const next = start + (first & 7)
  if ((firstClass & MARK) !== 0) return findCasedWordEnd(bytes, start, classes)
  if (firstClass === NUMBER) return findNumberEnd(bytes, next, classes)
  if (firstClass === NEWLINE) return findBlankEnd(bytes, start, classes)
  const nextClass = characterAt(bytes, next, classes) >> 3
  if ((nextClass & MARK) !== 0) return findCasedWordEnd(bytes, next, classes)
  if (firstClass === SPACE && !(nextClass === OTHER && bytes[start] === SPACE_BYTE)) {
    return findBlankEnd(bytes, start, classes)
  }
  let at = skipClasses(bytes, next, classes, SYMBOLS)
  for (let byte = bytes[at]!; byte === 0x0a || byte === 0x0d || byte === SLASH; byte = bytes[at]!)
    at++
  return at
}

/**
 * cl100k_base, first alternative that matches:
 *
 *     contraction    [^\r\n\p{L}\p{N}]?\p{L}+    \p{N}{1,3}
 *     ?[^\s\p{L}\p{N}]+[\r\n]*    \s*[\r\n]+    \s+(?!\S)    \s+
 */
export function findCl100kPieceEnd(bytes: Uint8Array, start: number, classes: Uint8Array): number {
  const first = characterAt(bytes, start, classes)
  const firstClass = first >> 3
  const next = start + (first & 7)
  if (firstClass > MARK) return skipClasses(bytes, next, classes, LETTERS)
  if (firstClass === NUMBER) return findNumberEnd(bytes, next, classes)
  if (firstClass === NEWLINE) return findBlankEnd(bytes, start, classes)
  if (bytes[start] === APOSTROPHE) {
    const end = findContractionEnd(bytes, start)
    if (end !== start) return end
  }
  const nextClass = characterAt(bytes, next, classes) >> 3
  if (nextClass > MARK && nextClass !== END) return skipClasses(bytes, next, classes, LETTERS)
  if (
    firstClass === SPACE &&
    !((nextClass === OTHER || nextClass === MARK) && bytes[start] === SPACE_BYTE)
  ) {
    return findBlankEnd(bytes, start, classes)
  }
  let at = skipClasses(bytes, next, classes, SYMBOLS)
  for (let byte = bytes[at]!; byte === 0x0a || byte === 0x0d; byte = bytes[at]!) at++
  return at
}

/**
 * The two word alternatives of o200k_base in one pass. If no lower-case letter follows the
 * capitals, the greedy match returns everything after its last mark or uncased letter:
 *
 *     ABCdef → ABCdef        ABC → ABC        ABʰCD → ABʰ + CD
 */
function findCasedWordEnd(bytes: Uint8Array, start: number, classes: Uint8Array): number {
  let at = start
  let lastUncasedEnd = -1
  let character = characterAt(bytes, at, classes)
  for (;;) {
    const characterClass = character >> 3
    if (characterClass !== UPPER && characterClass !== UNCASED && characterClass !== MARK) break
    at += character & 7
    if (characterClass !== UPPER) lastUncasedEnd = at
    character = characterAt(bytes, at, classes)
  }
  if (character >> 3 === LOWER) at = skipClasses(bytes, at, classes, SMALL)
  else if (lastUncasedEnd !== -1) at = lastUncasedEnd
  return bytes[at] === APOSTROPHE ? findContractionEnd(bytes, at) : at
}

/**
 * `'s 't 're 've 'm 'll 'd` in any case. U+017F, the long s, folds to s. Returns the given offset
 * if there is no contraction.
 */
function findContractionEnd(bytes: Uint8Array, apostrophe: number): number {
  const first = bytes[apostrophe + 1]! | 0x20
  if (first === 0x73 || first === 0x74 || first === 0x6d || first === 0x64) return apostrophe + 2
  const second = bytes[apostrophe + 2]!
  if (bytes[apostrophe + 1] === 0xc5 && second === 0xbf) return apostrophe + 3
  if ((first === 0x72 || first === 0x76) && (second | 0x20) === 0x65) return apostrophe + 3
  return first === 0x6c && (second | 0x20) === 0x6c ? apostrophe + 3 : apostrophe
}

/** The end of a run of characters whose classes are in a set of bits. */
function skipClasses(bytes: Uint8Array, start: number, classes: Uint8Array, set: number): number {
  let at = start
  for (;;) {
    const character = characterAt(bytes, at, classes)
    if (((set >> (character >> 3)) & 1) === 0) return at
    at += character & 7
  }
}

/** At most two digits after the first one. */
function findNumberEnd(bytes: Uint8Array, second: number, classes: Uint8Array): number {
  let at = second
  for (let digits = 1; digits < 3; digits++) {
    const character = characterAt(bytes, at, classes)
    if (character >> 3 !== NUMBER) return at
    at += character & 7
  }
  return at
}

/**
 * A blank run ends after its last line break. If it has no line break, it ends at the end of the
 * text or before its last character.
 */
function findBlankEnd(bytes: Uint8Array, start: number, classes: Uint8Array): number {
  let at = start
  let lastStart = start
  let lastNewlineEnd = -1
  let character = characterAt(bytes, at, classes)
  while (character >> 3 === SPACE || character >> 3 === NEWLINE) {
    lastStart = at
    at += character & 7
    if (character >> 3 === NEWLINE) lastNewlineEnd = at
    character = characterAt(bytes, at, classes)
  }
  if (lastNewlineEnd !== -1) return lastNewlineEnd
  return character >> 3 === END || lastStart === start ? at : lastStart
}

/**
 * Character classes by which the encodings split text. SPACE is White_Space without CR and LF,
 * UPPER is Lu and Lt, UNCASED is Lm and Lo. END is the sentinel after the text and not a character.
 */
const OTHER = 0
const SPACE = 1
const NEWLINE = 2
const NUMBER = 3
const MARK = 4
const UNCASED = 5
const UPPER = 6
const LOWER = 7
const END = 8

const LETTERS = (1 << UNCASED) | (1 << UPPER) | (1 << LOWER)
const SMALL = (1 << LOWER) | (1 << UNCASED) | (1 << MARK)
const SYMBOLS = (1 << OTHER) | (1 << MARK)

/** The letter of each class in the packed runs, at the index of the class. */
export const CLASS_LETTERS = 'OSRNMAUL'

/**
 * Follows the last byte of the text, so that every run ends without a bounds check. UTF-8 never has
 * this byte.
 */
export const SENTINEL = 0xff

const CODE_POINTS = 0x110000

/** The class of every code point, as runs of a letter and a length in base 36 (no length: 1). */
export function unpackClasses(packed: Uint8Array): Uint8Array {
  const classes = new Uint8Array(CODE_POINTS)
  let codePoint = 0
  for (let at = 0; at < packed.length; ) {
    const characterClass = CLASS_LETTERS.indexOf(String.fromCharCode(packed[at++]!))
    let length = 0
    for (; at < packed.length; at++) {
      const code = packed[at]!
      if (code < 0x3a) length = length * 36 + code - 0x30
      else if (code > 0x60) length = length * 36 + code - 0x57
      else break
    }
    if (length === 0) classes[codePoint++] = characterClass
    else {
      if (characterClass !== OTHER) classes.fill(characterClass, codePoint, codePoint + length)
      codePoint += length
    }
  }
  return classes
}

/**
 * Reads the character at a byte offset: its class in the high bits, its width in bytes in the low
 * three.
 */
function characterAt(bytes: Uint8Array, at: number, classes: Uint8Array): number {
  const lead = bytes[at]!
  if (lead < 0x80) return (classes[lead]! << 3) | 1
  if (lead < 0xe0) return (classes[((lead & 0x1f) << 6) | (bytes[at + 1]! & 0x3f)]! << 3) | 2
  const high = ((bytes[at + 1]! & 0x3f) << 6) | (bytes[at + 2]! & 0x3f)
  if (lead < 0xf0) return (classes[((lead & 0x0f) << 12) | high]! << 3) | 3
  if (lead === SENTINEL) return (END << 3) | 1
  return (classes[((lead & 0x07) << 18) | (high << 6) | (bytes[at + 3]! & 0x3f)]! << 3) | 4
}
