import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findMissingNames } from './carried-names.ts'
import { knowEntities } from './items.ts'
import { Mentions } from './recorded-session.ts'

const NAMES = ['orders_77', 'billing_core', 'netPrice_4', 'taxRate_12', 'cart_items']
const lines = fc.array(
  fc.constantFrom(...NAMES, 'the price of each supplier', 'table of the year', 'rounds it up'),
  {
    minLength: 1,
    maxLength: 6,
  },
)

test('what is found of the past says the same as all of the past', { tags: 'property' }, () => {
  const pasts = fc.array(lines, { maxLength: 30 })
  fc.assert(
    fc.property(pasts, lines, lines, (pastLines, call, left) => {
      const past = knowEntities(
        pastLines.map((words, row) => ({ kind: 'user', row, text: words.join(' ') })),
        '',
      )
      const future = knowEntities(
        [{ kind: 'call', row: 99, name: 'Bash', text: call.join(' '), callId: 'c' }],
        '',
      )
      const names = future.flatMap(({ entities }) => [...entities])
      const text = left.join(' ')
      const found = new Mentions([...past, ...future]).findBefore(past.length, names)
      expect(findMissingNames({ past: found, future, text })).toEqual(
        findMissingNames({ past, future, text }),
      )
    }),
  )
})

test('of a name that is everywhere only the newest places and the smallest are read', () => {
  const items = knowEntities(
    Array.from({ length: 10_000 }, (_, row) => ({
      kind: 'user' as const,
      row,
      text: `orders_77 is number ${row + 1e6}`,
    })),
    '',
  )
  const smallest = knowEntities([{ kind: 'user', row: 0, text: 'orders_77' }], '')
  const found = new Mentions([...smallest, ...items]).findBefore(9000, ['ident\torders_77'])
  expect(found.length).toBeLessThan(300)
  expect(found[0]?.text).toBe('orders_77')
  expect(found.at(-1)?.row).toBe(8998)
})
