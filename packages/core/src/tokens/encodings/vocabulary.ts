/** Priority of a token in merging: the pair of lower rank is joined first. */
export type TokenRank = number

/**
 * The answer of `findToken` for bytes that are not a token. It is above every rank, so a minimum
 * ignores it.
 */
export const NO_TOKEN: TokenRank = 0x7fffffff

/** In bytes. The length of a token is one byte. */
export const LONGEST_TOKEN = 255

/** Multiplier of the rolling hash: hash(ab) = hash(a) · BASE^|b| + hash(b), modulo 2^32. */
export const BASE = 0x2c1b3c6d

export const POWERS = new Int32Array(LONGEST_TOKEN + 1)
POWERS[0] = 1
for (let length = 1; length <= LONGEST_TOKEN; length++)
  POWERS[length] = Math.imul(POWERS[length - 1]!, BASE)

/**
 * Spreads a rolling hash over all bits: the low ones choose a slot, the high ones are the slot's
 * tag.
 */
export function mix(hash: number): number {
  const mixed = Math.imul(hash ^ (hash >>> 15), 0x297a2d39)
  return mixed ^ (mixed >>> 15)
}

const PLACE_BITS = 22
const TAG_BITS = 32 - PLACE_BITS

/** In front of the bytes of a token: its length in one byte, its rank in three. */
export const RECORD_HEAD_BYTES = 4

/**
 * An open-addressed table from the bytes of tokens, two or more, to their ranks. Filled section by
 * section.
 */
export interface Vocabulary {
  /** Records of the tokens that are unpacked, from offset 1 on. */
  readonly records: Uint8Array
  /** Place of a record, and tag. 0 is an empty slot. */
  readonly slots: Int32Array
  /** The section, from 1 on, that contains the tokens of a key. 0 after it is unpacked. */
  readonly sectionOf: Uint16Array
  /** The start of each section in `packed`, and its key. One more entry ends the last section. */
  readonly offsets: readonly number[]
  readonly firstKeys: readonly number[]
  readonly packed: Uint8Array
  /** The bytes from the most frequent one on, as the codes of `packed` number them. */
  readonly byteOrder: Uint8Array
  /** After the last record. */
  end: number
}

/**
 * Reads the head of a packed vocabulary. Its digits are the low six bits of its bytes, so reading
 * needs no table. Numbers of three digits come first, then sections of tokens sorted by key
 * and bytes:
 *
 *     tokens | sections | first key, digits · per section | 256 bytes by frequency, two digits each | section …
 */
export function createVocabulary(packed: Uint8Array): Vocabulary {
  const tokens = readNumber(packed, 0)
  const sections = readNumber(packed, 3)
  const order = 6 + sections * 6
  const sectionOf = new Uint16Array(KEYS)
  const offsets: number[] = []
  const firstKeys: number[] = []
  let offset = order + 512
  for (let at = 6; at < order; at += 6) {
    firstKeys.push(readNumber(packed, at))
    offsets.push(offset)
    offset += readNumber(packed, at + 3)
  }
  firstKeys.push(sectionOf.length)
  offsets.push(offset)
  for (let section = 1; section <= sections; section++) {
    sectionOf.fill(section, firstKeys[section - 1], firstKeys[section])
  }
  const byteOrder = new Uint8Array(256)
  for (let code = 0; code < 256; code++) {
    const at = order + code * 2
    byteOrder[code] = ((packed[at]! & 63) << 6) | (packed[at + 1]! & 63)
  }
  return {
    records: new Uint8Array(1 << PLACE_BITS),
    slots: new Int32Array(2 ** Math.ceil(Math.log2(tokens * 2))),
    sectionOf,
    offsets,
    firstKeys,
    packed,
    byteOrder,
    end: 1,
  }
}

function readNumber(packed: Uint8Array, at: number): number {
  return ((packed[at]! & 63) << 12) | ((packed[at + 1]! & 63) << 6) | (packed[at + 2]! & 63)
}

/**
 * Finds the token that equals `length` bytes, two or more, of `text` from `start`, whose rolling
 * hash is `hash`.
 */
export function findToken(
  vocabulary: Vocabulary,
  text: Uint8Array,
  start: number,
  length: number,
  hash: number,
): TokenRank {
  const { records, slots, sectionOf } = vocabulary
  const mask = slots.length - 1
  const mixed = mix(hash)
  const tag = mixed >>> PLACE_BITS
  for (let slot = mixed & mask; ; slot = (slot + 1) & mask) {
    const entry = slots[slot]!
    if (entry === 0) {
      const section = sectionOf[keyOf(text, start, length)]!
      if (section === 0) return NO_TOKEN
      unpackSection(vocabulary, section)
      return findToken(vocabulary, text, start, length, hash)
    }
    if ((entry & ((1 << TAG_BITS) - 1)) !== tag) continue
    const place = entry >>> TAG_BITS
    if (records[place] !== length) continue
    const first = place + RECORD_HEAD_BYTES
    let same = 0
    while (same < length && records[first + same] === text[start + same]) same++
    if (same === length)
      return records[place + 1]! | (records[place + 2]! << 8) | (records[place + 3]! << 16)
  }
}

const SPACE = 0x20
const KEYS = 1 << 17

/**
 * By which tokens are divided into sections: the first three bytes or, as half of all begin with a
 * space, those after it. The third one is mixed into the first, as letters differ in low bits.
 */
export function keyOf(text: Uint8Array, start: number, length: number): number {
  const isSpaced = length > 2 && text[start] === SPACE
  const first = isSpaced ? start + 1 : start
  const third = first + 2 < start + length ? text[first + 2]! : 0
  return (
    ((isSpaced ? KEYS >> 1 : 0) | (text[first]! << 8) | text[first + 1]!) ^ ((third & 31) << 11)
  )
}

/** For who needs to see every token. */
export function unpackAll(vocabulary: Vocabulary): void {
  const { sectionOf, firstKeys } = vocabulary
  for (let section = 1; section < firstKeys.length; section++) {
    if (sectionOf[firstKeys[section - 1]!] === section) unpackSection(vocabulary, section)
  }
}

/** Rolling hashes of the first bytes of the token that was unpacked last, by their number. */
const hashes = new Int32Array(LONGEST_TOKEN + 1)

/** Byte codes from here on have a second digit. */
export const FIRST_LONG_CODE = 60

/**
 * The numbers that one digit does not hold are given as 15 for a shared length and as 0 for an
 * added one.
 */
export const SHARED_LIMIT = 15
export const ADDED_LIMIT = 4

/**
 * Unpacks the tokens of a section, each from the one before it. Digits of a token:
 *
 *     shared length · 4 + added length | rank, three digits | a length, two digits, that was too long | added bytes
 */
function unpackSection(vocabulary: Vocabulary, section: number): void {
  const { records, slots, byteOrder, sectionOf, firstKeys, offsets, packed: digits } = vocabulary
  sectionOf.fill(0, firstKeys[section - 1], firstKeys[section])
  const mask = slots.length - 1
  let place = vocabulary.end
  let previous = 0
  const end = offsets[section]!
  for (let at = offsets[section - 1]!; at < end; ) {
    const lengths = digits[at]! & 63
    const rank = readNumber(digits, at + 1)
    at += 4
    let shared = lengths >> 2
    if (shared === SHARED_LIMIT) {
      shared = ((digits[at]! & 63) << 6) | (digits[at + 1]! & 63)
      at += 2
    }
    let length = shared + (lengths & 3)
    if (length === shared) {
      length += ((digits[at]! & 63) << 6) | (digits[at + 1]! & 63)
      at += 2
    }
    records[place] = length
    records[place + 1] = rank
    records[place + 2] = rank >>> 8
    records[place + 3] = rank >>> 16
    const first = place + RECORD_HEAD_BYTES
    for (let index = 0; index < shared; index++) records[first + index] = records[previous + index]!
    let hash = hashes[shared]!
    for (let index = shared; index < length; ) {
      let code = digits[at++]! & 63
      if (code >= FIRST_LONG_CODE)
        code = FIRST_LONG_CODE + ((code - FIRST_LONG_CODE) << 6) + (digits[at++]! & 63)
      const byte = byteOrder[code]!
      records[first + index++] = byte
      hash = (Math.imul(hash, BASE) + byte) | 0
      hashes[index] = hash
    }
    const mixed = mix(hash)
    let slot = mixed & mask
    while (slots[slot] !== 0) slot = (slot + 1) & mask
    slots[slot] = (place << TAG_BITS) | (mixed >>> PLACE_BITS)
    previous = first
    place = first + length
  }
  vocabulary.end = place
}
