import { characterAt, END, LOWER, MARK, NEWLINE, NUMBER, OTHER, SPACE, UNCASED, UPPER } from './characters.ts'

/**
 * Finds where the piece that starts at a byte offset ends. A piece is what the regular expression of an encoding
 * matches: tokens never cross its borders. The text ends with the sentinel byte.
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
  let at = findSymbolsEnd(bytes, next, classes)
  for (let byte = bytes[at]!; byte === 0x0a || byte === 0x0d || byte === SLASH; byte = bytes[at]!) at++
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
  if (firstClass > MARK) return findLettersEnd(bytes, next, classes)
  if (firstClass === NUMBER) return findNumberEnd(bytes, next, classes)
  if (firstClass === NEWLINE) return findBlankEnd(bytes, start, classes)
  if (bytes[start] === APOSTROPHE) {
    const end = findContractionEnd(bytes, start)
    if (end !== start) return end
  }
  const nextClass = characterAt(bytes, next, classes) >> 3
  if (nextClass > MARK && nextClass !== END) return findLettersEnd(bytes, next, classes)
  if (firstClass === SPACE && !((nextClass === OTHER || nextClass === MARK) && bytes[start] === SPACE_BYTE)) {
    return findBlankEnd(bytes, start, classes)
  }
  let at = findSymbolsEnd(bytes, next, classes)
  for (let byte = bytes[at]!; byte === 0x0a || byte === 0x0d; byte = bytes[at]!) at++
  return at
}

/**
 * The two word alternatives of o200k_base in one pass. Where no lower-case letter follows the capitals, the greedy
 * match gives back everything behind its last mark or uncased letter:
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
  if (character >> 3 === LOWER) {
    for (;;) {
      const characterClass = character >> 3
      if (characterClass !== LOWER && characterClass !== UNCASED && characterClass !== MARK) break
      at += character & 7
      character = characterAt(bytes, at, classes)
    }
  } else if (lastUncasedEnd !== -1) at = lastUncasedEnd
  return bytes[at] === APOSTROPHE ? findContractionEnd(bytes, at) : at
}

/** `'s 't 're 've 'm 'll 'd` in any case; U+017F, the long s, folds to s. Without one, the offset it was given. */
function findContractionEnd(bytes: Uint8Array, apostrophe: number): number {
  const first = bytes[apostrophe + 1]! | 0x20
  if (first === 0x73 || first === 0x74 || first === 0x6d || first === 0x64) return apostrophe + 2
  const second = bytes[apostrophe + 2]!
  if (bytes[apostrophe + 1] === 0xc5 && second === 0xbf) return apostrophe + 3
  if ((first === 0x72 || first === 0x76) && (second | 0x20) === 0x65) return apostrophe + 3
  return first === 0x6c && (second | 0x20) === 0x6c ? apostrophe + 3 : apostrophe
}

function findLettersEnd(bytes: Uint8Array, start: number, classes: Uint8Array): number {
  let at = start
  for (;;) {
    const character = characterAt(bytes, at, classes)
    const characterClass = character >> 3
    if (characterClass <= MARK || characterClass === END) return at
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

function findSymbolsEnd(bytes: Uint8Array, start: number, classes: Uint8Array): number {
  let at = start
  for (;;) {
    const character = characterAt(bytes, at, classes)
    const characterClass = character >> 3
    if (characterClass !== OTHER && characterClass !== MARK) return at
    at += character & 7
  }
}

/** A blank run ends behind its last line break; without one, at the end of the text or before its last character. */
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
