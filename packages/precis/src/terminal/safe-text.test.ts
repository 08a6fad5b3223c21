import fc from 'fast-check'
import fastStringWidth from 'fast-string-width'
import stringWidth from 'string-width'
import { describe, expect, test } from 'vitest'
import { expectLessThan } from '../../../../test/growth.suite.ts'
import { cutToWidth, neutralizeLine, renderJson, renderPreview } from './render.ts'

const ACTS_ON_A_TERMINAL = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/u
const anyText = fc.string({
  unit: fc.oneof(
    fc.constantFrom('\u001b[31m', '\u009b', '\u202e', '\n', '日本', '👩‍👩‍👧', 'e\u0301', '\ud800'),
    fc.string({ unit: 'binary', maxLength: 3 }),
  ),
})

/**
 * Whether two tables of widths agree on every character: of marks and of new pictures even
 * terminals tell different ones.
 */
const isWidthKnown = (text: string): boolean => {
  const line = neutralizeLine(text)
  const graphemes = [...new Intl.Segmenter().segment(line)].map(({ segment }) => segment)
  return [...Array.from(line), ...graphemes].every(
    (one) => stringWidth(one) === fastStringWidth(one),
  )
}

describe('text for a terminal', () => {
  test('has no character that acts on it, whatever comes in', { tags: 'property' }, () => {
    fc.assert(fc.property(anyText, (text) => !ACTS_ON_A_TERMINAL.test(neutralizeLine(text))))
  })

  test('keeps what people write', () => {
    const text = 'naïve 日本語 👩‍👩‍👧 – “quoted” שלום'
    expect(neutralizeLine(text)).toBe(text)
    expect(neutralizeLine('two\nlines\tand\r\nmore')).toBe('two lines and more')
  })

  test('of a program has no rest of its colors', () => {
    expect(renderPreview('\u001b[0;32mBuilt:\u001b[0m a\u001b[1mb', 40)).toBe('Built: ab')
    const key = `ghp_${'a1B2'.repeat(9)}`
    expect(renderPreview(`${key.slice(0, 9)}\u001b[0m${key.slice(9)}`, 60)).not.toContain('a1B2')
  })

  test('is never wider than asked', { tags: 'property' }, () => {
    fc.assert(
      fc.property(
        anyText.filter(isWidthKnown),
        fc.integer({ min: 0, max: 30 }),
        (text, columns) => stringWidth(renderPreview(text, columns)) <= columns,
      ),
    )
    expect(cutToWidth('日本語です', 6)).toBe('日本…')
    expect(cutToWidth('abc', 3)).toBe('abc')
  })

  test('is made as quickly from a text of 50 MB as from one of 50 kB', {
    tags: 'slow',
  }, async () => {
    const [short, long] = [50_000, 50_000_000].map((length) => Buffer.alloc(length, 'x').toString())
    const render = (text = '') => renderPreview(text, 20)
    expect(render(long)).toHaveLength(20)
    await expectLessThan(
      10,
      () => render(short),
      () => render(long),
    )
  })

  test('as JSON acts on nothing and means the same', { tags: 'property' }, () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const json = renderJson({ text })
        return !ACTS_ON_A_TERMINAL.test(json.replaceAll('\n', '')) && JSON.parse(json).text === text
      }),
    )
  })
})
