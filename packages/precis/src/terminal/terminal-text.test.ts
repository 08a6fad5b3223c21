import fc from 'fast-check'
import stringWidth from 'string-width'
import { describe, expect, test } from 'vitest'
import { cutToWidth, neutralizeLine, renderJson, renderPreview } from './terminal-text.ts'

const ACTS_ON_A_TERMINAL = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/u
const anyText = fc.string({
  unit: fc.oneof(
    fc.constantFrom('\u001b[31m', '\u009b', '\u202e', '\n', '日本', '👩‍👩‍👧', 'e\u0301', '\ud800'),
    fc.string({ unit: 'binary', maxLength: 3 }),
  ),
})

describe('text for a terminal', () => {
  test('has no character that acts on it, whatever comes in', () => {
    fc.assert(fc.property(anyText, (text) => !ACTS_ON_A_TERMINAL.test(neutralizeLine(text))))
  })

  test('keeps what people write', () => {
    const text = 'naïve 日本語 👩‍👩‍👧 – “quoted” שלום'
    expect(neutralizeLine(text)).toBe(text)
    expect(neutralizeLine('two\nlines\tand\r\nmore')).toBe('two lines and more')
  })

  test('is never wider than asked', () => {
    fc.assert(
      fc.property(
        anyText,
        fc.integer({ min: 0, max: 30 }),
        (text, columns) => stringWidth(renderPreview(text, columns)) <= columns,
      ),
    )
    expect(cutToWidth('日本語です', 6)).toBe('日本…')
    expect(cutToWidth('abc', 3)).toBe('abc')
  })

  test('is made in no time from a text of 50 MB', () => {
    const text = Buffer.alloc(50_000_000, 'x').toString()
    const started = performance.now()
    expect(renderPreview(text, 20)).toHaveLength(20)
    expect(performance.now() - started).toBeLessThan(100)
  })

  test('as JSON acts on nothing and means the same', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const json = renderJson({ text })
        return !ACTS_ON_A_TERMINAL.test(json.replaceAll('\n', '')) && JSON.parse(json).text === text
      }),
    )
  })
})
