import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Band, findTurnBands } from './bands.ts'

const heavy: Band = { start: 0, end: 50, level: 'heavy-compress' }
const standard: Band = { start: 50, end: 80, level: 'compress' }
const newest: Band = { start: 95, end: 100, level: 'compress' }

const namesOf = (turnCount: number, bands: readonly Band[]) =>
  findTurnBands(turnCount, bands)
    .map((band) => (band ? `${band.start}–${band.end}` : ''))
    .join(' ')

describe('findTurnBands', () => {
  test('a band at the newest end takes the newest turn, however few turns there are', () => {
    expect(findTurnBands(10, [newest])[9]).toBe(newest)
    expect(findTurnBands(10, [{ start: 0, end: 95, level: 0.5 }, newest]).at(-1)).toBe(newest)
    expect(findTurnBands(1, [newest])).toEqual([newest])
    expect(findTurnBands(40, [newest]).filter(Boolean)).toHaveLength(2)
    expect(findTurnBands(10, [{ start: 95, end: 99, level: 0.5 }]).filter(Boolean)).toEqual([])
  })

  test('a position on a border belongs to the later band', () => {
    expect(namesOf(10, [heavy, standard])).toBe('0–50 0–50 0–50 0–50 0–50 50–80 50–80 50–80  ')
    const later: Band = { start: 58, end: 100, level: 'compress' }
    expect(findTurnBands(50, [later]).findIndex(Boolean)).toBe(29)
    expect(findTurnBands(100, [{ ...later, start: 0, end: 29 }]).filter(Boolean)).toHaveLength(29)
  })

  test('bands with a gap between them map as given', () => {
    expect(
      namesOf(4, [
        { ...heavy, end: 25 },
        { ...standard, end: 75 },
      ]),
    ).toBe('0–25  50–75 ')
  })

  test('without turns there is nothing to map, and one turn stands at position 0', () => {
    expect(findTurnBands(0, [heavy])).toEqual([])
    expect(findTurnBands(1, [heavy, standard])).toEqual([heavy])
    expect(findTurnBands(1, [heavy, { ...standard, end: 100 }])).toEqual([heavy])
    expect(findTurnBands(1, [standard])).toEqual([undefined])
  })

  test('three turns: a third ends before the second turn, a little more takes it', () => {
    expect(findTurnBands(3, [{ ...heavy, end: 33 }]).filter(Boolean)).toHaveLength(1)
    expect(findTurnBands(3, [{ ...heavy, end: 34 }]).filter(Boolean)).toHaveLength(2)
  })

  test('each turn gets the band its position lies in, and no other', { tags: 'property' }, () => {
    const borders = fc.uniqueArray(fc.integer({ min: 0, max: 100 }), { minLength: 2, maxLength: 8 })
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 60 }), borders, (turnCount, unordered) => {
        const ends = [...unordered].sort((a, b) => a - b)
        const bands = ends
          .slice(1)
          .map((end, index): Band => ({ start: ends[index] ?? 0, end, level: 0.5 }))
        findTurnBands(turnCount, bands).forEach((band, turn) => {
          const position = (turn / turnCount) * 100
          const expected = bands.find(({ start, end }) => start <= position && position < end)
          if (turn < turnCount - 1) expect(band).toBe(expected)
          else expect([expected, bands.at(-1)]).toContain(band)
        })
      }),
    )
  })
})
