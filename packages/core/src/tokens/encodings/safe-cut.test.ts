import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '../../../../../test/property-runs.ts'
import { findEncoding } from '../find-encoding.ts'
import { findSafeCut } from './encoding.ts'

describe('findSafeCut', () => {
  test('finds offsets at which both encodings count the halves as the whole', {
    tags: 'property',
  }, () => {
    const text = fc
      .array(
        fc.constantFrom(
          'a',
          'Bc',
          '12',
          '3',
          "'",
          's',
          'll',
          ' ',
          '\n',
          '/',
          '.',
          '，',
          '。',
          '語',
          'か',
          '한',
          '\u0301',
          '🎉',
          'é',
        ),
        {
          minLength: 1,
          maxLength: 40,
        },
      )
      .map((parts) => parts.join(''))
    fc.assert(
      fc.property(text, fc.nat(60), (whole, wanted) => {
        const cut = findSafeCut(whole, wanted)
        for (const name of ['o200k_base', 'cl100k_base'] as const) {
          const { count } = findEncoding(name)!
          expect(count(whole.slice(0, cut)) + count(whole.slice(cut))).toBe(count(whole))
        }
      }),
      { numRuns: runs(1000) },
    )
  })

  test('looks ahead when there is none behind', () => {
    expect(findSafeCut('=====a=', 3)).toBe(6)
  })

  test('returns the end of a text that has none', () => {
    expect(findSafeCut('======', 3)).toBe(6)
  })

  test('does not cut before an apostrophe', () => {
    expect(findSafeCut("a's", 1)).toBe(3)
  })
})
