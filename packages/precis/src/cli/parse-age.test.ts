import { describe, expect, test } from 'vitest'
import { parseAge } from './parse-age.ts'

const NOW = new Date(2026, 10, 21, 12, 0, 0)

describe('an age', () => {
  test.each([
    ['90m', new Date(2026, 10, 21, 10, 30)],
    ['12h', new Date(2026, 10, 21, 0, 0)],
    ['7d', new Date(2026, 10, 14, 12, 0)],
    ['2w', new Date(2026, 10, 7, 12, 0)],
    ['1.5h', new Date(2026, 10, 21, 10, 30)],
    [' 7 D ', new Date(2026, 10, 14, 12, 0)],
  ])('%s is counted back from now', (text, moment) => {
    expect(parseAge(text, NOW)).toEqual(moment)
  })

  test.each([
    ['2026-11-01', new Date(2026, 10, 1)],
    ['2026-11-01T08:30', new Date(2026, 10, 1, 8, 30)],
    ['2026-11-01 08:30', new Date(2026, 10, 1, 8, 30)],
    ['2026-11-01T08:30:00Z', new Date(Date.UTC(2026, 10, 1, 8, 30))],
    ['2026-11-01T08:30:00+02:00', new Date(Date.UTC(2026, 10, 1, 6, 30))],
  ])('%s is a moment, on the clock of this machine where it names no other', (text, moment) => {
    expect(parseAge(text, NOW)).toEqual(moment)
  })

  test.each([
    '',
    '7',
    'd',
    '-3d',
    '7y',
    '2026-13-01',
    '2026-06-31',
    '2026-02-29',
    'yesterday',
    '1e3d',
    '9'.repeat(400),
  ])('%s is refused', (text) => {
    expect(() => parseAge(text, NOW)).toThrow('7d')
  })
})
