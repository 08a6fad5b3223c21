import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isSameContent } from '../context/same-content.ts'
import { ListChain, MessageHashes, renderContent, sha256 } from './list-chain.ts'

const hash = (text: string) => createHash('sha256').update(text).digest('hex')
const say = (content: unknown, role = 'user') => ({ role, content })

/** The names of all beginnings of a list. */
async function nameAll(
  messages: readonly object[],
  systemCount = 0,
  seed: readonly unknown[] = ['seed'],
) {
  const chain = new ListChain(new MessageHashes(hash), messages, systemCount, seed)
  await chain.extend(messages.length)
  return messages.slice(systemCount).map((_, index) => chain.name(systemCount + index + 1))
}

/** The same value with its members in another order, and some that are undefined. */
function turnAround(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turnAround)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([key, member]): [string, unknown] => [
    key,
    turnAround(member),
  ])
  return Object.fromEntries([...members.reverse(), ['never there', undefined]])
}

test('two values have one text when they are the same content, and only then', {
  tags: 'property',
}, () => {
  // Few values, so that they are often alike.
  const small = fc.constantFrom<unknown>(
    'a',
    '',
    '1',
    'null',
    '[',
    '"',
    1,
    0,
    -0,
    12,
    null,
    true,
    [],
    {},
  )
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      small,
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom('a', 'b', '__proto__', '1'), tie('value'), { maxKeys: 3 }),
    ),
  }))
  let same = 0
  fc.assert(
    fc.property(value, value, (left, right) => {
      if (isSameContent(left, right)) same++
      expect(renderContent(left) === renderContent(right)).toBe(isSameContent(left, right))
      expect(renderContent(turnAround(left))).toBe(renderContent(left))
    }),
    { numRuns: 1000 },
  )
  expect(same).toBeGreaterThan(10)
})

test('what says itself what it is as JSON is written so, bytes as bytes, and holes are no end', () => {
  expect(renderContent(new URL('https://a.test/x'))).toBe(renderContent('https://a.test/x'))
  const bytes = new Uint8Array([1, 2, 3])
  expect(renderContent(bytes)).toBe(renderContent(Uint8Array.from([0, 1, 2, 3]).subarray(1)))
  expect(renderContent(bytes)).not.toBe(renderContent([1, 2, 3]))
  expect(renderContent(Array(2))).not.toBe(renderContent(Array(3)))
  const withHole = (last: string) => Object.assign(Array(2), { 1: last })
  expect(renderContent(withHole('a'))).not.toBe(renderContent(withHole('b')))
})

test('depth and width are no limit', { tags: 'slow' }, () => {
  let deep: unknown = 'a'
  for (let depth = 0; depth < 200_000; depth++) deep = [deep]
  expect(renderContent(deep)).toHaveLength(400_003)
  expect(renderContent(Array.from({ length: 300_000 }, () => 1)).length).toBe(600_002)
})

test('lists have the same names as far as they begin alike, cache marks aside, and a text is a block', async () => {
  const mark = { cache_control: { type: 'ephemeral' } }
  const one = await nameAll([say('a'), say('b'), say('c')])
  const two = await nameAll([say([{ type: 'text', text: 'a', ...mark }]), say('b'), say('d')])
  expect(two.slice(0, 2)).toEqual(one.slice(0, 2))
  expect(two[2]).not.toBe(one[2])
  expect(new Set([...one, ...two]).size).toBe(4)
})

test('the number of leading system messages counts, and their words do not', async () => {
  const system = (text: string) => say(text, 'system')
  const one = await nameAll([system('It is ten.'), say('a')], 1)
  expect(await nameAll([system('It is eleven.'), say('a')], 1)).toEqual(one)
  expect(await nameAll([say('a')])).not.toEqual(one)
})

test('lists of another seed have no name in common', async () => {
  expect(await nameAll([say('a')], 0, ['a', 'b'])).not.toEqual(await nameAll([say('a')], 0, ['ab']))
  expect(await nameAll([say('a')], 0, ['a', ['b']])).not.toEqual(
    await nameAll([say('a')], 0, ['a', 'b']),
  )
})

test('each message is hashed once, whatever lists have it', async () => {
  let hashed = 0
  const hashes = new MessageHashes((text) => {
    if (text.includes('long')) hashed++
    return hash(text)
  })
  const messages = [say('long a'), say('long b')]
  for (const seed of ['a', 'b']) await new ListChain(hashes, messages, 0, [seed]).extend(2)
  expect(hashed).toBe(2)
  expect(() => new ListChain(hashes, messages, 0, []).name(3)).toThrow('3 messages')
})

test('lists that are named several times at once have the same names', async () => {
  const messages = Array.from({ length: 40 }, (_, index) => say(`message ${index}`))
  const slow = new MessageHashes(async (text) => hash(text))
  const chain = new ListChain(slow, messages, 0, ['seed'])
  await Promise.all([chain.extend(30), chain.extend(40), chain.extend(10)])
  expect(messages.map((_, index) => chain.name(index + 1))).toEqual(await nameAll(messages))
})

test('the SHA-256 of the platform is that of everyone', async () => {
  for (const text of ['', 'abc', 'ü \u{1f600}'.repeat(100)])
    expect(await sha256(text)).toBe(hash(text))
})
