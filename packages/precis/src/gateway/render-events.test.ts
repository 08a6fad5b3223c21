import { apis } from '@precis/core/apis'
import { EventStreamCodec } from '@smithy/eventstream-codec'
import { describe, expect, test } from 'vitest'
import { hasAmazonEvents, renderAmazonEvents, renderEvents } from './api-request.ts'

const ANSWER = {
  text: '<summary>é "quoted"\n\ndata: no event 😀</summary>',
  model: 'claude-opus-4-8',
  id: 'x1',
  time: 1_700_000_000,
  usage: { inputTokens: 100, outputTokens: 5 },
}
const events = apis['anthropic-messages'].createEvents(ANSWER)

describe('events', () => {
  test('are one line each, whatever they say', () => {
    const text = Buffer.from(renderEvents(events)).toString()
    const data = text.split('\n').filter((line) => line.startsWith('data: '))
    expect(data.map((line) => JSON.parse(line.slice(6)))).toEqual(events.map((event) => event.data))
  })

  test("are read by Amazon's own decoder", () => {
    const codec = new EventStreamCodec(
      (bytes) => Buffer.from(bytes).toString(),
      (text) => Buffer.from(text),
    )
    const bytes = Buffer.from(renderAmazonEvents(events))
    const seen: unknown[] = []
    for (let start = 0; start < bytes.length; ) {
      const end = start + bytes.readUInt32BE(start)
      const { headers, body } = codec.decode(bytes.subarray(start, end))
      expect(headers).toMatchObject({
        ':event-type': { type: 'string', value: 'chunk' },
        ':content-type': { type: 'string', value: 'application/json' },
        ':message-type': { type: 'string', value: 'event' },
      })
      const chunk: { bytes: string } = JSON.parse(Buffer.from(body).toString())
      seen.push(JSON.parse(Buffer.from(chunk.bytes, 'base64').toString()))
      start = end
    }
    expect(seen).toEqual(events.map((event) => event.data))
  })

  test('are wanted that way where the address says so', () => {
    expect(hasAmazonEvents('/model/m/invoke-with-response-stream')).toBe(true)
    expect(hasAmazonEvents('/model/m/invoke-with-response-stream?x')).toBe(true)
    expect(hasAmazonEvents('/model/m/invoke')).toBe(false)
  })
})
