import { BASE, findToken, LONGEST_TOKEN, NO_TOKEN, POWERS, type TokenRank, type Vocabulary } from './vocabulary.ts'

/** Above this many bytes the lowest pair comes from a heap; below, a scan of the few parts is faster. */
export const SCAN_BYTES = 160

const hashes = new Int32Array(SCAN_BYTES + 1)
const starts = new Int32Array(SCAN_BYTES + 2)
const ranks = new Int32Array(SCAN_BYTES + 1)

/**
 * Counts the tokens of a piece of at most SCAN_BYTES bytes by byte pair encoding: of all adjacent parts whose joined
 * bytes are a token, the pair of lowest rank is joined, leftmost first, until no pair is a token.
 */
export function countByScan(vocabulary: Vocabulary, bytes: Uint8Array, start: number, length: number): number {
  for (let i = 0; i < length; i++) {
    hashes[i + 1] = (Math.imul(hashes[i]!, BASE) + bytes[start + i]!) | 0
    starts[i] = i
  }
  starts[length] = length
  let parts = length
  for (let part = 0; part < parts - 1; part++) ranks[part] = rankOf(vocabulary, bytes, start, part, part + 2)
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

function rankOf(vocabulary: Vocabulary, bytes: Uint8Array, start: number, from: number, to: number): TokenRank {
  const length = to - from
  if (length > LONGEST_TOKEN) return NO_TOKEN
  const hash = (hashes[to]! - Math.imul(hashes[from]!, POWERS[length]!)) | 0
  return findToken(vocabulary, bytes, start + from, length, hash)
}
