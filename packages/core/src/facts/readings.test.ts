import { expect, test, vi } from 'vitest'
import { Readings } from './readings.ts'

test('a text is read once for each thing that is looked for in it, even if nothing is found', () => {
  const readings = new Readings()
  const findNothing = vi.fn<(text: string) => undefined>()
  const countLetters = vi.fn((text: string) => text.length)
  const found = ['a', 'bc', 'a', 'bc'].map((text) => [
    readings.of(findNothing, text),
    readings.of(countLetters, text),
  ])
  expect(found).toEqual([
    [undefined, 1],
    [undefined, 2],
    [undefined, 1],
    [undefined, 2],
  ])
  expect(findNothing).toHaveBeenCalledTimes(2)
  expect(countLetters).toHaveBeenCalledTimes(2)
})
