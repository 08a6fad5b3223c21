import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseTimestamp } from './timestamp.ts'

test('a timestamp is the time that the host would read', { tags: 'property' }, () => {
  const dates = fc.date({
    min: new Date(0),
    max: new Date('9999-12-31T23:59:59.999Z'),
    noInvalidDate: true,
  })
  fc.assert(fc.property(dates, (date) => parseTimestamp(date.toISOString()) === date.getTime()))
  expect(parseTimestamp('2024-02-29T12:00:00Z')).toBe(Date.UTC(2024, 1, 29, 12))
})

test.each(['', 'yesterday', '2024-02-29', '2024-02-29T12:00:00+01:00'])(
  '%j is no time in UTC',
  (text) => {
    expect(parseTimestamp(text)).toBeUndefined()
  },
)
