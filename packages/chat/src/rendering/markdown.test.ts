import fc from 'fast-check'
import pc from 'picocolors'
import stringWidth from 'string-width'
import { describe, expect, test } from 'vitest'
import { expectLinearGrowth } from '../../../../test/growth.suite.ts'
import { StreamingMarkdown } from './markdown.ts'

const plain = pc.createColors(false)
const colored = pc.createColors(true)

function render(text: string, columns = 40, colors = plain): readonly string[] {
  return new StreamingMarkdown(text).render(columns, colors)
}

describe('markdown', () => {
  test('shows headings, lists, quotes and rules', () => {
    const text = '# One\ntext\n\n- a\n  - b\n2. c\n\n- [x] done\n\n> said\n> so\n\n---'
    expect(render(text)).toEqual([
      '# One',
      '',
      'text',
      '',
      '• a',
      '  • b',
      '2. c',
      '',
      '• ☑ done',
      '',
      '│ said',
      '│ so',
      '',
      '─'.repeat(40),
    ])
  })

  test('hangs the lines of an item under its text', () => {
    expect(render('- one two three four five', 14)).toEqual(['• one two', '  three four', '  five'])
  })

  test('keeps every space of code, in a frame that closes when the code does', () => {
    expect(render('```ts\nif (a) {\n  b()\n}\n```')).toEqual([
      '╭─ ts ─',
      '│ if (a) {',
      '│   b()',
      '│ }',
      '╰──',
    ])
    expect(render('```\nnot yet')).toEqual(['╭──', '│ not yet'])
  })

  test('of an item that goes on after a blank line is put under it', () => {
    const text = '1. do this:\n\n    ```sh\n    npm ci\n      npm test\n    ```\n\n2. done\n'
    expect(render(text)).toEqual([
      '1. do this:',
      '',
      '    ╭─ sh ─',
      '    │ npm ci',
      '    │   npm test',
      '    ╰──',
      '',
      '2. done',
    ])
  })

  test('hides no line, whatever it would mean elsewhere', () => {
    expect(render('[a]: http://b.c\n\n<!-- d -->\n\n~5 and ~6~')).toEqual([
      '[a]: http://b.c',
      '',
      '<!-- d -->',
      '',
      '~5 and ~6~',
    ])
  })

  test('breaks code that is too wide, and loses nothing of it', () => {
    expect(render('```\nabcdefgh\n```', 6)).toEqual(['╭──', '│ abcd', '│ efgh', '╰──'])
  })

  test('styles words, and leaves marks that mean nothing', () => {
    const bold = colored.bold('b')
    expect(render('a **b** c', 40, colored)).toEqual([`a ${bold} c`])
    expect(render('2 * 3 * 4, snake_case_name, a ** b, \\*no\\*')).toEqual([
      '2 * 3 * 4, snake_case_name, a ** b, *no*',
    ])
    expect(render('[text](http://x.y) `code`')).toEqual(['text (http://x.y) `code`'])
  })

  test('fits a table: natural, with cells over several lines, then as records', () => {
    const table = '| file | what |\n|---|:-:|\n| a.ts | reads the cart \\| basket |\n'
    expect(render(table)).toEqual([
      'file │ what',
      '─────┼────────────────────────',
      'a.ts │ reads the cart | basket',
    ])
    expect(render(table, 20)).toEqual([
      'file │ what',
      '─────┼──────────────',
      'a.ts │ reads the',
      '     │ cart | basket',
    ])
    expect(render(table, 14)).toEqual(['file a.ts', 'what reads', '  the cart |', '  basket'])
  })

  test('shows what acts on a terminal as a replacement character', () => {
    const evil = '\u001b[2J \u009b1m \u202e x\u0007'
    for (const text of [
      evil,
      `\`\`\`${evil}\n${evil}\n\`\`\``,
      `[${evil}](${evil})`,
      `| ${evil} |\n|---|\n| ${evil} |`,
    ]) {
      expect(render(text).join('\n')).not.toMatch(/(?!\n)[\p{Cc}\p{Bidi_Control}]/u)
    }
  })

  test('is the same in whatever pieces it comes', { tags: 'property' }, () => {
    const block = fc.constantFrom(
      '# h\n',
      'text **b** `c`\n',
      '\n',
      '- item\n',
      '  more\n',
      '```js\n',
      '```\n',
      '| a | b |\n',
      '|--|--|\n',
      '> q\n',
      '1. x',
      '~~~\n',
    )
    fc.assert(
      fc.property(fc.array(block, { maxLength: 30 }), fc.array(fc.nat(12)), (blocks, cuts) => {
        const text = blocks.join('')
        const pieces = new StreamingMarkdown()
        let at = 0
        for (const cut of cuts) {
          pieces.append(text.slice(at, at + cut))
          pieces.render(30, plain)
          at += cut
        }
        pieces.append(text.slice(at))
        expect(pieces.render(30, plain)).toEqual(render(text, 30))
      }),
    )
  })

  test('gives no line wider than asked and no control character, whatever the text', {
    tags: 'property',
  }, () => {
    const word = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('|', '\n', '```', '- ', '> ', '**', '日本語', '👩‍👩‍👧', '\t'),
    )
    fc.assert(
      fc.property(fc.array(word), fc.integer({ min: 12, max: 60 }), (words, columns) => {
        for (const line of render(words.join(''), columns)) {
          expect(line).not.toMatch(/\p{Cc}|\p{Bidi_Control}/u)
          expect(stringWidth(line)).toBeLessThanOrEqual(columns)
        }
      }),
    )
  })

  test.each([
    ['quotes in quotes', (count: number) => '>'.repeat(count)],
    ['openings of bold', (count: number) => '**a '.repeat(count)],
    ['quotes and lists in each other', (count: number) => '> - '.repeat(count)],
    ['lists in lists', (count: number) => listInLists(Math.sqrt(count))],
    ['marks in marks', (count: number) => '*a _b '.repeat(count) + 'b_ a* '.repeat(count)],
    ['addresses', (count: number) => `${'a.'.repeat(count)}@`],
    ['openings of code', (count: number) => '`a '.repeat(count)],
    ['openings of links', (count: number) => '[a]('.repeat(count)],
    ['bars', (count: number) => '|'.repeat(count)],
    ['one long word', (count: number) => 'a'.repeat(count)],
    ['code without an end', (count: number) => `\`\`\`\n${'x\n'.repeat(count)}`],
  ])('takes linear time for %s', { tags: 'slow' }, async (_, makeText) => {
    await expectLinearGrowth(makeText, (text) => render(text, 60), 20_000)
  })

  test('renders again only the end of an answer that grows', { tags: 'slow' }, async () => {
    const grow = (paragraphs: number) => {
      const markdown = new StreamingMarkdown()
      for (let paragraph = 0; paragraph < paragraphs; paragraph++) {
        markdown.append(`Paragraph ${paragraph} with some words in it.\n\n`)
        markdown.render(80, plain)
      }
      expect(markdown.render(80, plain)).toHaveLength(2 * paragraphs - 1)
    }
    await expectLinearGrowth((paragraphs) => paragraphs, grow, 200)
  })
})

/** Has as many characters as the square of its lines. */
function listInLists(lines: number): string {
  return Array.from({ length: lines }, (_, depth) => `${'  '.repeat(depth)}- x`).join('\n')
}
