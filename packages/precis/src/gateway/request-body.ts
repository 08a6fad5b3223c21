/** Bodies of requests: in one piece if they may need an action, else as a stream. */
import type { IncomingMessage } from 'node:http'
import { PassThrough, type Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate } from 'node:zlib'
import { Decompress } from 'fzstd'
import { systemErrorCode } from '../files/errors.ts'

/** `gone`: the client left before the end. */
export type RequestBody =
  | { readonly type: 'none' }
  | { readonly type: 'whole'; readonly bytes: Buffer }
  | { readonly type: 'stream'; readonly stream: Readable }
  | { readonly type: 'gone' }

export const MOST_BODY_BYTES = 64 << 20

export interface BodyOptions {
  readonly isCollected: boolean
  /** A larger body becomes a stream. */
  readonly mostBytes?: number
  /** Gets the length of each piece. A body for which it returns false becomes a stream. */
  readonly take?: (bytes: number) => boolean
}

// A client that sends nothing for this long is gone.
const SILENCE_MS = 300_000

/** Never rejects. */
export async function readBody(
  request: IncomingMessage,
  { isCollected, mostBytes = MOST_BODY_BYTES, take }: BodyOptions,
): Promise<RequestBody> {
  const length = request.headers['content-length']
  if (length === undefined ? request.headers['transfer-encoding'] === undefined : length === '0')
    return { type: 'none' }
  limitSilence(request)
  const isTooLarge = length !== undefined && Number(length) > mostBytes
  return isCollected && !isTooLarge
    ? await collect(request, mostBytes, take)
    : { type: 'stream', stream: pass(request, []) }
}

function limitSilence(request: IncomingMessage): void {
  const timer = setTimeout(() => request.destroy(), SILENCE_MS).unref()
  request.on('data', () => timer.refresh())
  for (const end of ['end', 'close']) request.once(end, () => clearTimeout(timer))
}

function collect(
  request: IncomingMessage,
  mostBytes: number,
  take = (_bytes: number) => true,
): Promise<RequestBody> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let length = 0
    const end = (body: RequestBody) => {
      request.off('data', onData).off('end', onEnd).off('close', onClose)
      resolve(body)
    }
    const onData = (chunk: Buffer) => {
      chunks.push(chunk)
      length += chunk.length
      if (take(chunk.length) && length <= mostBytes) return
      request.pause()
      end({ type: 'stream', stream: pass(request, chunks) })
    }
    const onEnd = () => end({ type: 'whole', bytes: Buffer.concat(chunks, length) })
    const onClose = () => end({ type: 'gone' })
    request.on('data', onData).on('end', onEnd).on('close', onClose)
  })
}

/**
 * Ends with the client's connection, and leaves the connection open if the body is not read to its
 * end.
 */
function pass(request: IncomingMessage, before: readonly Buffer[]): Readable {
  const body = new PassThrough()
  for (const chunk of before) body.write(chunk)
  request.pipe(body)
  // An upstream that has answered need not read the rest, but the client may still be sending it.
  body.once('close', () => request.resume())
  request.once('close', () => {
    if (!request.complete) body.destroy(new Error('the client is gone'))
  })
  return body
}

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
