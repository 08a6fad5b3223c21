import { describe, expect, test } from 'vitest'
import type { ByteSource, FormatInput } from './format.ts'
import { type JsonlLine, openJsonl, readLines, writePieces } from './lines.ts'

const encoder = new TextEncoder()

/** A source whose views become invalid at the next read, like a file reader with one buffer. */
function createSource(bytes: Uint8Array): ByteSource & { largestRead: number } {
  const buffer = new Uint8Array(2 << 20)
  return {
    byteLength: bytes.length,
    largestRead: 0,
    read(start, end) {
      this.largestRead = Math.max(this.largestRead, end - start)
      buffer.fill(0)
      buffer.set(bytes.subarray(start, end))
      return buffer.subarray(0, end - start)
    },
  }
}

function readAll(input: FormatInput): JsonlLine[] {
  return [...readLines(openJsonl(input, 'test'), 'test')]
}

describe('jsonl', () => {
  const text = '\ufeff{"a":1}\r\n\n{"ü":"😀"}\n not json\n{"b":2}\r\n{"cut'

  test('text, bytes and a byte source give the same lines', () => {
    const bytes = encoder.encode(text)
    const fromText = readAll(text)
    expect(fromText.map((line) => line.value)).toEqual([
      { a: 1 },
      undefined,
      { ü: '😀' },
      undefined,
      { b: 2 },
      undefined,
    ])
    expect(fromText.map((line) => line.problem)).toEqual([
      undefined,
      undefined,
      undefined,
      'malformed',
      undefined,
      'cut-off',
    ])
    const withoutPlace = (lines: JsonlLine[]) =>
      lines.map(({ index, text: content, problem }) => ({ index, content, problem }))
    expect(withoutPlace(readAll(bytes))).toEqual(withoutPlace(fromText))
    expect(readAll(createSource(bytes))).toEqual(readAll(bytes))
  })

  test('positions are units of the source', () => {
    const bytes = encoder.encode(text)
    for (const line of readAll(bytes)) {
      expect(
        new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(line.start, line.end)),
      ).toBe(line.text)
    }
    for (const line of readAll(text)) expect(text.slice(line.start, line.end)).toBe(line.text)
  })

  test('a line that is longer than one piece is read whole', () => {
    const long = JSON.stringify({ text: 'ä'.repeat(1_500_000), end: true })
    const source = createSource(encoder.encode(`{"first":1}\n${long}\n{"last":1}`))
    expect(readAll(source).map((line) => line.text.length)).toEqual([11, long.length, 10])
    expect(source.largestRead).toBeLessThanOrEqual(1 << 20)
  })

  test('spans found in units hold for bytes that are no UTF-8', () => {
    const bytes = Uint8Array.from([
      ...encoder.encode('{"a":"'),
      0xff,
      0xc3,
      0x28,
      0x00,
      ...encoder.encode('","b":1}'),
    ])
    const source = openJsonl(bytes, 'test')
    const at = source.readUnits(0, source.length).indexOf('"b"')
    const output = writePieces(source, [
      { start: 0, end: at },
      '"c"',
      { start: at + 3, end: source.length },
    ])
    expect(output).toEqual(
      Uint8Array.from([
        ...bytes.subarray(0, at),
        ...encoder.encode('"c"'),
        ...bytes.subarray(at + 3),
      ]),
    )
  })

  test('a byte source is written in chunks of at most a mebibyte', { tags: 'slow' }, () => {
    const bytes = encoder.encode(`{"a":"${'x'.repeat(3_000_000)}"}`)
    const output = writePieces(openJsonl(createSource(bytes), 'test'), [
      { start: 0, end: bytes.length },
      '\n',
    ])
    const chunks = [...(output as Iterable<Uint8Array>)]
    expect(Math.max(...chunks.map((chunk) => chunk.length))).toBe(1 << 20)
    expect(new TextDecoder().decode(Uint8Array.from(chunks.flatMap((chunk) => [...chunk])))).toBe(
      `${new TextDecoder().decode(bytes)}\n`,
    )
  })

  test.each([
    ['empty', ''],
    ['empty', '\ufeff\r\n  \n'],
    ['empty', new Uint8Array(0)],
    ['binary', Uint8Array.from({ length: 5000 }, (_, index) => (index * 37) % 256)],
    ['binary', encoder.encode('\0\0\0\0{"a":1}')],
    ['malformed', 'Dear diary,\ntoday nothing happened.\n'],
    ['unknown-format', {}],
  ])('refuses %s input', (code, input) => {
    expect(() => readAll(input)).toThrow(expect.objectContaining({ name: 'FormatError', code }))
  })

  test('refuses a line over 64 MiB before it is in memory', () => {
    const piece = new Uint8Array(1 << 20).fill(0x61)
    piece[0] = 0x7b
    let reads = 0
    const source: ByteSource = {
      byteLength: 1 << 30,
      read: (start, end) => {
        reads++
        return piece.subarray(0, end - start)
      },
    }
    expect(() => readAll(source)).toThrow(expect.objectContaining({ code: 'line-too-long' }))
    expect(reads).toBeLessThan(80)
  })
})
