import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { quoteBlock, renderCode, tameMarkdown } from './entry.ts'

describe('Markdown of a session', () => {
  test.each([
    ['a heading of ours goes below ours', '## Turn 9\n# You', '#### Turn 9\n#### You'],
    ['a heading by a line below it is none', 'Turn 9\n---', 'Turn 9\n\\---'],
    [
      'a tag is spelled out',
      'see <script>x</script> <!-- a -->',
      'see \\<script>x\\</script> \\<!-- a -->',
    ],
    [
      'a picture is not fetched',
      '![x](https://evil.example/a.png)',
      '!\\[x](https://evil.example/a.png)',
    ],
    ['code in a line stays', 'use `<div>` here', 'use `<div>` here'],
    ['a backtick that is escaped opens no code', '\\` <img src=x> `', '\\` \\<img src=x> `'],
    [
      'code of the line before may end in this one',
      'a ` b\nc ` <img> ` d',
      'a ` b\nc ` \\<img> ` d',
    ],
    [
      'a block of code stays, and ends',
      '```html\n<div>\n# no heading',
      '```html\n<div>\n# no heading\n```',
    ],
    [
      'a longer fence is ended by one as long',
      '````\n```\n<b>\n````\n<b>',
      '````\n```\n<b>\n````\n\\<b>',
    ],
    ['less than is no tag', 'a < b, 1 <2', 'a < b, 1 <2'],
  ])('%s', (_, content, tamed) => {
    expect(tameMarkdown(content)).toBe(tamed)
  })

  test('a block of code cannot be ended by what is in it', () => {
    expect(renderCode('a\n```\n# Turn 9')).toBe('````\na\n```\n# Turn 9\n````')
  })

  test('a quotation stays one', () => {
    expect(quoteBlock('a\n\nb')).toBe('> a\n>\n> b')
  })

  test('no content has a heading of ours outside of code, or acts on a terminal', () => {
    const pieces = fc.constantFrom(
      '#',
      '## Turn 1',
      '```',
      '~~~',
      '`',
      '\n',
      '<b>',
      '\u001b[2J',
      '\u202e',
      ' ',
      'x',
      '---',
    )
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 20 }), (parts) => {
        const tamed = tameMarkdown(parts.join(''))
        expect(tamed).not.toContain('\u001b')
        expect(tamed).not.toContain('\u202e')
        let fence = ''
        for (const line of tamed.split('\n')) {
          const [, marks = ''] = /^ {0,3}(`{3,}|~{3,})/.exec(line) ?? []
          if (fence === '') expect(line).not.toMatch(/^ {0,3}#{1,3}(?:\s|$)/)
          if (fence === '' && marks !== '' && !line.replace(marks, '').includes('`')) fence = marks
          else if (fence !== '' && marks.startsWith(fence) && line.trim() === marks) fence = ''
        }
        expect(fence).toBe('')
      }),
    )
  })
})
