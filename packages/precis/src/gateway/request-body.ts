/** Bodies of requests: in one piece if they may need an action, else as a stream. */
import type { IncomingMessage } from 'node:http'
import { PassThrough, type Readable } from 'node:stream'

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
}

/** Never rejects. */
export async function readBody(
  request: IncomingMessage,
  { isCollected, mostBytes = MOST_BODY_BYTES }: BodyOptions,
): Promise<RequestBody> {
  const length = request.headers['content-length']
  if (length === undefined ? request.headers['transfer-encoding'] === undefined : length === '0')
    return { type: 'none' }
  const isTooLarge = length !== undefined && Number(length) > mostBytes
  return isCollected && !isTooLarge
    ? await collect(request, mostBytes)
    : { type: 'stream', stream: pass(request, []) }
}

function collect(request: IncomingMessage, mostBytes: number): Promise<RequestBody> {
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
      if (length <= mostBytes) return
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
