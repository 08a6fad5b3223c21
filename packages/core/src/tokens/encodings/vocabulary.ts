/** Digits of the packed vocabularies, base 64. */
export const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/**
 * Where the bytes of a token stand in `bytes`: its length, then the bytes. Tokens stand in rank order, so a place is
 * also a rank: of two pairs the one with the lower place is merged first.
 */
export type TokenPlace = number

/** What `find` returns for bytes that are no token; above every place, so that a minimum ignores it. */
export const NO_TOKEN: TokenPlace = 0x7fffffff

const PLACE_BITS = 21
const TAG_BITS = 32 - PLACE_BITS
/** Bytes; the length of a token is one byte. */
export const LONGEST_TOKEN = 255

/** Multiplier of the rolling hash: hash(ab) = hash(a) · BASE^|b| + hash(b), modulo 2^32. */
export const BASE = 0x2c1b3c6d

/** BASE to the power of a length in bytes. */
export const POWERS = new Int32Array(LONGEST_TOKEN + 1)
POWERS[0] = 1
for (let length = 1; length <= LONGEST_TOKEN; length++) POWERS[length] = Math.imul(POWERS[length - 1]!, BASE)

/** Spreads a rolling hash over all bits: the low ones choose a slot, the high ones are the slot's tag. */
export function mix(hash: number): number {
  const mixed = Math.imul(hash ^ (hash >>> 15), 0x297a2d39)
  return mixed ^ (mixed >>> 15)
}

/** An open-addressed table from token bytes to places. A slot holds place and tag; 0 is an empty slot. */
export interface Vocabulary {
  readonly bytes: Uint8Array
  readonly slots: Int32Array
  /** Behind the last token in `bytes`. */
  readonly end: TokenPlace
}

/** Rebuilds the tokens from their packed halves: bytes are tokens 0 to 255, each later token is two earlier ones. */
export function unpackVocabulary(packed: string): Vocabulary {
  const text = new TextEncoder().encode(packed)
  const tokens = SINGLE_BYTES + text.length / TOKEN_DIGITS
  const arrays: UnpackedArrays = {
    text,
    digits: new Uint8Array(128),
    bytes: new Uint8Array(1 << PLACE_BITS),
    slots: new Int32Array(2 ** Math.ceil(Math.log2(tokens * 2))),
    tokens: new Int32Array(tokens * 2),
  }
  for (let digit = 0; digit < DIGITS.length; digit++) arrays.digits[DIGITS.charCodeAt(digit)] = digit
  let place: TokenPlace = 1
  for (let byte = 0; byte < SINGLE_BYTES; byte++, place += 2) {
    arrays.tokens[byte * 2] = place
    arrays.tokens[byte * 2 + 1] = byte
    arrays.bytes[place] = 1
    arrays.bytes[place + 1] = byte
  }
  // In blocks: a function called again and again is compiled sooner than one long loop.
  for (let from = 0; from < text.length; from += BLOCK_DIGITS) {
    place = unpackBlock(arrays, from, Math.min(from + BLOCK_DIGITS, text.length), place)
  }
  return { bytes: arrays.bytes, slots: arrays.slots, end: place }
}

const SINGLE_BYTES = 256
const TOKEN_DIGITS = 6
const BLOCK_DIGITS = 400 * TOKEN_DIGITS

interface UnpackedArrays {
  readonly text: Uint8Array
  readonly digits: Uint8Array
  readonly bytes: Uint8Array
  readonly slots: Int32Array
  /** Place and rolling hash of token t at 2t and 2t + 1. */
  readonly tokens: Int32Array
}

function unpackBlock(arrays: UnpackedArrays, from: number, to: number, firstPlace: TokenPlace): TokenPlace {
  const { text, digits, bytes, slots, tokens } = arrays
  const view = new DataView(bytes.buffer)
  const mask = slots.length - 1
  let token = SINGLE_BYTES + from / TOKEN_DIGITS
  let place = firstPlace
  for (let at = from; at < to; at += TOKEN_DIGITS, token++) {
    const left = (digits[text[at]!]! << 12) | (digits[text[at + 1]!]! << 6) | digits[text[at + 2]!]!
    const right = (digits[text[at + 3]!]! << 12) | (digits[text[at + 4]!]! << 6) | digits[text[at + 5]!]!
    const leftPlace = tokens[left * 2]!
    const rightPlace = tokens[right * 2]!
    const leftLength = bytes[leftPlace]!
    const rightLength = bytes[rightPlace]!
    const hash = (Math.imul(tokens[left * 2 + 1]!, POWERS[rightLength]!) + tokens[right * 2 + 1]!) | 0
    tokens[token * 2] = place
    tokens[token * 2 + 1] = hash
    bytes[place] = leftLength + rightLength
    copyWords(view, leftPlace + 1, place + 1, leftLength)
    copyWords(view, rightPlace + 1, place + 1 + leftLength, rightLength)
    const mixed = mix(hash)
    let slot = mixed & mask
    while (slots[slot] !== 0) slot = (slot + 1) & mask
    slots[slot] = (place << TAG_BITS) | (mixed >>> PLACE_BITS)
    place += 1 + leftLength + rightLength
  }
  return place
}

/** Copies at least `length` bytes, at least eight; what it writes beyond them the next token overwrites. */
function copyWords(view: DataView, from: number, to: number, length: number): void {
  view.setInt32(to, view.getInt32(from, true), true)
  view.setInt32(to + 4, view.getInt32(from + 4, true), true)
  for (let done = 8; done < length; done += 4) view.setInt32(to + done, view.getInt32(from + done, true), true)
}

/** Finds the token that equals `length` bytes of `text` from `start`, whose rolling hash is `hash`. */
export function findToken(
  vocabulary: Vocabulary,
  text: Uint8Array,
  start: number,
  length: number,
  hash: number,
): TokenPlace {
  const { bytes, slots } = vocabulary
  const mask = slots.length - 1
  const mixed = mix(hash)
  const tag = mixed >>> PLACE_BITS
  for (let slot = mixed & mask; ; slot = (slot + 1) & mask) {
    const entry = slots[slot]!
    if (entry === 0) return NO_TOKEN
    if ((entry & ((1 << TAG_BITS) - 1)) !== tag) continue
    const place = entry >>> TAG_BITS
    if (bytes[place] !== length) continue
    let same = 0
    while (same < length && bytes[place + 1 + same] === text[start + same]) same++
    if (same === length) return place
  }
}
