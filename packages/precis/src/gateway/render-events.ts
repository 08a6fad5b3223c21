/** Answers by precis as the bytes of a body. */
import { crc32 } from 'node:zlib'
import type { ApiEvent } from '@precis/core/apis'

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
