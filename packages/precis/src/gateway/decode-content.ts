/** Decompresses content into plain bytes (RFC 9110, 8.4). */
import { setImmediate } from 'node:timers/promises'
import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate } from 'node:zlib'
import { Decompress } from 'fzstd'
import { systemErrorCode } from '../files/errors.ts'

const decoders = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
} as const

// Others can run between two pieces. A piece takes a millisecond or two.
const ZSTD_PIECE_BYTES = 1 << 16

/** Undefined for damaged content, for more than `mostBytes`, and for an unknown encoding. */
export async function decodeContent(
  bytes: Uint8Array,
  encoding: string | undefined,
  mostBytes: number,
): Promise<Uint8Array | undefined> {
  const name = encoding?.trim().toLowerCase() ?? 'identity'
  if (name === 'identity') return bytes
  // Codex compresses its requests with it after a login with ChatGPT.
  if (name === 'zstd') return await decodeZstd(bytes, mostBytes)
  if (!isKnown(name)) return undefined
  try {
    return await decoders[name](bytes, { maxOutputLength: mostBytes })
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error
    return undefined
  }
}

function isKnown(name: string): name is keyof typeof decoders {
  return Object.hasOwn(decoders, name)
}

async function decodeZstd(bytes: Uint8Array, mostBytes: number): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = []
  let length = 0
  const decoder = new Decompress((chunk) => {
    length += chunk.length
    if (length > mostBytes) throw new RangeError('Decompressing a body: it has too many bytes.')
    chunks.push(chunk)
  })
  for (let start = 0; start < bytes.length; start += ZSTD_PIECE_BYTES) {
    const end = start + ZSTD_PIECE_BYTES
    try {
      decoder.push(bytes.subarray(start, end), end >= bytes.length)
    } catch {
      // Any failure to decode is the client's problem, and its bytes pass unchanged.
      return undefined
    }
    await setImmediate()
  }
  return Buffer.concat(chunks, length)
}
