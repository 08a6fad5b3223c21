import { expect, test } from 'vitest'
import { copyContent } from './same-content.ts'

test('nothing that is written into the original is in the copy', () => {
  const original = { role: 'user', content: [{ type: 'text', text: 'a', marks: { is: 1 } }] }
  const copied = copyContent(original)
  const [block] = original.content
  if (block) block.marks.is = 2
  original.content.push({ type: 'text', text: 'b', marks: { is: 3 } })
  expect(copied).toEqual({ role: 'user', content: [{ type: 'text', text: 'a', marks: { is: 1 } }] })
})

test('what has a class of its own is shared', () => {
  const original = {
    data: new Uint8Array([1, 2]),
    address: new URL('https://a.test/'),
    own: { toJSON: () => 'a' },
  }
  const copied = copyContent(original)
  expect(copied).not.toBe(original)
  for (const key of ['data', 'address', 'own'] as const) expect(copied[key]).toBe(original[key])
})

test('no key, depth or circle is a trap', () => {
  const hostile: object = JSON.parse('{"__proto__": {"a": [1]}}')
  const copied = copyContent(hostile)
  expect(JSON.stringify(copied)).toBe(JSON.stringify(hostile))
  expect(Object.getPrototypeOf(copied)).toBe(Object.prototype)

  let deep: unknown[] = []
  for (let depth = 0; depth < 200_000; depth++) deep = [deep]
  expect(copyContent(deep) === deep).toBe(false)

  const circle: { own?: object } = {}
  circle.own = circle
  const round = copyContent(circle)
  expect(round !== circle && round.own === round).toBe(true)
})
