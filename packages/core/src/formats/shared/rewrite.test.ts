import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { expectLinearGrowth } from '../../../../../test/growth.suite.ts'
import { rewriteJson } from './rewrite.ts'

const rewrite = (text: string, change: (value: never) => unknown) => {
  const before: unknown = JSON.parse(text)
  return rewriteJson(text, before, change(before as never))
}

describe('rewriteJson', () => {
  test('what is the same object keeps its characters', () => {
    const text = ' {"a" : [1.0, {"b":1e3},{ "c":"\\u00e9" }] , "d":2.50}\n'
    expect(rewrite(text, (value) => value)).toBe(text)
    expect(
      rewrite(text, (value: { a: unknown[] }) => ({ ...value, a: [value.a[2], value.a[1]] })),
    ).toBe(' {"a" : [{ "c":"\\u00e9" }, {"b":1e3}] , "d":2.50}\n')
  })

  test('a changed member of an element leaves the members beside it alone', () => {
    const text = '[{"n":1.0,"t":"old"},{"n":2.0}]'
    expect(
      rewrite(text, ([first, second]: [object, object]) => [{ ...first, t: 'new' }, second]),
    ).toBe('[{"n":1.0,"t":"new"},{"n":2.0}]')
  })

  test('an element that shares an object with an old one is that one changed, wherever it is', () => {
    const text = '[{"a":[{"t":1},{"n":12345678901234567890,"v":1.0}]},{"b":{"n":2.0}}]'
    expect(
      rewrite(text, ([first, second]: [{ a: unknown[] }, object]) => [
        { s: 1 },
        { a: [first.a[0]] },
        { s: 2 },
        { a: [{ t: 2 }, { t: 3 }, first.a[1]] },
        { ...second, c: 1 },
      ]),
    ).toBe(
      '[{"s":1},{"a":[{"t":1}]},{"s":2},{"a":[{"t":2},{"t":3},{"n":12345678901234567890,"v":1.0}]},{"b":{"n":2.0},"c":1}]',
    )
  })

  test('a new element is written as its neighbours are: separators and indentation', () => {
    expect(rewrite('[1, 2]', (list: number[]) => [...list, 3])).toBe('[1, 2, 3]')
    const indented = JSON.stringify([{ a: 1 }, { b: [2] }], null, 4)
    expect(rewrite(indented, (list: object[]) => [...list, { c: { d: 3 } }])).toBe(
      JSON.stringify([{ a: 1 }, { b: [2] }, { c: { d: 3 } }], null, 4),
    )
    const crlf = indented.replaceAll('\n', '\r\n')
    expect(rewrite(crlf, (list: object[]) => [{ c: 3 }, ...list])).toBe(
      JSON.stringify([{ c: 3 }, { a: 1 }, { b: [2] }], null, 4).replaceAll('\n', '\r\n'),
    )
  })

  test('an emptied list is empty, a list that was empty is filled', () => {
    expect(rewrite('{"a": [ 1 ]}', (value: object) => ({ ...value, a: [] }))).toBe('{"a": []}')
    expect(rewrite('{"a": [ ]}', (value: object) => ({ ...value, a: [1, 2] }))).toBe('{"a": [1,2]}')
  })

  test('members that go take one comma each', () => {
    expect(rewrite('{"a":1, "b":2, "c":3}', ({ a }: { a: number }) => ({ a }))).toBe('{"a":1}')
    expect(rewrite('{"a":1, "b":2, "c":3}', () => ({}))).toBe('{}')
    expect(rewrite('{"a":1, "b":2}', ({ b }: { b: number }) => ({ b, c: 3 }))).toBe('{"b":2,"c":3}')
  })

  test('the result is the JSON of the new value, whatever changed', { tags: 'property' }, () => {
    const lists = fc.array(fc.jsonValue({ maxDepth: 3 }), { maxLength: 8 })
    fc.assert(
      fc.property(
        lists,
        lists,
        fc.array(fc.nat(7)),
        fc.constantFrom(undefined, 1, '\t'),
        (old, added, order, indent) => {
          const text = JSON.stringify({ before: 1, list: old, after: { list: old } }, null, indent)
          const before = JSON.parse(text)
          const list = [...order.map((index) => before.list[index] ?? null), ...added]
          const after = { ...before, list, after: { ...before.after, list: added } }
          expect(JSON.parse(rewriteJson(text, before, after))).toEqual(
            JSON.parse(JSON.stringify(after)),
          )
        },
      ),
    )
  })

  test('a list of which every second element changes takes linear time', {
    tags: 'slow',
  }, async () => {
    const list = (length: number) =>
      JSON.stringify(Array.from({ length }, (_, index) => ({ index, text: 'x' })))
    const change = (text: string) =>
      rewrite(text, (items: object[]) =>
        items.map((item, at) => (at % 2 ? { ...item, text: 'y' } : item)),
      )
    await expectLinearGrowth(list, change, 2_000)
    expect(change(list(100_000))).toBe(
      list(100_000).replaceAll(/("index":\d*[13579],"text":)"x"/g, '$1"y"'),
    )
  })
})
