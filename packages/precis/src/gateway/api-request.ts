/**
 * A request to an API. Its body is parsed once and changed as bytes, so that the rest stays as the
 * client wrote it.
 */
import { type ApiName, apis } from '@precis/core/apis'
import type { HostRequest } from '@precis/core/following'
import { findListElements } from '../agents/shared/split-lines.ts'
import { asObject, type JsonObject, parseObject } from '../files/lines.ts'
import { hasAmazonEvents } from './render-events.ts'

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
  const whole = parseObject(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
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
