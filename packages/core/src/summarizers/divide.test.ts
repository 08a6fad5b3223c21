import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { expectLinearGrowth } from '../../../../test/growth.suite.ts'
import { createBoundary } from './ask.ts'
import { cleanModelText, clipMiddle } from './clean-text.ts'
import { divide, measure } from './condense.ts'

const LONE_SURROGATE = /\p{Cs}/u
const countTokens = (text: string) => Math.ceil(text.length / 4)
const texts = fc.array(fc.string({ unit: 'grapheme', maxLength: 3000 }), { maxLength: 30 })

describe('divide', () => {
  test('leaves nothing out, changes no order, cuts no character, and no chunk is too large', {
    tags: 'property',
  }, () => {
    fc.assert(
      fc.property(texts, fc.integer({ min: 40, max: 2000 }), (given, limitTokens) => {
        const entries = measure(
          given.map((text) => ({ title: 'agent', text })),
          countTokens,
        )
        const chunks = divide(entries, limitTokens, countTokens)
        const pieces = chunks.flat().map(({ text }) => text)
        expect(pieces.join('')).toBe(given.join(''))
        for (const piece of pieces) expect(LONE_SURROGATE.test(piece)).toBe(false)
        for (const chunk of chunks) {
          expect(chunk.reduce((sum, { tokens }) => sum + tokens, 0)).toBeLessThanOrEqual(
            limitTokens,
          )
        }
      }),
    )
  })

  test('makes about equal chunks, and not many more than needed', () => {
    const entries = measure(
      Array.from({ length: 1000 }, () => ({ title: 'agent', text: 'x'.repeat(400) })),
      countTokens,
    )
    const chunks = divide(entries, 20_000, countTokens)
    expect(chunks.length).toBeLessThanOrEqual(7)
    const sizes = chunks.map((chunk) => chunk.length)
    expect(Math.min(...sizes) / Math.max(...sizes)).toBeGreaterThan(0.8)
  })
})

describe('createBoundary', () => {
  test('stands in none of the texts and is the same for the same ones', {
    tags: 'property',
  }, () => {
    fc.assert(
      fc.property(texts, (given) => {
        const boundary = createBoundary(given)
        expect(given.some((text) => text.includes(boundary))).toBe(false)
        expect(createBoundary(given)).toBe(boundary)
        expect(createBoundary([...given, 'x'])).not.toBe(boundary)
        // Who knows the name of one call does not know that of the call which holds it.
        expect(createBoundary([...given, boundary])).not.toBe(boundary)
      }),
    )
  })
})

describe('clipMiddle', () => {
  test('keeps both ends, about as long as asked', { tags: 'property' }, () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 5000 }),
        fc.integer({ min: 300, max: 1000 }),
        (text, length) => {
          const clipped = clipMiddle(text, length)
          if (text.length <= length) expect(clipped).toBe(text)
          else expect(clipped.length).toBeLessThan(length + 60)
          expect(text.startsWith(clipped.slice(0, 50))).toBe(true)
          expect(text.endsWith(clipped.slice(-50))).toBe(true)
        },
      ),
    )
  })
})

describe('cleanText', () => {
  test.each([
    ['escapes', (count: number) => '\u001b['.repeat(count)],
    ['titles that never end', (count: number) => '\u001b]0;'.repeat(count)],
    ['digits after an escape', (count: number) => `\u001b[${'1;'.repeat(count)}`],
  ])('takes time in proportion to %s', { tags: 'slow' }, async (_, makeText) => {
    await expectLinearGrowth(
      makeText,
      (text) => expect(cleanModelText(text)).not.toContain('\u001b'),
      10_000,
    )
  })
})
