import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readImageSize } from './media.ts'

const PNG = bytesOf('89504e470d0a1a0a 0000000d 49484452 00000500 000002d0 0806000000')
const GIF = [...text('GIF89a'), 0x40, 0x01, 0xf0, 0x00, 0, 0, 0]
const LOSSY = [
  ...text('RIFF'),
  0,
  0,
  0,
  0,
  ...text('WEBPVP8 '),
  0,
  0,
  0,
  0,
  0,
  0,
  0,
  0x9d,
  0x01,
  0x2a,
  0x26,
  0x02,
  0x70,
  0x41,
]
// 800 − 1 and 600 − 1 in fourteen bits each.
const LOSSLESS = [
  ...text('RIFF'),
  0,
  0,
  0,
  0,
  ...text('WEBPVP8L'),
  0,
  0,
  0,
  0,
  0x2f,
  0x1f,
  0xc3,
  0x95,
  0x00,
]
const EXTENDED = [
  ...text('RIFF'),
  0,
  0,
  0,
  0,
  ...text('WEBPVP8X'),
  ...bytesOf('0a000000 00000000 8f0100 2b0100'),
]
const FRAME = [0xff, 0xc2, 0, 17, 8, 0x03, 0x00, 0x04, 0x00]

describe('readImageSize', () => {
  test('reads a real PNG of one pixel', () => {
    const pixel =
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
    expect(readImageSize(pixel)).toEqual({ width: 1, height: 1 })
  })

  test.each([
    ['PNG', PNG, 1280, 720],
    ['GIF', GIF, 320, 240],
    ['lossy WebP', LOSSY, 550, 368],
    ['lossless WebP', LOSSLESS, 800, 600],
    ['extended WebP', EXTENDED, 400, 300],
    ['JPEG', [0xff, 0xd8, ...FRAME], 1024, 768],
    ['JPEG with fill bytes', [0xff, 0xd8, 0xff, 0xff, ...FRAME], 1024, 768],
    [
      'JPEG with a profile first',
      [0xff, 0xd8, ...segment(0xe1, 40_000), ...segment(0xdb, 67), ...FRAME],
      1024,
      768,
    ],
    ['JPEG with a Huffman table first', [0xff, 0xd8, ...segment(0xc4, 31), ...FRAME], 1024, 768],
  ])('reads the size of a %s', (_, bytes, width, height) => {
    expect(readImageSize(encode(bytes))).toEqual({ width, height })
    expect(readImageSize(`data:image/any;base64,${encode(bytes)}`)).toEqual({ width, height })
  })

  test('a header cut anywhere is not a size', () => {
    for (const [bytes, headerBytes] of [
      [PNG, 24],
      [GIF, 10],
      [LOSSY, 30],
      [LOSSLESS, 25],
      [EXTENDED, 30],
      [[0xff, 0xd8, ...segment(0xe0, 16), ...FRAME], 29],
    ] as const) {
      expect(readImageSize(encode(bytes.slice(0, headerBytes)))).toBeDefined()
      for (let length = 0; length < headerBytes; length++) {
        expect(readImageSize(encode(bytes.slice(0, length)))).toBeUndefined()
      }
    }
  })

  test.each([
    ['nothing', ''],
    ['text', 'hello world, this is no image'],
    ['a data URL without data', 'data:image/png'],
    [
      'a JPEG whose scan starts without a frame',
      encode([0xff, 0xd8, ...segment(0xda, 12), ...FRAME]),
    ],
    ['a JPEG segment of length zero', encode([0xff, 0xd8, 0xff, 0xe0, 0, 0, ...FRAME])],
    [
      'a JPEG of one endless fill',
      encode([0xff, 0xd8, ...Array.from({ length: 4_000 }, () => 0xff)]),
    ],
    ['a PNG of width zero', encode(PNG.with(18, 0))],
    [
      'a WebP of an unknown kind',
      encode([...LOSSY.slice(0, 12), ...text('VP9 '), ...LOSSY.slice(16)]),
    ],
  ])('%s has no size', (_, base64) => {
    expect(readImageSize(base64)).toBeUndefined()
  })

  test('stops after a bounded header', { tags: 'slow' }, () => {
    const endless = encode([
      0xff,
      0xd8,
      ...Array.from({ length: 25 }, () => segment(0xe1, 60_000)).flat(),
      ...FRAME,
    ])
    expect(readImageSize(endless)).toBeUndefined()
  })

  test('never throws and never gives an empty size', { tags: 'property' }, () => {
    const heads = fc.constantFrom(PNG, GIF, LOSSY, LOSSLESS, EXTENDED, [0xff, 0xd8, 0xff])
    const bytes = fc.tuple(heads, fc.nat(30), fc.array(fc.nat(255)))
    fc.assert(
      fc.property(bytes, ([head, kept, tail]) => {
        const size = readImageSize(encode([...head.slice(0, kept), ...tail]))
        return size === undefined || (size.width > 0 && size.height > 0)
      }),
    )
    fc.assert(
      fc.property(fc.string(), (any) => readImageSize(any) === undefined || any.length > 10),
    )
  })
})

function text(word: string): number[] {
  return Array.from(word, (letter) => letter.charCodeAt(0))
}

function bytesOf(hex: string): number[] {
  return [...Buffer.from(hex.replaceAll(' ', ''), 'hex')]
}

function segment(marker: number, length: number): number[] {
  return [
    0xff,
    marker,
    length >> 8,
    length & 0xff,
    ...Array.from({ length: length - 2 }, () => 0x20),
  ]
}

function encode(bytes: readonly number[]): string {
  return Buffer.from(bytes).toString('base64')
}
