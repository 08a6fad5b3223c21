/**
 * A request to an API. Its body is parsed once and changed as bytes, so that the rest stays as the
 * client wrote it.
 */

import { crc32 } from 'node:zlib'
import type { HostRequest } from '@precis/core'
import { type ApiEvent, type ApiName, apis } from '@precis/core/apis'
import { findListElements } from '../agents/shared/split-lines.ts'
import { asBuffer, asObject, type JsonObject, parseObject } from '../files/lines.ts'

// Google's internal API contains the request of the public API as a member.
const INNER = 'request'

export interface ApiRequest {
  readonly bytes: Uint8Array
  readonly json: JsonObject
  /** Whether it is inside another object, in which case the answer has to be too. */
  readonly isInner: boolean
  readonly request: HostRequest
  /** The body or the address asks for a streamed answer. */
  readonly isStreamed: boolean
  /**
   * The same bytes with other messages. Messages that came in the request are recognized by
   * identity.
   */
  replaceMessages(messages: readonly object[]): Uint8Array
  /** A document with only the messages, in their own bytes. */
  cutMessages(): Uint8Array
}

/** Undefined for anything but a request with a list of messages. */
export function readApiRequest(
  bytes: Uint8Array,
  {
    api: name,
    path,
    model,
  }: { readonly api: ApiName; readonly path: string; readonly model: string | undefined },
): ApiRequest | undefined {
  const whole = parseObject(asBuffer(bytes))
  const api = apis[name]
  const inner = name === 'gemini-contents' ? asObject(whole?.[INNER]) : undefined
  const json = inner ?? whole
  const named = model ?? (typeof whole?.model === 'string' ? whole.model : undefined)
  const request = json && api.readRequest(json, named)
  if (!json || !request || request.messages.length === 0) return undefined
  const list = inner ? [INNER, api.listKey] : [api.listKey]
  // Computed only if something changes.
  const findSpans = () => {
    const spans = findListElements(bytes, [list])
    if (spans.length !== request.messages.length)
      throw new TypeError('Reading a request: its list cannot be found.')
    return spans
  }
  return {
    bytes,
    json,
    isInner: inner !== undefined,
    request,
    isStreamed: json.stream === true || /:stream/i.test(path) || hasAmazonEvents(path),
    replaceMessages(messages) {
      const spans = findSpans()
      const places = new Map(request.messages.map((message, place) => [message, place]))
      const [first, last] = [spans[0], spans.at(-1)]
      if (!first || !last) throw new TypeError('Changing a request: it has no messages.')
      const pieces: Uint8Array[] = [bytes.subarray(0, first.start)]
      let before: number | undefined
      for (const [index, message] of messages.entries()) {
        const place = places.get(message)
        const span = place === undefined ? undefined : spans[place]
        const previous = before === undefined ? undefined : spans[before]
        // If two adjacent messages stay adjacent, the bytes between them stay too.
        const follows = previous && place !== undefined && place - 1 === before
        if (index > 0)
          pieces.push(follows && span ? bytes.subarray(previous.end, span.start) : COMMA)
        pieces.push(
          span ? bytes.subarray(span.start, span.end) : Buffer.from(JSON.stringify(message)),
        )
        before = place
      }
      return Buffer.concat([...pieces, bytes.subarray(last.end)])
    },
    cutMessages() {
      const written = findSpans().map(({ start, end }) => bytes.subarray(start, end))
      const joined = written.flatMap((piece, place) => (place === 0 ? [piece] : [COMMA, piece]))
      return Buffer.concat([Buffer.from(`{"${api.listKey}":[`), ...joined, Buffer.from(']}')])
    },
  }
}

const COMMA = Buffer.from(',')

/** Events in the form of `text/event-stream` (html.spec.whatwg.org, 9.2). */
export function renderEvents(events: readonly ApiEvent[]): Uint8Array {
  const lines = events.map(({ name, data }) => {
    const text = typeof data === 'string' ? data : JSON.stringify(data)
    return `${name === undefined ? '' : `event: ${name}\n`}data: ${text}\n\n`
  })
  return Buffer.from(lines.join(''))
}

const AMAZON_HEADERS = [
  [':event-type', 'chunk'],
  [':content-type', 'application/json'],
  [':message-type', 'event'],
] as const
const TYPE_STRING = 7

/**
 * Events in the form of Amazon (docs.aws.amazon.com/transcribe/latest/dg/event-stream.html), each
 * in base64 inside an object:
 *
 *   bytes of all │ bytes of headers │ CRC-32 of these │ headers │ payload │ CRC-32 of all before
 */
export function renderAmazonEvents(events: readonly ApiEvent[]): Uint8Array {
  const headers = Buffer.concat(AMAZON_HEADERS.map(renderAmazonHeader))
  return Buffer.concat(
    events.map(({ data }) => {
      const bytes = Buffer.from(JSON.stringify(data)).toString('base64')
      const payload = Buffer.from(JSON.stringify({ bytes }))
      const prelude = Buffer.alloc(12)
      prelude.writeUInt32BE(prelude.length + headers.length + payload.length + 4, 0)
      prelude.writeUInt32BE(headers.length, 4)
      prelude.writeUInt32BE(crc32(prelude.subarray(0, 8)), 8)
      const message = Buffer.concat([prelude, headers, payload, Buffer.alloc(4)])
      message.writeUInt32BE(crc32(message.subarray(0, -4)), message.length - 4)
      return message
    }),
  )
}

function renderAmazonHeader([name, value]: readonly [string, string]): Buffer {
  const type = Buffer.from([TYPE_STRING, 0, value.length])
  return Buffer.concat([Buffer.from([name.length]), Buffer.from(name), type, Buffer.from(value)])
}

/** Whether the answer to a request is streamed in that form. */
export function hasAmazonEvents(path: string): boolean {
  return /\/invoke-with-response-stream(?:\?|$)/.test(path)
}
