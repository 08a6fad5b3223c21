import { mix } from './vocabulary.ts'

const SLOTS = 1 << 16
const MASK = SLOTS - 1
const BYTES = 1 << 20
/** Chains are cut here, so that pieces made to collide cost a bounded search and are merely not remembered. */
const PROBES = 12

/** Longer pieces are not remembered: length and count each take one byte. */
export const LONGEST_CACHED_PIECE = 255

/**
 * Token counts of pieces that are no token, by their bytes. Of fixed size: forgets everything when 60 % of the slots
 * or all bytes are taken.
 */
export class PieceCache {
  // Slot i: the hash at 2i, the place in #bytes at 2i + 1 (0: empty). At a place: length, count, bytes.
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
