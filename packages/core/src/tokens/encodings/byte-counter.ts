import { readPacked as readClasses } from './classes.packed.js'
import { countByHeap } from './merge-heap.ts'
import { type FindPieceEnd, unpackClasses } from './pieces.ts'
import {
  BASE,
  findToken,
  LONGEST_TOKEN,
  mix,
  NO_TOKEN,
  POWERS,
  RECORD_HEAD_BYTES,
  type TokenRank,
  unpackAll,
  type Vocabulary,
} from './vocabulary.ts'

/** Counts the tokens of the first `end` bytes, UTF-8 followed by the sentinel. */
export type CountBytes = (bytes: Uint8Array, end: number) => number

/** Shorter pieces are looked up whole. */
const CUT_BYTES = 9

/**
 * Cuts text into pieces. A piece is a token, or is remembered, or is merged and then remembered.
 */
export function createByteCounter(vocabulary: Vocabulary, findPieceEnd: FindPieceEnd): CountBytes {
  const cache = new PieceCache()
  let junctions: Junctions | undefined
  classes ??= unpackClasses(readClasses())
  const characterClasses = classes

  const countPart = (bytes: Uint8Array, start: number, end: number): number => {
    const length = end - start
    if (length > LONGEST_CACHED_PIECE) return countByHeap(vocabulary, bytes, start, length)
    let hash = bytes[start]!
    for (let at = start + 1; at < end; at++) hash = (Math.imul(hash, BASE) + bytes[at]!) | 0
    if (findToken(vocabulary, bytes, start, length, hash) !== NO_TOKEN) return 1
    const known = cache.get(bytes, start, length, hash)
    if (known !== 0) return known
    const count =
      length <= SCAN_BYTES
        ? countByScan(vocabulary, bytes, start, length)
        : countByHeap(vocabulary, bytes, start, length)
    cache.set(bytes, start, length, hash, count)
    return count
  }

  const countInParts = (bytes: Uint8Array, start: number, end: number): number => {
    junctions ??= findJunctions(vocabulary)
    let tokens = 0
    let from = start
    for (let at = start + 3; at < end; at++) {
      if (!isUncrossed(junctions, bytes, at)) continue
      tokens += countPart(bytes, from, at)
      from = at
    }
    return tokens + countPart(bytes, from, end)
  }

  return (bytes, end) => {
    let tokens = 0
    for (let at = 0; at < end; ) {
      const next = findPieceEnd(bytes, at, characterClasses)
      const length = next - at
      if (length === 1) tokens++
      else if (length < CUT_BYTES || (bytes[next - 3]! & 0xf0) !== 0xe0)
        tokens += countPart(bytes, at, next)
      else tokens += countInParts(bytes, at, next)
      at = next
    }
    return tokens
  }
}

/**
 * Characters of three UTF-8 bytes that some token joins. If no token joins two of them, no merge
 * can cross, and a piece may be counted in two halves. So a run of CJK becomes parts of a few
 * characters that the cache knows.
 *
 *     我们需要检查日志  →  我们 | 需要 | 检查 | 日志
 *
 * A token that contains all bytes of two characters joins them (`pairs`). A token that begins or
 * ends inside a character joins the last byte of the left one with the first two (`byTwo`) or the
 * first one (`byOne`) of the right one.
 */
interface Junctions {
  /** One bit per hash of both characters. A false hit only costs a cut. */
  readonly pairs: Uint8Array
  readonly byTwo: Uint8Array
  readonly byOne: Uint8Array
}

const PAIR_BITS = 19

function findJunctions(vocabulary: Vocabulary): Junctions {
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

/**
 * Whether two characters of three bytes meet at an offset and no token joins them. Reads three
 * bytes on each side.
 */
function isUncrossed({ pairs, byTwo, byOne }: Junctions, bytes: Uint8Array, at: number): boolean {
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

let classes: Uint8Array | undefined

/**
 * Above this many bytes, a heap finds the lowest pair. Below it, a scan of the few parts is faster.
 */
export const SCAN_BYTES = 160

const hashes = new Int32Array(SCAN_BYTES + 1)
const starts = new Int32Array(SCAN_BYTES + 2)
const ranks = new Int32Array(SCAN_BYTES + 1)

/**
 * Counts the tokens of a piece of at most SCAN_BYTES bytes by byte pair encoding. It looks at all
 * adjacent parts whose joined bytes are a token, and joins the pair of lowest rank, leftmost first.
 * It ends when no pair is a token.
 */
export function countByScan(
  vocabulary: Vocabulary,
  bytes: Uint8Array,
  start: number,
  length: number,
): number {
  for (let i = 0; i < length; i++) {
    hashes[i + 1] = (Math.imul(hashes[i]!, BASE) + bytes[start + i]!) | 0
    starts[i] = i
  }
  starts[length] = length
  let parts = length
  for (let part = 0; part < parts - 1; part++)
    ranks[part] = rankOf(vocabulary, bytes, start, part, part + 2)
  for (;;) {
    let lowest: TokenRank = NO_TOKEN
    let at = 0
    for (let part = 0; part < parts - 1; part++) {
      if (ranks[part]! < lowest) {
        lowest = ranks[part]!
        at = part
      }
    }
    if (lowest === NO_TOKEN) return parts
    parts--
    for (let part = at + 1; part < parts; part++) {
      starts[part] = starts[part + 1]!
      ranks[part] = ranks[part + 1]!
    }
    starts[parts] = length
    if (at < parts - 1) ranks[at] = rankOf(vocabulary, bytes, start, starts[at]!, starts[at + 2]!)
    if (at > 0) ranks[at - 1] = rankOf(vocabulary, bytes, start, starts[at - 1]!, starts[at + 1]!)
  }
}

function rankOf(
  vocabulary: Vocabulary,
  bytes: Uint8Array,
  start: number,
  from: number,
  to: number,
): TokenRank {
  const length = to - from
  if (length > LONGEST_TOKEN) return NO_TOKEN
  const hash = (hashes[to]! - Math.imul(hashes[from]!, POWERS[length]!)) | 0
  return findToken(vocabulary, bytes, start + from, length, hash)
}

const SLOTS = 1 << 16
const MASK = SLOTS - 1
const BYTES = 1 << 20
/**
 * Chains are cut here, so that pieces made to collide cost a bounded search and are merely not
 * remembered.
 */
const PROBES = 12

/** Longer pieces are not remembered: length and count each take one byte. */
const LONGEST_CACHED_PIECE = 255

/**
 * Token counts of pieces that are not a token, by their bytes. It has a fixed size and forgets
 * everything when 60% of the slots or all bytes are used.
 */
class PieceCache {
  // Slot i: the hash at 2i, the place in #bytes at 2i + 1 (0: empty). At a place: length, count,
  // bytes.
  readonly #slots = new Int32Array(SLOTS * 2)
  readonly #bytes = new Uint8Array(BYTES)
  #entries = 0
  #end = 1

  /** The remembered count, or 0. */
  get(text: Uint8Array, start: number, length: number, hash: number): number {
    const slots = this.#slots
    const bytes = this.#bytes
    let slot = mix(hash) & MASK
    for (let probe = 0; probe < PROBES; probe++) {
      const place = slots[slot * 2 + 1]!
      if (place === 0) return 0
      if (slots[slot * 2] === hash && bytes[place] === length) {
        let same = 0
        while (same < length && bytes[place + 2 + same] === text[start + same]) same++
        if (same === length) return bytes[place + 1]!
      }
      slot = (slot + 1) & MASK
    }
    return 0
  }

  /** Remembers the count of a piece that `get` did not know. */
  set(text: Uint8Array, start: number, length: number, hash: number, count: number): void {
    if (this.#entries >= SLOTS * 0.6 || this.#end + length + 2 > BYTES) this.#clear()
    const slots = this.#slots
    const bytes = this.#bytes
    let slot = mix(hash) & MASK
    for (let probe = 0; probe < PROBES; probe++) {
      if (slots[slot * 2 + 1] === 0) {
        const place = this.#end
        slots[slot * 2] = hash
        slots[slot * 2 + 1] = place
        bytes[place] = length
        bytes[place + 1] = count
        for (let i = 0; i < length; i++) bytes[place + 2 + i] = text[start + i]!
        this.#end = place + 2 + length
        this.#entries++
        return
      }
      slot = (slot + 1) & MASK
    }
  }

  #clear(): void {
    this.#slots.fill(0)
    this.#entries = 0
    this.#end = 1
  }
}
