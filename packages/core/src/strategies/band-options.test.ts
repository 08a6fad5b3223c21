import { describe, expect, test } from 'vitest'
import { type Band, checkBands, createBands, readLevel } from './bands.ts'

describe('a list of bands', () => {
  test.each<readonly Band[]>([
    [],
    [{ start: 0, end: 100, level: 'compress' }],
    [
      { start: 0, end: 50, level: 'heavy-compress' },
      { start: 50, end: 80, level: 'compress' },
    ],
    [
      { start: 10, end: 20.5, level: 0.01 },
      { start: 60, end: 61, level: 0.99 },
    ],
  ])('may be empty, touch and leave gaps: %j', (...bands) => {
    expect(checkBands(bands)).toBe(bands)
  })

  test.each([
    [
      [
        { start: 0, end: 51, level: 0.5 },
        { start: 50, end: 80, level: 0.5 },
      ],
      '50–80 after 0–51',
    ],
    [
      [
        { start: 50, end: 80, level: 0.5 },
        { start: 0, end: 50, level: 0.5 },
      ],
      '0–50 after 50–80',
    ],
    [[{ start: 50, end: 50, level: 0.5 }], '50–50'],
    [[{ start: 50, end: 10, level: 0.5 }], '50–10'],
    [[{ start: -1, end: 10, level: 0.5 }], '-1–10'],
    [[{ start: 0, end: 101, level: 0.5 }], '0–101'],
    [[{ start: Number.NaN, end: 10, level: 0.5 }], 'NaN–10'],
    [[{ start: 0, end: 10, level: 0 }], 'level 0 in 0–10'],
    [[{ start: 0, end: 10, level: 1 }], 'level 1 in 0–10'],
    [[{ start: 0, end: 10, level: Number.NaN }], 'level NaN in 0–10'],
  ] as const)(
    'is refused when it is out of order, overlaps or leaves its range: %j',
    (bands, found) => {
      expect(() => checkBands(bands)).toThrow(RangeError)
      expect(() => checkBands(bands)).toThrow(found)
    },
  )

  test('a level that is no word of the list is refused', () => {
    const bands: Band[] = JSON.parse('[{"start":0,"end":10,"level":"toString"}]')
    expect(() => checkBands(bands)).toThrow('level toString in 0–10')
  })

  test('the levels leave 35 % and 10 %, a ratio what it says', () => {
    expect([readLevel('compress'), readLevel('heavy-compress'), readLevel(0.2)]).toEqual([
      0.35, 0.1, 0.2,
    ])
  })

  test('a negative number of tokens is refused', () => {
    expect(() => createBands({ minTokens: -1 })).toThrow('minTokens is -1')
    expect(createBands({ minTokens: 0 }).name).toBe('bands')
  })
})
