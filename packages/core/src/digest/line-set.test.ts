import fc from 'fast-check'
import { expect, test } from 'vitest'
import { expectLinearGrowth } from '../../../../test/growth.suite.ts'
import type { Part } from '../conversation/message.ts'
import { LineSet } from './line-set.ts'

const setOf = (...texts: readonly string[]) =>
  new LineSet(texts.map((text): Part => ({ type: 'text', text })))

test('has the trimmed lines of all texts, and no other', { tags: 'property' }, () => {
  const texts = fc.array(fc.string({ unit: fc.constantFrom('a', 'b', ' ', '\t', '\u00a0', '\n') }))
  fc.assert(
    fc.property(texts, fc.string({ unit: fc.constantFrom('a', 'b', ' ') }), (given, other) => {
      const set = setOf(...given)
      const lines = new Set(given.flatMap((text) => text.split('\n').map((line) => line.trim())))
      lines.delete('')
      for (const line of lines) expect(set.has(line)).toBe(true)
      expect(set.has(other)).toBe(lines.has(other))
    }),
  )
})

test('is no slower with lines that were made for it', { tags: 'slow' }, async () => {
  const pairs = findPairs(17)
  // All of them have the same first hash.
  const lines = (count: number) =>
    Array.from({ length: count }, (_, row) =>
      pairs.map((pair, bit) => pair[(row >> bit) & 1]).join(''),
    ).join('\n')
  await expectLinearGrowth(lines, (text) => setOf(text), 1 << 9)
})

/** Pairs of texts. From the state that the pairs before it leave, FNV-1a is the same after both. */
function findPairs(count: number): (readonly [string, string])[] {
  const FACTOR = 0x01000193
  let state = 0x811c9dc5
  return Array.from({ length: count }, () => {
    const found = new Map<number, readonly [text: string, hash: number]>()
    for (let code = 0; ; code++) {
      const [one, two] = [0x4e00 + (code % 97), 0x4e00 + Math.floor(code / 97)]
      const hash = Math.imul(Math.imul(state ^ one, FACTOR) ^ two, FACTOR)
      const text = String.fromCharCode(one, two)
      const [other, otherHash] = found.get(hash >>> 16) ?? []
      found.set(hash >>> 16, [text, hash])
      if (other === undefined || otherHash === undefined) continue
      const last = (0x5000 ^ hash ^ otherHash) & 0xffff
      if (last < 0x4e00 || last > 0xd7ff) continue
      state = Math.imul(hash ^ last, FACTOR)
      return [other + String.fromCharCode(0x5000), text + String.fromCharCode(last)] as const
    }
  })
}
