/**
 * One request to an upstream, and its answer to the client, byte for byte and without delay. If
 * either side breaks off, the other one notices it. An answer that was cut short never looks
 * complete.
 */
import type { ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import type { Dispatcher } from 'undici'
import { quietly, systemErrorCode } from '../files/errors.ts'
import { asBuffer } from '../files/lines.ts'
import { listPairs, passHeaders, type RawHeaders, readRawHeader } from './headers.ts'

export interface Outgoing {
  readonly origin: string
  readonly path: string
  readonly method: string
  readonly headers: readonly string[]
  readonly body: Uint8Array | Readable | undefined
}

export interface RelayOptions {
  readonly dispatcher: Dispatcher
  readonly outgoing: Outgoing
  readonly response: ServerResponse
  /** More headers for the client, as alternating names and values. */
  readonly added?: readonly string[]
  /**
   * Whether an answer with this status and at most a megabyte is returned instead of being sent.
   */
  readonly isHeld?: (status: number) => boolean
  /** Sees the answer that is sent. Takes no time, and never throws. */
  readonly watcher?: AnswerWatcher | undefined
}

export interface AnswerWatcher {
  start(headers: RawHeaders): void
  write(chunk: Uint8Array): void
}

export interface HeldAnswer {
  readonly status: number
  readonly statusText: string
  readonly headers: readonly string[]
  readonly body: Uint8Array
}

/**
 * `unreachable`: nothing was sent to the client. `broken`: one side is gone, and the other one was
 * notified.
 */
export type RelayEnd =
  | { readonly type: 'sent'; readonly status: number }
  | { readonly type: 'held'; readonly answer: HeldAnswer }
  | { readonly type: 'unreachable'; readonly error: Error }
  | { readonly type: 'broken'; readonly status: number | undefined }

const MOST_HELD_BYTES = 1 << 20
// A client that accepts nothing for this long blocks a connection to its upstream.
const LONGEST_STALL_MS = 600_000

// Error codes for a connection that the other end has closed.
const CLOSED_CODES: ReadonlySet<string | undefined> = new Set([
  'UND_ERR_SOCKET',
  'ECONNRESET',
  'EPIPE',
])

/** Never rejects. */
export async function relay(options: RelayOptions): Promise<RelayEnd> {
  const end = await relayOnce(options)
  const { method, body } = options.outgoing
  // An open connection may be closed by the other end at this moment. Only harmless requests are
  // repeated.
  const isSafe = body === undefined && (method === 'GET' || method === 'HEAD')
  const isClosed = end.type === 'unreachable' && CLOSED_CODES.has(systemErrorCode(end.error))
  return isSafe && isClosed && !options.response.destroyed ? relayOnce(options) : end
}

function relayOnce(options: RelayOptions): Promise<RelayEnd> {
  return new Promise((resolve) => {
    const { dispatcher, outgoing, response } = options
    const handler = new AnswerHandler(options, resolve)
    const { body, method, ...rest } = outgoing
    try {
      dispatcher.dispatch(
        {
          ...rest,
          method,
          headers: [...outgoing.headers],
          body: body instanceof Uint8Array ? asBuffer(body) : (body ?? null),
        },
        handler,
      )
    } catch (error) {
      // The upstream cannot accept such a header or address.
      resolve({ type: 'unreachable', error: asError(error) })
    }
    if (response.destroyed) handler.leave()
  })
}

class AnswerHandler implements Dispatcher.DispatchHandler {
  readonly #options: RelayOptions
  readonly #resolve: (end: RelayEnd) => void
  #controller: Dispatcher.DispatchController | undefined
  #held:
    | { readonly head: Omit<HeldAnswer, 'body'>; readonly chunks: Buffer[]; bytes: number }
    | undefined
  #status: number | undefined
  #hasLength = false
  #stall: NodeJS.Timeout | undefined
  #hasLeft = false
  #hasEnded = false

  constructor(options: RelayOptions, resolve: (end: RelayEnd) => void) {
    this.#options = options
    this.#resolve = resolve
    options.response.once('close', () => {
      clearTimeout(this.#stall)
      if (!this.#hasEnded) this.leave()
    })
  }

  /** Called if the client is gone. */
  leave(): void {
    this.#hasLeft = true
    if (this.#controller) this.#controller.abort(new Error('the client is gone'))
    else this.#end({ type: 'broken', status: undefined })
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#hasLeft) controller.abort(new Error('the client is gone'))
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    _headers: object,
    text = '',
  ): void {
    const raw = readRaw(controller.rawHeaders)
    const head = { status, statusText: text, headers: passHeaders(raw) }
    if (status < 200) this.#inform(status, raw)
    else if (this.#options.isHeld?.(status)) this.#held = { head, chunks: [], bytes: 0 }
    else this.#start(head)
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const held = this.#held
    if (!held) this.#write(chunk)
    else if (held.bytes + chunk.length <= MOST_HELD_BYTES) {
      held.chunks.push(chunk)
      held.bytes += chunk.length
    } else {
      this.#held = undefined
      this.#start(held.head)
      this.#write(Buffer.concat([...held.chunks, chunk]))
    }
  }

  onResponseEnd(controller: Dispatcher.DispatchController): void {
    const { response } = this.#options
    if (this.#held) {
      const { head, chunks } = this.#held
      this.#end({ type: 'held', answer: { ...head, body: Buffer.concat(chunks) } })
      return
    }
    const trailers = passHeaders(readRaw(controller.rawTrailers))
    if (trailers.length > 0) response.addTrailers(listPairs(trailers))
    response.end()
    this.#end({ type: 'sent', status: this.#status ?? 0 })
  }

  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: Error): void {
    const { response } = this.#options
    if (this.#hasLeft) this.#end({ type: 'broken', status: this.#status })
    else if (this.#status === undefined) this.#end({ type: 'unreachable', error })
    else {
      breakOff(response, this.#hasLength)
      this.#end({ type: 'broken', status: this.#status })
    }
  }

  #start({ status, statusText, headers }: Omit<HeldAnswer, 'body'>): void {
    const { response, watcher, added = [] } = this.#options
    this.#hasLength = readRawHeader(headers, 'content-length') !== undefined
    writeHead(response, { status, statusText, headers: [...headers, ...added] })
    this.#status = status
    watcher?.start(headers)
  }

  #write(chunk: Buffer): void {
    const { response, watcher } = this.#options
    watcher?.write(chunk)
    if (response.write(chunk) || this.#stall) return
    this.#controller?.pause()
    this.#stall = setTimeout(() => response.destroy(), LONGEST_STALL_MS).unref()
    response.once('drain', () => {
      clearTimeout(this.#stall)
      this.#stall = undefined
      this.#controller?.resume()
    })
  }

  #inform(status: number, headers: RawHeaders): void {
    const { response } = this.#options
    if (status === 102) response.writeProcessing()
    const links = listPairs(headers).flatMap(([name, value]) =>
      name.toLowerCase() === 'link' ? value.split(/,(?= *<)/).map((link) => link.trim()) : [],
    )
    // Node refuses some valid links. The answer does not depend on its hints.
    if (status === 103 && links.length > 0) quietly(() => response.writeEarlyHints({ link: links }))
  }

  #end(end: RelayEnd): void {
    this.#hasEnded = true
    this.#resolve(end)
  }
}

/** The beginning of an answer, sent before any of its body exists. */
export function writeHead(
  response: ServerResponse,
  { status, statusText, headers }: Pick<HeldAnswer, 'status' | 'statusText' | 'headers'>,
): void {
  // An answer gets no date if the upstream sent none.
  response.sendDate = false
  response.writeHead(status, renderReason(statusText), [...headers])
  // "flushHeaders" would write the bytes of headers as UTF-8.
  response.write('', 'latin1')
  // Nothing may be written to an answer that cannot have a body.
  response.flushHeaders()
}

/**
 * The words next to a status, read as UTF-8 and written as bytes. Characters that are not allowed
 * there are removed (RFC 9112, 4).
 */
export function renderReason(text: string): string {
  return Buffer.from(text)
    .toString('latin1')
    .replace(/[^\t -~\x80-\xff]/g, '')
}

/**
 * Ends a stream so that it never looks complete. Received bytes are sent, but not the mark of the
 * end. If the end of the connection is that mark (HTTP/1.0), the connection is reset.
 */
function breakOff(response: ServerResponse, hasLength: boolean): void {
  const { socket, chunkedEncoding } = response
  // An answer to a pipelined request waits for the answers before it, and is written after this
  // event.
  if (!socket) response.once('socket', () => setImmediate(breakOff, response, hasLength))
  else if (chunkedEncoding || hasLength) socket.destroySoon()
  else socket.resetAndDestroy()
}

/**
 * Headers as the dispatcher returns them: bytes, each of which is one character (RFC 9110, 5.5).
 */
export function readRaw(raw: Dispatcher.DispatchController['rawHeaders']): string[] {
  if (!Array.isArray(raw)) return []
  return raw.map((part) => (typeof part === 'string' ? part : part.toString('latin1')))
}

export function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}
