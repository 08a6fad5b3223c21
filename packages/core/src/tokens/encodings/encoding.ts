import { atOnce, type Steps } from '../../conversation/steps.ts'
import { type CountBytes, createByteCounter } from './byte-counter.ts'
import { type FindPieceEnd, SENTINEL } from './pieces.ts'
import { createVocabulary } from './vocabulary.ts'

export type EncodingName = 'o200k_base' | 'cl100k_base'

/**
 * Counts as `encode_ordinary` of tiktoken does: special tokens are text, a lone surrogate counts as
 * U+FFFD.
 */
export interface Encoding {
  readonly name: EncodingName
  /** Exact, in linear time. Keeps no text. */
  readonly count: (text: string) => number
  /** The same, in steps of some milliseconds. */
  readonly countInSteps: (text: string) => Steps<number>
}

/** Text is counted in chunks of about this many UTF-16 units, in one reused buffer. */
const CHUNK_UNITS = 1 << 16
const KEPT_BUFFER_BYTES = CHUNK_UNITS * 3 + 4 * 4096

/** Its vocabulary is unpacked as counts ask for it. */
export function createEncoding(
  name: EncodingName,
  readPacked: () => Uint8Array,
  findPieceEnd: FindPieceEnd,
): Encoding {
  let countBytes: CountBytes | undefined
  function* countInSteps(text: string): Steps<number> {
    countBytes ??= createByteCounter(createVocabulary(readPacked()), findPieceEnd)
    let tokens = 0
    for (let from = 0; from < text.length; ) {
      const to = findSafeCut(text, from + CHUNK_UNITS)
      const chunk = from === 0 && to === text.length ? text : text.slice(from, to)
      const { bytes, end } = encodeUtf8(chunk)
      tokens += countBytes(bytes, end)
      from = to
      yield
    }
    return tokens
  }
  return { name, count: (text) => (text === '' ? 0 : atOnce(countInSteps(text))), countInSteps }
}

const encoder = new TextEncoder()
let buffer = new Uint8Array(4096)

function encodeUtf8(chunk: string): { bytes: Uint8Array; end: number } {
  const needed = chunk.length * 3 + 4
  let target = buffer
  if (needed > target.length) {
    target = new Uint8Array(needed)
    if (needed <= KEPT_BUFFER_BYTES) buffer = target = new Uint8Array(KEPT_BUFFER_BYTES)
  }
  const { written } = encoder.encodeInto(chunk, target)
  target[written] = SENTINEL
  return { bytes: target, end: written }
}

/** How far a search for a cut looks back before it looks ahead, in UTF-16 units. */
const LOOK_BACK = 4096

/**
 * Finds an offset at or near `wanted` at which text may be cut without changing its token count.
 * Before the offset is a letter or an ASCII digit. After it is an ASCII character of another kind
 * or CJK punctuation, so that both encodings end a piece there. The apostrophe does not count,
 * because it may begin a contraction. Returns the end of the text if there is no such offset.
 *
 *     let x=17;  →  let| x|=|17|;        don't|,  →  cut only before the comma
 */
export function findSafeCut(text: string, wanted: number): number {
  if (wanted >= text.length) return text.length
  for (let at = wanted; at > 0 && at > wanted - LOOK_BACK; at--) if (isSafeCut(text, at)) return at
  for (let at = wanted + 1; at < text.length; at++) if (isSafeCut(text, at)) return at
  return text.length
}

function isSafeCut(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1)
  const after = text.charCodeAt(at)
  if (after >= 0x80)
    return (after === 0x3001 || after === 0x3002 || after === 0xff0c) && isLetter(before)
  if (isLetter(after)) return isDigit(before)
  if (isDigit(after)) return isLetter(before)
  return after !== 0x27 && (isLetter(before) || isDigit(before))
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39
}

/** ASCII letters and those blocks of CJK in which every character is a letter. */
function isLetter(code: number): boolean {
  if (code < 0x80) return (code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a
  return (
    (code >= 0x4e00 && code <= 0x9fef) ||
    (code >= 0x3041 && code <= 0x3096) ||
    (code >= 0xac00 && code <= 0xd7a3)
  )
}
