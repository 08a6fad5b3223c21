import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findArrayElements, findMembers, findValue, replaceValues } from './spans.ts'

const slice = (text: string, span: { start: number; end: number } | undefined) =>
  span && text.slice(span.start, span.end)

describe('json-spans', () => {
  test('finds values through objects and arrays, past white space and a byte order mark', () => {
    const text = '\ufeff { "a" : [ 1, {"b": "x\\"]}"} ] , "c" : -1.50e3 }'
    expect(slice(text, findValue(text, ['a', 1, 'b']))).toBe('"x\\"]}"')
    expect(slice(text, findValue(text, ['c']))).toBe('-1.50e3')
    expect(findValue(text, ['a', 2])).toBeUndefined()
    expect(findValue(text, ['c', 'd'])).toBeUndefined()
    expect(slice(text, findValue(text, []))).toBe(text.trim())
  })

  test('a string that ends in backslashes ends where it ends', () => {
    const text = '{"a":"\\\\\\\\","b":"\\\\\\"","c":1}'
    expect(slice(text, findValue(text, ['b']))).toBe('"\\\\\\""')
    expect(slice(text, findValue(text, ['c']))).toBe('1')
  })

  test('of a key given twice the last one stands, and escaped keys are read', () => {
    const text = '{"a":1,"\\u0061":2,"__proto__":{"x":3}}'
    expect(slice(text, findValue(text, ['a']))).toBe('2')
    expect(slice(text, findMembers(text).get('__proto__'))).toBe('{"x":3}')
    expect(replaceValues(text, [{ path: ['a'], json: '9' }])).toBe(
      '{"a":1,"\\u0061":9,"__proto__":{"x":3}}',
    )
  })

  test('gives the elements of an array under a path and undefined where none is', () => {
    const text = '{"m":{"content":[ {"t":"[,]"} ,2,[3,4], "" ]},"e":[]}'
    const elements = findArrayElements(text, ['m', 'content'])
    expect(elements?.map((span) => slice(text, span))).toEqual(['{"t":"[,]"}', '2', '[3,4]', '""'])
    expect(findArrayElements(text, ['e'])).toEqual([])
    expect(findArrayElements(text, ['m'])).toBeUndefined()
  })

  test('leaves out members with one comma and appends those an object lacks', () => {
    const text = '{ "a":1, "b":2 , "c":3}'
    expect(JSON.parse(replaceValues(text, [{ path: ['a'], json: undefined }]))).toEqual({
      b: 2,
      c: 3,
    })
    expect(JSON.parse(replaceValues(text, [{ path: ['c'], json: undefined }]))).toEqual({
      a: 1,
      b: 2,
    })
    expect(
      replaceValues(
        '{}',
        ['x', 'y'].map((key) => ({ path: [key], json: '1', append: true })),
      ),
    ).toBe('{"x":1,"y":1}')
    expect(replaceValues(text, [{ path: ['z'], json: '1' }])).toBe(text)
  })

  test('a million brackets cost neither stack nor quadratic time', () => {
    const deep = '['.repeat(1_000_000) + ']'.repeat(1_000_000)
    const text = `{"a":${deep},"b":1}`
    expect(slice(text, findValue(text, ['b']))).toBe('1')
  })

  test('ends on text that is no JSON', { tags: 'property' }, () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...Array.from('{}[],:"\\a1 ')) }), (text) => {
        findMembers(text)
        findArrayElements(text)
        findValue(text, ['a', 0, 'a'])
      }),
    )
  })

  test('a replaced value is the only difference to the parsed text', { tags: 'property' }, () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 }),
        fc.jsonValue(),
        fc.nat(),
        (object, value, pick) => {
          const text = JSON.stringify(object, undefined, pick % 3)
          const keys = Object.keys(object)
          const key = keys[pick % keys.length]!
          const changed: unknown = JSON.parse(
            replaceValues(text, [{ path: [key], json: JSON.stringify(value) }]),
          )
          const expected = Object.fromEntries(
            keys.map((name) => [name, name === key ? value : object[name]]),
          )
          expect(JSON.stringify(changed)).toBe(JSON.stringify(JSON.parse(JSON.stringify(expected))))
        },
      ),
    )
  })
})
