/** Bytes to base64 and back, decoding only the bytes that are read. */

export type ByteAt = (index: number) => number

const DIGITS = new TextEncoder().encode(
  'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/',
)
// Divisible by three, and at most the number of arguments that a call may have.
const CHUNK_BYTES = 3 << 12

/** Encodes whole groups of three bytes. A shorter rest is left out. */
export function encodeBase64(bytes: Uint8Array, mostBytes = bytes.length): string {
  const length = Math.min(bytes.length, mostBytes)
  const chunks: string[] = []
  for (let start = 0; start < length; start += CHUNK_BYTES) {
    const end = Math.min(start + CHUNK_BYTES, length)
    const codes: number[] = []
    for (let at = start; at + 2 < end; at += 3) {
      const triple = ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0)
      for (const shift of [18, 12, 6, 0]) codes.push(DIGITS[(triple >> shift) & 63] ?? 0)
    }
    chunks.push(String.fromCharCode(...codes))
  }
  return chunks.join('')
}

/**
 * Random access to the bytes of base64 from `start` on. NaN outside the data, so that every
 * comparison with it is false.
 */
export function openBase64(base64: string, start: number, mostBytes = Infinity): ByteAt {
  return (index) => {
    if (index < 0 || index >= mostBytes) return Number.NaN
    const at = start + Math.floor(index / 3) * 4 + (index % 3)
    const high = sextet(base64.charCodeAt(at))
    const low = sextet(base64.charCodeAt(at + 1))
    if (high < 0 || low < 0) return Number.NaN
    const shift = (index % 3) * 2
    return ((high << (2 + shift)) & 0xff) | (low >> (4 - shift))
  }
}

function sextet(code: number): number {
  if (code >= 0x41 && code <= 0x5a) return code - 0x41
  if (code >= 0x61 && code <= 0x7a) return code - 0x61 + 26
  if (code >= 0x30 && code <= 0x39) return code - 0x30 + 52
  if (code === 0x2b || code === 0x2d) return 62
  if (code === 0x2f || code === 0x5f) return 63
  return -1
}
