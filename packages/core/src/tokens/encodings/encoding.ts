import { type CountBytes, createByteCounter } from './byte-counter.ts'
import { SENTINEL } from './characters.ts'
import { packedCl100k } from './cl100k.packed.ts'
import { packedO200k } from './o200k.packed.ts'
import { type FindPieceEnd, findCl100kPieceEnd, findO200kPieceEnd } from './pieces.ts'
import { findSafeCut } from './safe-cut.ts'
import { createVocabulary } from './vocabulary.ts'

export type EncodingName = 'o200k_base' | 'cl100k_base'

/** Counts as `encode_ordinary` of tiktoken does: special tokens are text, a lone surrogate counts as U+FFFD. */
export interface Encoding {
  readonly name: EncodingName
  /** Exact, in linear time; keeps no text. */
  readonly count: (text: string) => number
}

const encodings = new Map<EncodingName, Encoding>()

/** The one instance of an encoding. Its vocabulary is unpacked as counts ask for it. */
export function getEncoding(name: EncodingName): Encoding {
  const known = encodings.get(name)
  if (known !== undefined) return known
  const encoding =
    name === 'o200k_base'
      ? createEncoding(name, packedO200k, findO200kPieceEnd)
      : createEncoding(name, packedCl100k, findCl100kPieceEnd)
  encodings.set(name, encoding)
  return encoding
}

/** Text is counted in chunks of about this many UTF-16 units, in one reused buffer. */
const CHUNK_UNITS = 1 << 16
const KEPT_BUFFER_BYTES = CHUNK_UNITS * 3 + 4 * 4096

function createEncoding(name: EncodingName, packed: string, findPieceEnd: FindPieceEnd): Encoding {
  let countBytes: CountBytes | undefined
  return {
    name,
    count(text) {
      if (text === '') return 0
      countBytes ??= createByteCounter(createVocabulary(packed), findPieceEnd)
      let tokens = 0
      for (let from = 0; from < text.length; ) {
        const to = findSafeCut(text, from + CHUNK_UNITS)
        const chunk = from === 0 && to === text.length ? text : text.slice(from, to)
        const { bytes, end } = encodeUtf8(chunk)
        tokens += countBytes(bytes, end)
        from = to
      }
      return tokens
    },
  }
}

const encoder = new TextEncoder()
let buffer = new Uint8Array(4096)

/** UTF-8 of a chunk in the shared buffer, followed by the sentinel. */
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
