import { describe, expect, test } from 'vitest'
import { readLines } from './lines.ts'
import { createMemorySource } from './read-document.ts'

function createSource(text: string) {
  const bytes = Buffer.from(text)
  // Like a file: every read goes into one buffer.
  const buffer = Buffer.alloc(bytes.length)
  return {
    byteLength: bytes.length,
    read(start: number, end: number) {
      const length = bytes.copy(buffer, 0, start, end)
      return buffer.subarray(0, length)
    },
  }
}

/** Of a source in memory too, which is read in one piece. */
function read(text: string): string[] {
  const lines = [...readLines(createSource(text))].map(String)
  expect([...readLines(createMemorySource(Buffer.from(text)))].map(String)).toEqual(lines)
  return lines
}

describe('lines', () => {
  test('are the same whether a piece ends inside them or not', () => {
    const lines = Array.from({ length: 9000 }, (_, index) => `${index}:${'é'.repeat(index % 200)}`)
    expect(read(lines.join('\n'))).toEqual(lines)
    expect(read(`${lines.join('\n')}\n`)).toEqual(lines)
  })

  test('longer than 32 MB come as empty ones, and the next one is found', { tags: 'slow' }, () => {
    expect(read(`a\n${'x'.repeat(33 << 20)}\nb`)).toEqual(['a', '', 'b'])
  })
})
