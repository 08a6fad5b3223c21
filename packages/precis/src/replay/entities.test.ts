import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { expectLinearGrowth } from '../../../../test/growth.suite.ts'
import { runs } from '../../../../test/property-runs.ts'
import { findEntities, findPaths } from './entities.ts'

// What `findPaths` does by hand, as one expression: correct, and quadratic on text that is made for
// it.
const EXTENSIONS = 'go|ts|tsx|md|json|sum|mod|h'
const WORD = '\\p{L}\\p{N}_'
const ORACLE = new RegExp(
  `(?<![${WORD}/.\\-])(?:~?/|\\.{1,2}/)?(?:[${WORD}@+.\\-]+/)+[${WORD}@+.\\-]*[${WORD}@+\\-]|(?<![${WORD}/.\\-])[${WORD}@+\\-][${WORD}@+.\\-]*\\.(?:${EXTENSIONS})(?![${WORD}/])`,
  'gu',
)

describe('paths', () => {
  test('are what one expression finds', { tags: 'property' }, () => {
    const piece = fc.constantFrom(
      'a',
      'go',
      'ts',
      'sum',
      '.',
      '.',
      '..',
      '/',
      '/',
      '~',
      '-',
      '+',
      '@',
      ' ',
      'é',
      ':',
      '_',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 24 }), (pieces) => {
        const text = pieces.join('')
        expect(findPaths(text)).toEqual([...text.matchAll(ORACLE)].map(([match]) => match))
      }),
      { numRuns: runs(20_000) },
    )
  })

  test.each(['@', 'a@', '@/', './', 'a.go@', '/', '~', '..', 'a/.', '@.', '+.go/'])(
    'are found in linear time in a text of %s',
    { tags: 'slow' },
    async (piece) => {
      await expectLinearGrowth(
        (count) => piece.repeat(count),
        (text) => findEntities(text, ''),
        5_000,
      )
    },
  )
})

describe('entities', () => {
  test.each([
    ['see /work/shop/src/a/cart.ts:12', ['path\ta/cart.ts']],
    ['and/or either/neither', []],
    ['netPrice_1 foo Foo fooBar abc1', ['ident\tnetPrice_1', 'ident\tfooBar']],
    [
      'ABC-12 #345 v1.2.3 deadbeef1 --no-cache 8080 12',
      ['str\tABC-12', 'str\t#345', 'str\tv1.2.3', 'str\tdeadbeef1', 'str\t--no-cache', 'str\t8080'],
    ],
    ['https://example.org/a?b=1.', ['str\thttps://example.org/a?b=1']],
    ['key_REDACTED_1', []],
  ])('of %s', (text, expected) => {
    const found = [...findEntities(text, '/work/shop')]
    for (const entity of expected) expect(found).toContain(entity)
    if (expected.length === 0) expect(found).toEqual([])
  })
})
