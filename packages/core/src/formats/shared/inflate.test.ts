import { deflateSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { inflate } from './inflate.ts'

const read = (data: Uint8Array, mostCost = 10_000_000) =>
  inflate((at) => data[at] ?? 0, 0, data.length, mostCost).bytes

/** Text with near and far repetitions. */
const text = fc
  .array(fc.tuple(fc.uint8Array({ maxLength: 40 }), fc.nat(8)), { maxLength: 60 })
  .map((pieces) => Buffer.concat(pieces.flatMap(([piece, times]) => Array(times).fill(piece))))

describe('inflate', () => {
  test.each([
    ['stored', { level: 0 }],
    ['with fixed codes', { strategy: 4 }],
    ['with codes of its own', { level: 9 }],
  ])('gives what zlib wrote %s', { tags: 'property' }, (_, options) => {
    fc.assert(
      fc.property(text, (data) => {
        expect(Buffer.from(read(deflateSync(data, options))).equals(data)).toBe(true)
      }),
    )
  })

  test('gives a long text', () => {
    const data = Buffer.from(
      Array.from({ length: 20_000 }, (_, line) => `line ${line * 7919}`).join('\n'),
    )
    expect(Buffer.from(read(deflateSync(data))).equals(data)).toBe(true)
  })

  test('gives no more than is asked for, however much was made small', () => {
    expect(read(deflateSync(Buffer.alloc(10_000_000)), 1000)).toHaveLength(1000)
  })

  test('reads no further than it may, through blocks that hold nothing', () => {
    const block = Buffer.from([0, 0, 0, 0xff, 0xff])
    const empty = Buffer.concat([Buffer.from([0x78, 0x9c]), ...Array(20_000).fill(block)])
    let reads = 0
    const byteAt = (at: number) => {
      reads++
      return empty[at] ?? 0
    }
    inflate(byteAt, 0, empty.length, 100_000)
    expect(reads).toBeGreaterThan(0)
    expect(reads).toBeLessThan(5000)
  })

  test('gives the part before damage, and ends for any bytes', { tags: 'property' }, () => {
    const data = Buffer.from('the same words again and again and again, and again')
    const whole = deflateSync(data)
    const part = Buffer.from(read(whole.subarray(0, whole.length - 12))).toString()
    expect(data.toString().startsWith(part)).toBe(true)
    expect(part.length).toBeGreaterThan(10)
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
        expect(read(bytes, 5000).length).toBeLessThanOrEqual(5000)
      }),
    )
  })
})
