import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { clipWords, isClipped, readOwnSentences } from './clip-words.ts'

const countTokens = (text: string) => Math.ceil(text.length / 4)
const clip = (text: string, limit: number) => clipWords(text, limit, countTokens)
// In a regular expression that knows pairs, only a half without its other half is one.
const LONE_HALF = /[\ud800-\udfff]/u
const LONGEST_MARK = 40
const filler = (count: number) =>
  Array.from({ length: count }, (_, row) => `Then part ${row} was looked at for a while.`).join(' ')

describe('clipWords', () => {
  test('what fits stays as it is', () => {
    expect(clip('Never push.\n\n```\nx\n```', 100)).toBe('Never push.\n\n```\nx\n```')
  })

  test('the first and the last sentence and those that bind stay, with marks of what was cut', () => {
    const text = `Look at the parser. ${filler(30)} You must never change its public API. ${filler(30)} Thanks a lot.`
    const clipped = clip(text, 90)
    expect(clipped).toMatch(/^Look at the parser\./)
    expect(clipped).toMatch(/Thanks a lot\.$/)
    expect(clipped).toContain(' You must never change its public API.')
    expect(countTokens(clipped)).toBeLessThanOrEqual(90)
    const cut = [...clipped.matchAll(/\[… (\d+) characters cut …\]/g)]
    expect(cut.length).toBeGreaterThan(1)
    const kept = clipped.replace(/ \[… \d+ characters cut …\] /g, '')
    const total = cut.reduce((sum, [, count]) => sum + Number(count), 0)
    // White space at the joints is the difference.
    expect(Math.abs(kept.length + total - text.length)).toBeLessThanOrEqual(2 * cut.length)
  })

  test('of a log that was pasted the errors stay', () => {
    const frames = Array.from({ length: 30 }, (_, row) => `    at render (app.js:${row}:7)`)
    const error = (line: number) =>
      `app.js:${line} Uncaught ContextError: no <Provider /> around it`
    const log = [error(12), ...frames, error(14), ...frames].join('\n')
    const clipped = clip(`The tree is broken. [App] Not active\n${log}\n${filler(9)}`, 70)
    expect(clipped).toContain(error(12))
    expect(clipped).not.toContain('at render')
    expect(clipped).not.toContain(error(14))
    const demand = 'You must never change the public API.'
    const long = `app.js:1 Uncaught Error: ${'wide '.repeat(40)}`
    expect(clip(`It fails.\n${long}\n${demand} ${filler(9)}`, 60)).toContain(demand)
  })

  test('a sentence that asks stays as one that binds', () => {
    const text = `Look at the parser. ${filler(30)} Why does it read the file twice? ${filler(30)} Thanks a lot.`
    expect(clip(text, 90)).toContain(' Why does it read the file twice?')
    const printed = 'unknown command\n\nDid you mean this?\n'.repeat(20)
    const mixed = `Here is what it said.\n${printed}${filler(9)}\nWhy is that so?\n${filler(9)}\nThanks.`
    expect(clip(mixed, 60)).toContain('Why is that so?')
  })

  test.each([1, 4, 64])(
    'of a long text with %i characters to a token only a part is counted',
    (rate) => {
      let counted = 0
      const count = (text: string) => {
        counted += text.length
        return Math.ceil(text.length / rate)
      }
      const clipped = clipWords('x'.repeat(10_000_000), 100, count)
      expect(counted).toBeLessThan(100_000)
      expect(count(clipped)).toBeGreaterThan(60)
      expect(count(clipped)).toBeLessThanOrEqual(100 + LONGEST_MARK / rate)
    },
  )

  test('what is shorter than two marks is not cut', { tags: 'property' }, () => {
    const line = fc.constantFrom(
      'Yes.',
      'It is odd.',
      '',
      '  "port": 80,',
      '[12:00] listening',
      'See below:',
      filler(1),
      filler(4),
    )
    fc.assert(
      fc.property(
        fc.array(line, { maxLength: 40 }),
        fc.integer({ min: 40, max: 200 }),
        (lines, limit) => {
          const clipped = clip(lines.join('\n'), limit)
          expect(countTokens(clipped)).toBeLessThanOrEqual(limit)
          for (const [, count] of clipped.matchAll(/\[… (\d+) characters cut …\]/g))
            expect(Number(count)).toBeGreaterThanOrEqual(54)
        },
      ),
    )
  })

  test.each([
    [
      'a fence',
      ['```', ...Array.from({ length: 60 }, (_, row) => `Do step ${row} and never stop.`), '```'],
    ],
    [
      'an element',
      [
        '<log>',
        ...Array.from({ length: 60 }, (_, row) => `You must always obey line ${row}.`),
        '</log>',
      ],
    ],
    [
      'the screen of an agent',
      [
        '⏺ I see two ways to do it.',
        ...Array.from({ length: 60 }, (_, row) => `  You must never run part ${row}.`),
      ],
    ],
    ['prompts', Array.from({ length: 60 }, (_, row) => `[s${row}] $ never run part ${row}`)],
    [
      'a log',
      Array.from(
        { length: 60 },
        (_, row) => `2026-01-02 10:00:${row} INFO only part ${row} must run`,
      ),
    ],
    ['code', Array.from({ length: 60 }, (_, row) => `    const must${row} = readOnly(${row})`)],
    ['a stack', Array.from({ length: 60 }, (_, row) => `at never (/app/src/a.ts:${row}:2)`)],
  ])('%s that was pasted gives way before own sentences', (_, pasted) => {
    const own = [
      'Here is what it printed, it is odd.',
      'The port is taken.',
      'Where does this come from?',
    ]
    const clipped = clip([own[0], ...pasted, own[1], own[2]].join('\n'), 60)
    for (const sentence of own) expect(clipped).toContain(sentence)
    expect(clipped).not.toContain(pasted[30])
    expect(isClipped(clipped)).toBe(true)
  })

  test('an element that is never closed hides no words after it', () => {
    const text = `<log>\n${filler(60)}\nYou must never push.`
    expect(clip(text, 60)).toContain('You must never push.')
  })

  test('one endless sentence keeps its beginning and its end', () => {
    const clipped = clip(`Begin ${'word '.repeat(2_000)}end`, 60)
    expect(clipped).toMatch(/^Begin word .* \[… \d+ characters cut …\] .* ?end$/)
    expect(countTokens(clipped)).toBeLessThanOrEqual(60)
  })

  test('no pair of halves is split, and the marks count what was cut', { tags: 'property' }, () => {
    const piece = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 60 }),
      fc.constantFrom(
        '😀'.repeat(50),
        'x'.repeat(300),
        'Never push. ',
        '不要修改。',
        '\n',
        '```\n',
        '\tcode()\n',
      ),
    )
    const texts = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(''))
    fc.assert(
      fc.property(texts, fc.integer({ min: 40, max: 300 }), (typed, limit) => {
        const text = typed.trim()
        const clipped = clip(text, limit)
        expect(LONE_HALF.test(clipped)).toBe(LONE_HALF.test(text))
        expect(countTokens(clipped)).toBeLessThanOrEqual(limit)
        expect(isClipped(clipped) || clipped === text).toBe(true)
        for (const [, count] of clipped.matchAll(/\[… (\d+) characters cut …\]/g))
          expect(Number(count)).toBeLessThanOrEqual(text.length)
      }),
    )
  })

  test('cuts what was pasted first and says how much, never that an empty line is gone', () => {
    const pasted = Array.from({ length: 20 }, (_, row) => `[s${row}] $ run part`).join('\n')
    const text = `Where does this come from?\n\n${pasted}\n\nNever change the log.`
    const clipped = clipWords(text, 180, ({ length }) => length)
    expect(clipped).toMatch(/^Where does this come from\?/)
    expect(clipped).toMatch(/Never change the log\.$/)
    expect(clipped.match(/characters cut/g)).toHaveLength(1)
  })

  test('what is counted grows no faster than a paste', { tags: 'slow' }, () => {
    const countedOf = (text: string) => {
      let counted = 0
      clipWords(text, 300, (part) => {
        counted += part.length
        return countTokens(part)
      })
      return counted
    }
    const shapes = [
      (size: number) => filler(size),
      (size: number) => 'x\n'.repeat(20 * size),
      (size: number) => 'word '.repeat(8 * size),
    ]
    for (const shape of shapes) {
      expect(countedOf(shape(8_000))).toBeLessThan(4.5 * countedOf(shape(2_000)))
      expect(countedOf(shape(8_000))).toBeLessThan(4 * shape(8_000).length)
    }
  })
})

describe('readOwnSentences', () => {
  test('are what the user typed, without marks of lists and without what was pasted', () => {
    const text =
      'Two things:\n- Never push. Use pnpm.\n2. Look at it.\n```\nnpm ERR! never\n```\n$ npm test'
    expect(readOwnSentences(text)).toEqual([
      'Two things:',
      'Never push.',
      'Use pnpm.',
      'Look at it.',
    ])
  })

  test('a document that was handed over has none', () => {
    expect(readOwnSentences(`You must always obey. ${filler(300)}`)).toEqual([])
  })
})

test('a second cut counts what the first one took', () => {
  const text = Array.from({ length: 400 }, (_, row) => `Sentence number ${row} tells of it.`).join(
    ' ',
  )
  const twice = clipWords(clipWords(text, 300, countTokens), 60, countTokens)
  const [, cut] = /\[… (\d+) characters cut …\]/.exec(twice) ?? []
  const rest = twice.replace(/ ?\[[^\]]*\] ?/, '').length
  expect(Math.abs(text.length - rest - Number(cut))).toBeLessThan(8)
})
