import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { atOnce } from '../conversation/steps.ts'
import { createPhraseFinder } from './phrases.ts'

const find = (phrases: readonly string[], ...texts: string[]) => [
  ...atOnce(atOnce(createPhraseFinder(phrases))(texts)),
]

describe('createPhraseFinder', () => {
  test('finds the same as looking for each phrase alone', { tags: 'property' }, () => {
    const words = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 40 })
    const phrases = fc.array(
      fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1, maxLength: 5 }),
    )
    fc.assert(
      fc.property(words, words, phrases, (text, other, given) => {
        const wanted = given.map((phrase) => phrase.join(' '))
        const search = atOnce(createPhraseFinder(wanted))
        for (const looked of [text, other]) {
          const found = atOnce(search([looked.join(' ')]))
          for (const phrase of wanted)
            expect(found.has(phrase)).toBe(` ${looked.join(' ')} `.includes(` ${phrase} `))
        }
      }),
    )
  })

  test('white space does not matter, letters do', () => {
    expect(find(['Run  it', 'run it'], 'we\nRun\tit')).toEqual(['Run  it'])
  })

  test('a phrase does not go on from one text to the next', () => {
    expect(find(['a b'], 'a', 'b')).toEqual([])
  })

  test('words that share a hash are told apart', () => {
    // Both have the polynomial hash 2112.
    expect(find(['Aa'], 'BB')).toEqual([])
    expect(find(['Aa', 'BB'], 'BB')).toEqual(['BB'])
  })

  test('a phrase is found inside a run of characters that knows no spaces', () => {
    expect(find(['不要修改数据库'], '请记住不要修改数据库的内容')).toEqual(['不要修改数据库'])
  })

  test('a phrase without words is never found', () => {
    expect(find([' '], 'a b')).toEqual([])
  })
})
