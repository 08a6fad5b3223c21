import { describe, expect, test } from 'vitest'
import { expectLessThan } from '../../../../test/growth.suite.ts'
import { renderExcerpt, renderLine } from './page.ts'

describe('an excerpt', () => {
  test('is text, with its line breaks', () => {
    expect(renderExcerpt('a <b>\n"c" & \'d\'', 100)).toEqual({
      html: 'a &lt;b&gt;\n&quot;c&quot; &amp; &#39;d&#39;',
      isCut: false,
    })
  })

  test.each([['x'], ['"'], ['é'], ['あ'], ['😀'], ['\ud800'], ['e\u0301'], ['\n'], ['&'], [' ']])(
    'of a million times %j has no more bytes than asked for',
    (text) => {
      const { html, isCut } = renderExcerpt(text.repeat(1_000_000), 500)
      expect(Buffer.byteLength(html)).toBeLessThanOrEqual(500)
      expect(isCut || html === '').toBe(true)
    },
  )

  test('never ends between the halves of a character', () => {
    for (let bytes = 1; bytes < 12; bytes++) {
      expect(renderExcerpt('😀😀😀', bytes).html).toBe('😀'.repeat(Math.floor(bytes / 4)))
    }
  })

  test('has no key in it, also one that the cut goes through', () => {
    const key = `sk-ant-${'a1'.repeat(40)}`
    for (const length of [4, 12, 30, 60, 100, 200])
      expect(renderExcerpt(`key ${key} end`, length).html).not.toContain('sk-ant')
    expect(renderExcerpt(`key ${key} end`, 100).html).toBe('key [redacted: precis restore] end')
  })

  test('leaves out the colours of a terminal, and shows what else acts on one', () => {
    expect(renderExcerpt('\u001b[1;31mred\u001b[0m \u0007 \u202e', 100).html).toBe(
      'red \ufffd \ufffd',
    )
  })

  test('piles no more than six marks on a letter', () => {
    expect(renderExcerpt(`e${'\u0301'.repeat(50)}x`, 100).html).toBe(`e${'\u0301'.repeat(6)}x`)
  })

  test('takes as long for a text of 6 MB as for one of 6 kB', { tags: 'slow' }, async () => {
    const [short, long] = [2_000, 2_000_000].map((count) => '\t \n'.repeat(count))
    const render = (text = '') => renderExcerpt(text, 400)
    await expectLessThan(
      10,
      () => render(short),
      () => render(long),
    )
  })
})

test('a line ends with a word where it is cut, and with any letter where there is none', () => {
  expect(renderLine('a short\nline', 100)).toBe('a short line')
  expect(renderLine('several words that go on', 16)).toBe('several words…')
  expect(renderLine('x'.repeat(100), 20)).toBe(`${'x'.repeat(20)}…`)
})
