import fc from 'fast-check'
import { expect, test } from 'vitest'
import { toJsonText } from './json-text.ts'

test('writes what JSON.stringify writes', { tags: 'property' }, () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(toJsonText(value)).toBe(JSON.stringify(value))
    }),
  )
  expect(toJsonText(undefined)).toBe('null')
})

test('writes values deeper than the stack, the same way', () => {
  const wide = '{"a":[1,"x",null,{"b":true}],"c":{},"d":[]}'
  const text = `${'[{"a":'.repeat(60_000)}${wide}${'},2]'.repeat(60_000)}`
  expect(toJsonText(JSON.parse(text))).toBe(text)
})

test('leaves undefined members out, at any depth', () => {
  const text = `${'['.repeat(60_000)}{"b":1}${']'.repeat(60_000)}`
  let value: unknown = { a: undefined, b: 1, c: undefined }
  for (let depth = 0; depth < 60_000; depth++) value = [value]
  expect(toJsonText(value)).toBe(text)
})

test('refuses a value that contains itself', () => {
  const value: unknown[] = []
  value.push(value)
  expect(() => toJsonText(value)).toThrow(TypeError)
})
