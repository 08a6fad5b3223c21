import { describe, expect, test } from 'vitest'
import { detectFormat } from '../index.ts'
import { openJsonDocument, readBodyField, writeJsonDocument } from './document.ts'

const open = (input: string | Uint8Array | object) =>
  openJsonDocument(input, 'openai-chat', ['messages'])
const text = '{"model": "m", "messages": [{"a": 1}, {"b": 2}], "x": 1.0}'

describe('openJsonDocument', () => {
  test('finds the list under its key, or as the document', () => {
    expect(open(text).records).toEqual([{ a: 1 }, { b: 2 }])
    expect(open('[{"a":1}]').records).toEqual([{ a: 1 }])
    expect(readBodyField(open(text), 'model')).toBe('m')
    expect(readBodyField(open('[]'), 'length')).toBeUndefined()
  })

  test('says what it found instead of a list', () => {
    expect(() => open('{"a":1,"b":2}')).toThrow(
      'Reading openai-chat: found an object with "a", "b".',
    )
    expect(() => open('{"messages":{}}')).toThrow(/found an object with "messages"/)
    expect(() => open('null')).toThrow(/found null/)
    expect(() => open('{"__proto__":{"messages":[]}}')).toThrow(/"__proto__"/)
  })

  test.each([
    ['empty', ' '],
    ['malformed', '{"messages":['],
    ['binary', new Uint8Array([0x7b, 0xff, 0x7d])],
  ])('refuses what is %s', (code, input) => {
    expect(() => open(input)).toThrow(expect.objectContaining({ code }))
  })

  test('refuses a text over 64 MiB, and no document that is large without one', {
    tags: 'slow',
  }, () => {
    const large = new Uint8Array((64 << 20) + 100).fill(0x20)
    large.set(new TextEncoder().encode('{"messages":["\\"'))
    large.set(new TextEncoder().encode('"]}'), large.length - 3)
    expect(() => open(large)).toThrow(expect.objectContaining({ code: 'text-too-long' }))
    expect(() => detectFormat(large)).toThrow(expect.objectContaining({ code: 'text-too-long' }))
    large[20] = 0x22
    large[21] = 0x2c
    large[large.length - 3] = 0x31
    expect(open(large).records).toEqual(['"    ', 1])
  })
})

describe('writeJsonDocument', () => {
  test('unchanged records give back the very input', () => {
    const bytes = new TextEncoder().encode(text)
    const value = JSON.parse(text)
    for (const input of [text, bytes, value]) {
      const document = open(input)
      expect(writeJsonDocument(document, [...document.records])).toBe(input)
    }
  })

  test('a native value is never changed in place', () => {
    const value = JSON.parse(text)
    const document = open(value)
    const written = writeJsonDocument(document, document.records.slice(1), { model: undefined })
    expect(written).toEqual({ messages: [{ b: 2 }], x: 1 })
    expect(value).toEqual(JSON.parse(text))
  })

  test('fields are set and left out beside the list', () => {
    const document = open(text)
    expect(writeJsonDocument(document, document.records, { model: 'n', y: 2 })).toBe(
      '{"model": "n", "messages": [{"a": 1}, {"b": 2}], "x": 1.0,"y":2}',
    )
    expect(writeJsonDocument(document, [], { model: undefined })).toBe('{"messages": [], "x": 1.0}')
  })
})
