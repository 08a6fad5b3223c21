import fc from 'fast-check'
import { expect, test } from 'vitest'
import { shrinkCopy } from './rewrite.ts'

const long = 'x'.repeat(1000)

test('short copies stay as they are', () => {
  const json = '{"stdout":"ok", "n":1.50, "list":[1,[2],{"a":"]"}], "none":null}'
  expect(shrinkCopy(json)).toBe(json)
  expect(shrinkCopy('"Error: no"')).toBe('"Error: no"')
})

test('long strings are cut, keys never, and types stay', () => {
  const copy = {
    [long]: long,
    file: { path: '/a', content: long, numLines: 3 },
    text: '"\\'.repeat(300),
  }
  const shrunk: typeof copy = JSON.parse(shrinkCopy(JSON.stringify(copy)))
  expect(Object.keys(shrunk)).toEqual(Object.keys(copy))
  expect(shrunk.file).toMatchObject({ path: '/a', numLines: 3 })
  expect(shrunk.file.content).toBe(`${'x'.repeat(100)}… (900 more characters compressed away)`)
  expect(shrunk.text.startsWith('"\\"\\')).toBe(true)
})

test('long arrays keep their beginning', () => {
  const copy = {
    patch: [{ lines: Array.from({ length: 500 }, (_, index) => `line ${index}`) }],
    after: 1,
  }
  const shrunk: typeof copy = JSON.parse(shrinkCopy(JSON.stringify(copy)))
  expect(shrunk.patch[0]?.lines).toEqual(copy.patch[0]?.lines.slice(0, 20))
  expect(shrunk.after).toBe(1)
})

test('a cut never splits a pair of surrogates', () => {
  const shrunk: unknown = JSON.parse(
    shrinkCopy(JSON.stringify(`${'x'.repeat(99)}${'😀'.repeat(200)}`)),
  )
  // A lone surrogate cannot be encoded.
  expect(() => encodeURIComponent(String(shrunk))).not.toThrow()
})

test('any JSON stays JSON of the same type and keys', { tags: 'property' }, () => {
  const words = fc.string({ maxLength: 400 })
  const value = fc.oneof(
    fc.jsonValue(),
    words,
    fc.array(fc.oneof(words, fc.jsonValue()), { maxLength: 60 }),
    fc.dictionary(words, words),
  )
  fc.assert(
    fc.property(value, (copy) => {
      const shrunk: unknown = JSON.parse(shrinkCopy(JSON.stringify(copy)))
      expect(Array.isArray(shrunk)).toBe(Array.isArray(copy))
      expect(typeof shrunk).toBe(typeof copy)
      if (typeof copy === 'object' && copy !== null && !Array.isArray(copy)) {
        expect(Object.keys(Object(shrunk))).toEqual(Object.keys(JSON.parse(JSON.stringify(copy))))
      }
    }),
  )
})
