/**
 * WebSockets. The handshake is the upstream's, and afterwards bytes pass both ways unchanged.
 * Frames, masks, pings, extensions, close codes and back-pressure are left to the two ends.
 */
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Dispatcher } from 'undici'
import { listPairs, passHeaders, type RawHeaders } from './headers.ts'
import { type OwnAnswer, renderProblem } from './own-routes.ts'
import { asError, type Outgoing, readRaw, renderReason } from './relay.ts'

export interface UpgradeOptions {
  readonly dispatcher: Dispatcher
  readonly outgoing: Omit<Outgoing, 'body'>
  readonly socket: Duplex
  /** What the client sent after its handshake. */
  readonly head: Buffer
}

/**
 * Resolves after the handshake: `101`, or the status of the refusal, which the client gets
 * unchanged. Never rejects.
 */
export function relayWebSocket({
  dispatcher,
  outgoing,
  socket,
  head,
}: UpgradeOptions): Promise<number> {
  return new Promise((resolve) => {
    let isAnswered = false
    let controller: Dispatcher.DispatchController | undefined
    const leave = () => controller?.abort(new Error('the client is gone'))
    const refuse = (error: Error) => {
      if (!isAnswered)
        endUpgrade(
          socket,
          renderProblem(502, `${outgoing.origin} cannot be reached (${error.name})`),
        )
      else socket.destroy()
      resolve(502)
    }
    socket.once('close', leave)
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart(started) {
        controller = started
        if (socket.destroyed) leave()
      },
      onRequestUpgrade(started, status, _headers, upstream) {
        socket.off('close', leave)
        socket.write(
          renderHead(status, 'Switching Protocols', readRaw(started.rawHeaders)),
          'latin1',
        )
        join(socket, upstream, head)
        resolve(status)
      },
      // Agents read the reason of the refusal, and continue over HTTP.
      onResponseStart(started, status, _headers, text = '') {
        if (status < 200) return
        isAnswered = true
        const headers = passHeaders(readRaw(started.rawHeaders))
        socket.write(
          renderHead(status, renderReason(text), [...headers, 'connection', 'close']),
          'latin1',
        )
        resolve(status)
      },
      onResponseData(started, chunk) {
        if (socket.write(chunk)) return
        started.pause()
        socket.once('drain', () => started.resume())
      },
      onResponseEnd: () => void socket.end(),
      onResponseError: (_started, error) => refuse(error),
    }
    try {
      dispatcher.dispatch(
        {
          ...outgoing,
          headers: [...outgoing.headers],
          method: 'GET',
          body: null,
          upgrade: 'websocket',
        },
        handler,
      )
    } catch (error) {
      refuse(asError(error))
    }
  })
}

//   client ──► socket ──► upstream       each ends with the other, and neither outlives it
//          ◄──        ◄──
function join(socket: Duplex, upstream: Duplex, head: Buffer): void {
  upstream.write(head)
  for (const [from, to] of [
    [socket, upstream],
    [upstream, socket],
  ] as const) {
    from.pipe(to)
    from.once('error', () => to.destroy())
    from.once('close', () => to.destroy())
  }
}

/** An answer that ends a handshake. */
export function endUpgrade(socket: Duplex, { status, contentType, body }: OwnAnswer): void {
  const length = String(Buffer.byteLength(body))
  const headers = ['content-type', contentType, 'content-length', length, 'connection', 'close']
  socket.write(renderHead(status, 'Refused', headers), 'latin1')
  socket.end(body)
}

/** Whether a handshake asks for a WebSocket. No other upgrade is supported. */
export function isWebSocket({ method, headers }: IncomingMessage): boolean {
  return method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket'
}

function renderHead(status: number, text: string, headers: RawHeaders): string {
  const lines = listPairs(headers).map(([name, value]) => `${name}: ${value}`)
  return `${[`HTTP/1.1 ${status} ${text}`, ...lines].join('\r\n')}\r\n\r\n`
}
