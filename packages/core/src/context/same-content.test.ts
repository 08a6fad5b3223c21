import { expect, test } from 'vitest'
import { isSameContent } from './same-content.ts'

test('members count, their order does not, and neither does one that is undefined', () => {
  expect(
    isSameContent(
      { role: 'user', content: [{ text: 'a' }] },
      { content: [{ text: 'a' }], role: 'user' },
    ),
  ).toBe(true)
  expect(isSameContent({ role: 'user', name: undefined }, { role: 'user' })).toBe(true)
  expect(isSameContent({ role: 'user', name: null }, { role: 'user' })).toBe(false)
  expect(isSameContent({ content: [{ text: 'a' }] }, { content: [{ text: 'b' }] })).toBe(false)
  expect(isSameContent([1, 2], { 0: 1, 1: 2 })).toBe(false)
  expect(isSameContent(JSON.parse('{"__proto__": 1}'), {})).toBe(false)
})

test('what says itself what it is as JSON is compared by that', () => {
  expect(isSameContent(new URL('https://a.test/x'), new URL('https://a.test/x'))).toBe(true)
  expect(isSameContent(new URL('https://a.test/x'), new URL('https://a.test/y'))).toBe(false)
  expect(isSameContent(new Uint8Array([1, 2]), new Uint8Array([1, 2]))).toBe(true)
  expect(isSameContent(new Uint8Array([1, 2]), new Uint8Array([1, 3]))).toBe(false)
})

test('depth is no limit', () => {
  const nest = (end: string) => {
    let value: unknown = end
    for (let depth = 0; depth < 200_000; depth++) value = [value]
    return value
  }
  expect(isSameContent(nest('a'), nest('a'))).toBe(true)
  expect(isSameContent(nest('a'), nest('b'))).toBe(false)
})
