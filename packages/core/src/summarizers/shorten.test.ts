import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { expectLinearGrowth } from '../../../../test/growth.suite.ts'
import { countWords } from './scripted-model.suite.ts'
import { shorten } from './shorten.ts'

const cut = (text: string, limit: number) => shorten(text, limit, countWords)

describe('a summary that is too long', () => {
  test('ends after a sentence', () => {
    expect(cut('One two three. Four five six. Seven eight nine.', 7)).toBe(
      'One two three. Four five six.',
    )
  })

  test('keeps every section, and its end goes before those of others', () => {
    const text =
      '## Where things stand\nA b c d. E f g h.\n\n## The conversation\nI j k l. M n o p. Q r s t.'
    expect(cut(text, 23)).toBe(
      '## Where things stand\nA b c d. E f g h.\n\n## The conversation\nI j k l. M n o p.',
    )
  })

  test('loses from the section before, once half of the last is gone', () => {
    const text = `## Where things stand\n${sentences(20)}\n\n## The conversation\n${sentences(4)}`
    expect(cut(text, 61)).toBe(
      `## Where things stand\n${sentences(16)}\n\n## The conversation\n${sentences(2)}`,
    )
  })

  test.each([
    ['a fence', `${sentences(6)}\n\`\`\`ts\nawait it()\n\n# not a heading\nawait that()\n\`\`\`\n`],
    ['a table', `${sentences(6)}\n| a | b |\n| - | - |\n| One. | Two. |\n`],
    ['a heading with nothing under it', `${sentences(6)}\n### Next\nIt is this and that, and more`],
    [
      'what only announces a list',
      `${sentences(6)}\nWhat is open:\n- this and that and more words`,
    ],
  ])('has no part of %s', (_, text) => {
    expect(cut(text, countWords(text) - 1)).toBe(sentences(6))
  })

  test('keeps rows of a table', () => {
    const rows = ['| a | b |', '| - | - |', '| 1 | 2 |', '| 3 | 4 |', '| 5 | 6 |']
    expect(cut(rows.join('\n'), 20)).toBe(rows.slice(0, 4).join('\n'))
  })

  test.each([
    'It waits, e.g. for the lock.',
    'It calls `a. B` and `c! D` before.',
    'See `a.ts. B` there.',
  ])('takes %j for one sentence', (sentence) => {
    expect(cut(`${sentences(4)} ${sentence}`, 12 + countWords(sentence) - 1)).toBe(sentences(4))
  })

  test('in Chinese ends after a sentence too', () => {
    const countCharacters = (text: string) => text.length
    expect(shorten('重试现在会等待。测试通过。还有一个错误。', 15, countCharacters)).toBe(
      '重试现在会等待。测试通过。',
    )
  })

  test('by more than a third, or with nowhere to end, is not cut', () => {
    expect(cut(sentences(45), 100)).toBeUndefined()
    expect(cut('word '.repeat(110), 100)).toBeUndefined()
  })

  test('is a part of what it was, and fits', { tags: 'property' }, () => {
    const line = fc.constantFrom(
      '## Where things stand',
      '### More',
      'One two. Three four! Five?',
      '- item `a. B` (see c.ts). More',
      '```',
      '| a. B | c |',
      '1. First. Second.',
      '',
      'Open:',
    )
    const text = fc.array(line, { maxLength: 40 }).map((lines) => lines.join('\n'))
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 100 }), (given, limit) => {
        const shorter = cut(given, limit)
        if (shorter === undefined) return
        expect(countWords(shorter)).toBeLessThanOrEqual(limit)
        const words: readonly string[] = given.match(/\S+/g) ?? []
        let at = 0
        for (const word of shorter.match(/\S+/g) ?? []) {
          at = words.indexOf(word, at) + 1
          expect(at).toBeGreaterThan(0)
        }
      }),
    )
  })

  test('takes time in proportion to its length', { tags: 'slow' }, async () => {
    await expectLinearGrowth(
      (lines) => '`a. B. c! `\n```\n|\n'.repeat(lines) + '`a. B '.repeat(lines),
      (text) => shorten(text, text.length - 10, ({ length }) => length),
      5_000,
    )
  })
})

function sentences(count: number): string {
  return Array.from({ length: count }, (_, at) => `It was ${at}.`).join(' ')
}
