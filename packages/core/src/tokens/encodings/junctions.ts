import { mix, RECORD_HEAD_BYTES, unpackAll, type Vocabulary } from './vocabulary.ts'

/**
 * Which characters of three UTF-8 bytes some token joins. Where none does, a piece may be counted in two halves, since
 * no merge can cross: a run of CJK falls into parts of a few characters that the cache knows.
 *
 *     我们需要检查日志  →  我们 | 需要 | 检查 | 日志
 *
 * A token joins two characters by all bytes of both (`pairs`), or, where it begins or ends inside a character, by the
 * last byte of the left and the first two (`byTwo`) or the first one (`byOne`) of the right.
 */
export interface Junctions {
  /** One bit per hash of both characters; a false hit only costs a cut. */
  readonly pairs: Uint8Array
  readonly byTwo: Uint8Array
  readonly byOne: Uint8Array
}

const PAIR_BITS = 19

export function findJunctions(vocabulary: Vocabulary): Junctions {
  unpackAll(vocabulary)
  const { records: bytes, end } = vocabulary
  const junctions: Junctions = {
    pairs: new Uint8Array(2 ** (PAIR_BITS - 3)),
    byTwo: new Uint8Array(2 ** 13),
    byOne: new Uint8Array(2 ** 7),
  }
  for (let place = 1; place < end; place += RECORD_HEAD_BYTES + bytes[place]!) {
    const first = place + RECORD_HEAD_BYTES
    const last = first + bytes[place]! - 1
    for (let at = first + 1; at <= last; at++) {
      if (!isThreeByteLead(bytes[at]!) || bytes[at - 1]! < 0x80) continue
      const isLeftWhole = at - 3 >= first && isThreeByteLead(bytes[at - 3]!)
      if (at === last) set(junctions.byOne, keyByOne(bytes, at))
      else if (isLeftWhole && at + 2 <= last) set(junctions.pairs, keyOfPair(bytes, at))
      else set(junctions.byTwo, keyByTwo(bytes, at))
    }
  }
  return junctions
}

/** Whether two characters of three bytes meet at an offset and no token joins them. Reads three bytes on each side. */
export function isUncrossed({ pairs, byTwo, byOne }: Junctions, bytes: Uint8Array, at: number): boolean {
  return (
    isThreeByteLead(bytes[at]!) &&
    isThreeByteLead(bytes[at - 3]!) &&
    !has(pairs, keyOfPair(bytes, at)) &&
    !has(byTwo, keyByTwo(bytes, at)) &&
    !has(byOne, keyByOne(bytes, at))
  )
}

function isThreeByteLead(byte: number): boolean {
  return (byte & 0xf0) === 0xe0
}

function keyOfPair(bytes: Uint8Array, at: number): number {
  return mix((codeUnitAt(bytes, at - 3) << 16) | codeUnitAt(bytes, at)) >>> (32 - PAIR_BITS)
}

function codeUnitAt(bytes: Uint8Array, at: number): number {
  return ((bytes[at]! & 0x0f) << 12) | ((bytes[at + 1]! & 0x3f) << 6) | (bytes[at + 2]! & 0x3f)
}

function keyByTwo(bytes: Uint8Array, at: number): number {
  return ((bytes[at - 1]! & 0x3f) << 10) | ((bytes[at]! & 0x0f) << 6) | (bytes[at + 1]! & 0x3f)
}

function keyByOne(bytes: Uint8Array, at: number): number {
  return ((bytes[at - 1]! & 0x3f) << 4) | (bytes[at]! & 0x0f)
}

function set(bits: Uint8Array, key: number): void {
  bits[key >>> 3]! |= 1 << (key & 7)
}

function has(bits: Uint8Array, key: number): boolean {
  return (bits[key >>> 3]! & (1 << (key & 7))) !== 0
}
