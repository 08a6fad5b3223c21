import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findPhrases, readWords } from './phrases.ts'

describe('findPhrases', () => {
  test('finds the same as looking for each phrase alone', () => {
    const words = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 40 })
    const phrases = fc.array(fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1, maxLength: 5 }))
    fc.assert(
      fc.property(words, phrases, (text, given) => {
        const wanted = given.map((phrase) => phrase.join(' '))
        const found = findPhrases(wanted, text)
        for (const phrase of wanted) expect(found.has(phrase)).toBe(` ${text.join(' ')} `.includes(` ${phrase} `))
      }),
    )
  })

  test('white space does not matter, letters do', () => {
    expect([...findPhrases(['Run  it', 'run it'], readWords('we\nRun\tit'))]).toEqual(['Run  it'])
  })

  test('a phrase without words is never found', () => {
    expect(findPhrases([' '], readWords('a b')).size).toBe(0)
  })
})
