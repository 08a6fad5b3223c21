import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isClipped } from './clip-words.ts'
import { fitUserWords } from './fit-words.ts'
import { type UserRecord, writeLedger } from './ledger-record.ts'

const countTokens = (text: string) => Math.ceil(text.length / 4)
const noneOmitted = { count: 0, lastTurn: 0 }

describe('fitUserWords', () => {
  const fit = (texts: readonly string[], limitTokens: number) =>
    fitUserWords(
      { words: texts.map((text, index) => ({ turn: index + 1, text })), omitted: noneOmitted },
      { limitTokens, countTokens },
    )
  const ofTokens = (tokens: number, name: string) =>
    `${name} begins here. ${`The ${name} goes on and on for long. `.repeat(600)}`
      .slice(0, tokens * 4 - 14)
      .trimEnd() + ' And it ends.'
  const sizes = (record: UserRecord) => record.words.map(({ text }) => countTokens(text))

  test('a long message is held to 300, 150, 60 tokens as room gets short, short ones stay verbatim', () => {
    const short = ['Never push to main.', 'Use pnpm.', 'Now the tests.']
    const texts = [...short, ofTokens(4_000, 'first'), ofTokens(4_000, 'second')]
    const caps = [10_000, 4_000, 2_000, 800, 400, 200].map((limit) => {
      const record = fit(texts, limit)
      expect(record.omitted.count).toBe(0)
      expect(record.words.slice(0, 3).map(({ text }) => text)).toEqual(short)
      return Math.max(...sizes(record))
    })
    for (const [index, cap] of [2_400, 1_200, 600, 300, 150, 60].entries()) {
      expect(caps[index]).toBeLessThanOrEqual(cap)
      expect(caps[index]).toBeGreaterThan(cap / 2)
    }
  })

  test('of what does not fit the first, the last three, and those that bind stay longest', () => {
    const texts = Array.from(
      { length: 60 },
      (_, index) => `Look at module number ${index}, it is slow.`,
    )
    texts[20] = 'Never touch the database of module 20.'
    texts[30] = 'Always use pnpm for all of module 30.'
    const turnsAt = (limit: number) => fit(texts, limit).words.map(({ turn }) => turn)
    expect(turnsAt(160)).toEqual([1, 21, 31, 58, 59, 60])
    expect(turnsAt(120)).toEqual([1, 58, 59, 60])
  })

  test('a message that is too long for the room takes no other with it', () => {
    const record = fit([ofTokens(2_000, 'paste'), 'Never push.', 'Go on.'], 70)
    expect(record.words.map(({ text }) => text)).toEqual(['Never push.', 'Go on.'])
    expect(record.omitted).toEqual({ count: 1, lastTurn: 1 })
  })

  test('what a question and line ends cost is counted', () => {
    const about = `answer to: ${'Which one do you want of these? '.repeat(4)}`.trim()
    const words = Array.from({ length: 90 }, (_, turn) => ({ turn, about, text: 'Yes.\nno\nok' }))
    const record = fitUserWords({ words, omitted: noneOmitted }, { limitTokens: 600, countTokens })
    const text = writeLedger({ pins: [], tasks: [], ...record })
    expect(record.words.length).toBeGreaterThan(8)
    expect(countTokens(text)).toBeLessThanOrEqual(610)
  })

  const sentence = fc.oneof(
    fc.string({ maxLength: 80 }),
    fc.constantFrom(
      'Never push.',
      'Go on.',
      'Look at it!',
      '> quoted',
      '```',
      '    at run (a.ts:1:2)',
      '请不要修改。',
      '\n',
      '\n\n',
    ),
  )
  const messages = fc.array(
    fc.array(sentence, { minLength: 1, maxLength: 40 }).map((all) => all.join(' ').trim() || 'x'),
    {
      maxLength: 30,
    },
  )

  test('never takes more than its room, keeps the order, and short ones verbatim while all fit', {
    tags: 'property',
  }, () => {
    const heading = countTokens('## The words of the user\n')
    const countLine = 25
    fc.assert(
      fc.property(messages, fc.integer({ min: 60, max: 4_000 }), (texts, limitTokens) => {
        const record = fit(texts, limitTokens)
        const text = writeLedger({ pins: [], tasks: [], ...record })
        expect(countTokens(text)).toBeLessThanOrEqual(Math.max(limitTokens, countLine) + heading)
        const turns = record.words.map(({ turn }) => turn)
        expect(turns).toEqual(turns.toSorted((a, b) => a - b))
        expect(record.words.length + record.omitted.count).toBe(texts.length)
        for (const { turn, text } of record.words) {
          const typed = texts[turn - 1]!
          if (text !== typed) expect(isClipped(text)).toBe(true)
          if (record.omitted.count === 0 && countTokens(typed.replaceAll('\n', '\n>   ')) <= 60)
            expect(text).toBe(typed)
        }
      }),
    )
  })
})
