/**
 * Decodes data that was compressed with zlib (RFC 1950 and 1951), because core has no host to do
 * it. It is slower than a library, and only used for the small part of a document that has to be
 * read.
 */

/** Codes of up to 15 bits: how many there are of each length, and their symbols in order. */
interface Codes {
  readonly counts: readonly number[]
  readonly symbols: readonly number[]
}

const MOST_BITS = 15

function createCodes(lengths: readonly number[]): Codes {
  const counts = Array.from({ length: MOST_BITS + 1 }, () => 0)
  for (const length of lengths) counts[length] = (counts[length] ?? 0) + 1
  const symbols = lengths
    .map((length, symbol) => ({ length, symbol }))
    .filter(({ length }) => length > 0)
    .sort((a, b) => a.length - b.length || a.symbol - b.symbol)
    .map(({ symbol }) => symbol)
  return { counts: [0, ...counts.slice(1)], symbols }
}

const repeat = (length: number, times: number): number[] => Array(times).fill(length)

const FIXED_CODES = createCodes([
  ...repeat(8, 144),
  ...repeat(9, 112),
  ...repeat(7, 24),
  ...repeat(8, 8),
])
const FIXED_DISTANCES = createCodes(repeat(5, 30))

/** The least value and the extra bits of a length symbol from 257 on, and of a distance symbol. */
const lengthOf = (symbol: number): [number, number] => {
  if (symbol === 28) return [258, 0]
  if (symbol < 8) return [symbol + 3, 0]
  const bits = (symbol >> 2) - 1
  return [((4 + (symbol & 3)) << bits) + 3, bits]
}
const distanceOf = (symbol: number): [number, number] => {
  if (symbol < 4) return [symbol + 1, 0]
  const bits = (symbol >> 1) - 1
  return [((2 + (symbol & 1)) << bits) + 1, bits]
}

// A block lists the lengths of its length codes in this order.
const LENGTH_ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]

const END_OF_BLOCK = 256
const CODES = 288
// The cost of a block apart from its bytes. Thousands of empty blocks must not be free.
const BLOCK_COST = CODES

class Broken extends Error {}

/** Reads bits from `at` up to `end`. Throws `Broken` if none are left. */
class BitReader {
  readonly byteAt: (at: number) => number
  readonly end: number
  at: number
  #held = 0
  #heldBits = 0

  constructor(byteAt: (at: number) => number, at: number, end: number) {
    this.byteAt = byteAt
    this.at = at
    this.end = end
  }

  readBits(count: number): number {
    while (this.#heldBits < count) {
      if (this.at >= this.end) throw new Broken()
      this.#held |= this.byteAt(this.at++) << this.#heldBits
      this.#heldBits += 8
    }
    const bits = this.#held & ((1 << count) - 1)
    this.#held >>>= count
    this.#heldBits -= count
    return bits
  }

  /** The length of a block that is not compressed. It begins at the next whole byte. */
  readStoredLength(): number {
    this.#held = 0
    this.#heldBits = 0
    const length = this.byteAt(this.at) | (this.byteAt(this.at + 1) << 8)
    this.at += 4
    return length
  }

  readSymbol({ counts, symbols }: Codes): number {
    let code = 0
    let first = 0
    let index = 0
    for (let length = 1; length <= MOST_BITS; length++) {
      code |= this.readBits(1)
      const count = counts[length] ?? 0
      const symbol = symbols[index + code - first]
      if (code - first < count && symbol !== undefined) return symbol
      index += count
      first = (first + count) << 1
      code <<= 1
    }
    throw new Broken()
  }

  /** The codes at the start of a block: of literals and lengths, and of distances. */
  readCodes(): [Codes, Codes] {
    const literals = this.readBits(5) + 257
    const distances = this.readBits(5) + 1
    const sizes = repeat(0, LENGTH_ORDER.length)
    for (const place of LENGTH_ORDER.slice(0, this.readBits(4) + 4)) sizes[place] = this.readBits(3)
    const codes = createCodes(sizes)
    const lengths: number[] = []
    while (lengths.length < literals + distances) {
      const symbol = this.readSymbol(codes)
      if (symbol < 16) lengths.push(symbol)
      else if (symbol === 16) lengths.push(...repeat(lengths.at(-1) ?? 0, 3 + this.readBits(2)))
      else lengths.push(...repeat(0, symbol === 17 ? 3 + this.readBits(3) : 11 + this.readBits(7)))
    }
    const all = literals + distances
    return [createCodes(lengths.slice(0, literals)), createCodes(lengths.slice(literals, all))]
  }
}

/**
 * The decompressed bytes, starting at `from`. Returns fewer bytes if the data ends early, is broken
 * or costs more than `mostCost`. Each byte costs one, and each block some more. This also bounds
 * memory and time. The data that was read ends at `end`.
 */
export function inflate(
  byteAt: (at: number) => number,
  from: number,
  end: number,
  mostCost: number,
): { readonly bytes: Uint8Array; readonly cost: number; readonly end: number } {
  const input = new BitReader(byteAt, from + 2, end)
  const output: number[] = []
  let blocks = 0
  const measureCost = () => output.length + blocks * BLOCK_COST
  const isLeft = () => measureCost() < mostCost
  const readStored = () => {
    const length = input.readStoredLength()
    for (let index = 0; index < length && input.at < end && isLeft(); index++)
      output.push(byteAt(input.at++))
  }
  const readCompressed = ([codes, distances]: [Codes, Codes]) => {
    while (isLeft()) {
      const symbol = input.readSymbol(codes)
      if (symbol === END_OF_BLOCK) return
      if (symbol < END_OF_BLOCK) {
        output.push(symbol)
        continue
      }
      const [least, bits] = lengthOf(symbol - END_OF_BLOCK - 1)
      const length = least + input.readBits(bits)
      const [leastDistance, distanceBits] = distanceOf(input.readSymbol(distances))
      const distance = leastDistance + input.readBits(distanceBits)
      if (symbol >= CODES - 2 || distance > output.length) throw new Broken()
      for (let index = 0; index < length && isLeft(); index++)
        output.push(output[output.length - distance] ?? 0)
    }
  }
  try {
    for (let isLast = false; !isLast && isLeft() && input.at < end; blocks++) {
      isLast = input.readBits(1) === 1
      const kind = input.readBits(2)
      if (kind === 0) readStored()
      else if (kind === 1) readCompressed([FIXED_CODES, FIXED_DISTANCES])
      else if (kind === 2) readCompressed(input.readCodes())
      else throw new Broken()
    }
  } catch (error) {
    // Bytes before the damage can be read.
    if (!(error instanceof Broken)) throw error
  }
  return { bytes: Uint8Array.from(output), cost: measureCost(), end: input.at }
}
