import fc from 'fast-check'
import { marked } from 'marked'
import { describe, expect, test } from 'vitest'
import { quoteBlock, renderCode, tameMarkdown } from './entry.ts'
import { encodeBlocks } from './session-entries.ts'

describe('Markdown of a session', () => {
  test.each([
    ['a heading of ours goes below ours', '## Turn 9\n# You', '#### Turn 9\n#### You'],
    ['a heading by a line below it is none', 'Turn 9\n---', 'Turn 9\n\\---'],
    [
      'a tag is spelled out',
      'see <script>x</script> <!-- a -->',
      'see &lt;script>x&lt;/script> &lt;!-- a -->',
    ],
    [
      'a picture is not fetched',
      '![x](https://evil.example/a.png)',
      '!&#91;x](https://evil.example/a.png)',
    ],
    ['code in a line stays', 'use `<div>` here', 'use `<div>` here'],
    ['a backtick that is escaped opens no code', '\\` <img src=x> `', '\\` &lt;img src=x> `'],
    [
      'code of the line before may end in this one',
      'a ` b\nc ` <img> ` d',
      'a ` b\nc ` &lt;img> ` d',
    ],
    [
      'a backslash before a tag does not free it',
      '\\<img> http://a/<img>',
      '\\&lt;img> http://a/&lt;img>',
    ],
    ['the border of a cell may end code', '|-|-|\n| `a | <img>` |', '|-|-|\n| `a | &lt;img>` |'],
    [
      'a backtick may be in a formula',
      '`$A` <b> `<b>`, $a `$ <b> `',
      '`$A` &lt;b> `&lt;b>`, $a `$ &lt;b> `',
    ],
    ['a formula may begin on the line before', '$a\nb`$ <img> `', '$a\nb`$ &lt;img> `'],
    ['a variable in code is no formula', '`$A` as `<b>`', '`$A` as `<b>`'],
    ['a backtick may be part of an address', 'http://a/` <img> `', 'http://a/` &lt;img> `'],
    ['only spaces make a line blank', 'a ` b\n\u00a0\n`<img>`', 'a ` b\n\u00a0\n`&lt;img>`'],
    [
      'a block of code leaves its list, which would end it',
      '- a\n\n  ```\n  b\n<img>\n    ```\n<img>',
      '- a\n\n```\nb\n<img>\n  ```\n&lt;img>',
    ],
    [
      'a block of code that is cut off in a list is closed where it began',
      '- a\n  ```\n  b',
      '- a\n```\nb\n```',
    ],
    [
      'only spaces may follow the end of a block of code',
      '```\n```\u00a0\n```\n<img>',
      '```\n```\u00a0\n```\n&lt;img>',
    ],
    [
      'tildes and a backtick begin a block of code',
      '~~~ `\n<b>\n~~~\n<img>',
      '~~~ `\n<b>\n~~~\n&lt;img>',
    ],
    [
      'the end of a block of code has one kind of marks',
      '```\n```~\n<b>\n```\n<img>',
      '```\n    ```~\n<b>\n```\n&lt;img>',
    ],
    [
      'the beginning of a block of code is no row of a table and no address',
      '[a]:\n``` | b\n|-|-|',
      '[a]:\n\n```   b\n|-|-|\n```',
    ],
    [
      'a block of code stays, and ends',
      '```html\n<div>\n# no heading',
      '```html\n<div>\n# no heading\n```',
    ],
    [
      'a longer fence is ended by one as long',
      '````\n```\n<b>\n````\n<b>',
      '````\n```\n<b>\n````\n&lt;b>',
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

  test('in no viewer does a tag or a picture of content act, or hide what follows', () => {
    const pieces = fc.constantFrom(
      ...'\n,\n\n, ,   ,- ,> ,`,```,~~~,~,|,\n|-|\n,\\,\u00a0'.split(','),
      ...'<img src=x>,![p](u),[,],](u),[r]:,http://e.x/,$,#,x'.split(','),
    )
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 16 }), (parts) => {
        const html = marked.parse(`${tameMarkdown(parts.join(''))}\n\n# Turn 9`, { async: false })
        expect(html.replace(/<code.*?<\/code>/gs, '')).not.toContain('<img')
        expect(html).toContain('<h1>Turn 9</h1>')
      }),
    )
  })

  test('code is not wrapped on a terminal, and words around it are', () => {
    const long = 'some words '.repeat(4).trim()
    const block = ['~~~', long, '~~~', `> ${long}`, '> ```', `> ${long}`, '> ```'].join('\n')
    const [fitted = ''] = [...encodeBlocks([block], undefined, 30)].map(String)
    expect(fitted.split('\n').slice(0, 5)).toEqual([
      '~~~',
      long,
      '~~~',
      '> some words some words some',
      '> words some words',
    ])
    expect(fitted).toContain(`> \`\`\`\n> ${long}\n> \`\`\``)
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
