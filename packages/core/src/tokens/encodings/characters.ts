/**
 * Character classes by which the encodings split text. SPACE is White_Space without CR and LF, UPPER is Lu and Lt,
 * UNCASED is Lm and Lo. END is no character: the sentinel behind the text.
 */
export const OTHER = 0
export const SPACE = 1
export const NEWLINE = 2
export const NUMBER = 3
export const MARK = 4
export const UNCASED = 5
export const UPPER = 6
export const LOWER = 7
export const END = 8

/** The letter of each class in the packed runs, at the index of the class. */
export const CLASS_LETTERS = 'OSRNMAUL'

/** Follows the last byte of the text, so that every run ends without a bounds check. UTF-8 never has this byte. */
export const SENTINEL = 0xff

const CODE_POINTS = 0x110000

/** The class of every code point, from runs of a letter and a length in base 36 (none: 1). */
export function unpackClasses(packed: string): Uint8Array {
  const classes = new Uint8Array(CODE_POINTS)
  let codePoint = 0
  for (let at = 0; at < packed.length; ) {
    const characterClass = CLASS_LETTERS.indexOf(packed.charAt(at++))
    let length = 0
    for (; at < packed.length; at++) {
      const code = packed.charCodeAt(at)
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

/** Reads the character at a byte offset: its class in the high bits, its width in bytes in the low three. */
export function characterAt(bytes: Uint8Array, at: number, classes: Uint8Array): number {
  const lead = bytes[at]!
  if (lead < 0x80) return (classes[lead]! << 3) | 1
  if (lead < 0xe0) return (classes[((lead & 0x1f) << 6) | (bytes[at + 1]! & 0x3f)]! << 3) | 2
  const high = ((bytes[at + 1]! & 0x3f) << 6) | (bytes[at + 2]! & 0x3f)
  if (lead < 0xf0) return (classes[((lead & 0x0f) << 12) | high]! << 3) | 3
  if (lead === SENTINEL) return (END << 3) | 1
  return (classes[((lead & 0x07) << 18) | (high << 6) | (bytes[at + 3]! & 0x3f)]! << 3) | 4
}
