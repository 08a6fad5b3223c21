import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { expectLinearGrowth } from '../../../../test/growth.suite.ts'
import { runs } from '../../../../test/property-runs.ts'
import { agent, histories, person } from '../conversation/histories.suite.ts'
import { type Message, readText } from '../conversation/message.ts'
import { digest } from './digest.ts'
import { countTokens } from './spans.suite.ts'

const rewrite = async (
  text: string,
  targetTokens: number,
  instructions = '',
  author: (text: string) => Message = agent,
) => {
  const request = {
    span: [author(text)],
    kept: [],
    targetTokens,
    brief: 'rewrite',
    countTokens,
    instructions,
  } as const
  return (await digest().summarize(request)).text
}

const REPORT = `Let me look at the tax first.

The tax in src/cart.ts was added twice because applyTax ran for every line and again for the sum. I removed the call in totalOf.
Some general remarks about taxes follow here, and they are not all that interesting to anybody who reads this later on.
They go on for a while, as remarks do, and say nothing that was not said before in other words by other people.

\`\`\`ts
const total = lines.reduce(addLine, 0)
return round(total)
\`\`\`

All 42 tests pass now.
Should I also change the price of shipping in src/shipping.ts?`

describe('digest of one message', () => {
  test('keeps its finding, its outcome and its question, in their order', async () => {
    const text = await rewrite(REPORT, 70)
    const places = [
      'added twice because applyTax',
      'All 42 tests pass',
      'Should I also change',
    ].map((words) => text.indexOf(words))
    expect(places.every((place) => place >= 0)).toBe(true)
    expect(places).toEqual([...places].sort((a, b) => a - b))
    expect(text).not.toContain('general remarks')
    expect(text).not.toContain('Let me look')
  })

  test('names paths, numbers and identifiers of the message', async () => {
    const text = await rewrite(REPORT, 60)
    for (const name of ['src/cart.ts', 'applyTax', '42', 'src/shipping.ts'])
      expect(text).toContain(name)
  })

  test('adds no heading and no word of its own', async () => {
    const text = await rewrite(REPORT, 70)
    for (const line of text.split('\n')) expect(REPORT).toContain(line)
  })

  // Short sentences that differ, and a long one between them: it has to be worth its length.
  const between = (sentence: string) => {
    const hay = ['red', 'blue', 'green', 'pink', 'brown', 'grey'].map(
      (colour) => `The ${colour} one was seen in town.`,
    )
    return [...hay.slice(0, 3), sentence, ...hay.slice(3)].join(' ')
  }

  test('keeps what the person demands', async () => {
    const demand =
      'You should take the other colour for the wall behind the door that leads to the garden.'
    expect(await rewrite(between(demand), 36, '', person)).toContain(demand)
    const telling = demand.replace('should take', 'took')
    expect(await rewrite(between(telling), 36, '', person)).not.toContain('garden')
  })

  test('keeps a question', async () => {
    const question =
      'Which of the two colours is nicer for the wall behind the door that leads to the garden?'
    expect(await rewrite(between(question), 42)).toContain(question)
    expect(await rewrite(between(question.replace('?', '.')), 42)).not.toContain('garden')
  })

  test('says nothing twice', async () => {
    const text = await rewrite(
      `${'All 42 tests pass now. '.repeat(9)}The tax of the cart is right.`,
      40,
    )
    expect(text).toBe('All 42 tests pass now. The tax of the cart is right.')
  })

  test('keeps what the instructions name', async () => {
    const words = `First of all this works.\n${'Nothing of note is said on this line of the text.\n'.repeat(6)}The migration goes by night.`
    expect(await rewrite(`${words}\nThe end of it is 7.`, 16, 'the migration plan')).toContain(
      'The migration goes by night.',
    )
  })

  test('puts code back into its fence and marks what is left out of it', async () => {
    const code = `\`\`\`sh\nnpm run migrateAll --force\n${'echo some more words that say nothing at all\n'.repeat(9)}cat src/migrations/state.json\n\`\`\``
    const text = await rewrite(code, 30)
    expect(text).toBe('```sh\nnpm run migrateAll --force\n…\ncat src/migrations/state.json\n```')
  })

  test('gives the beginning of the best sentence where none fits whole, cut between words', async () => {
    const text = await rewrite(
      'The incomprehensibly complicated explanation never comes to any end at all',
      9,
    )
    expect(text).toBe('The incomprehensibly complicated …')
    expect(await rewrite('この問題の原因は設定ファイルの読み込み順序にありました', 4)).toMatch(
      /^この問題の原因.{0,8} …$/,
    )
  })

  test('is empty when nothing fits', async () => {
    expect(await rewrite('Incomprehensibilities everywhere', 2)).toBe('')
    expect(await rewrite(REPORT, 0)).toBe('')
    expect(await rewrite(' \n ', 50)).toBe('')
  })

  test('copies no secret', async () => {
    const key = 'ghp_aB3dE5gH7jK9mN1pQ4sT6vW8yZ0bC2dF5g'
    expect(await rewrite(`The token is ${key} and it works.`, 30)).toBe(
      'The token is [redacted: precis restore] and it works.',
    )
  })

  test('is never over its target and always the same', { tags: 'property' }, async () => {
    const counters = [
      countTokens,
      (text: string) => text.length,
      (text: string) => text.split(/\s/).length + 7,
    ]
    await fc.assert(
      fc.asyncProperty(
        histories,
        fc.integer({ min: 1, max: 500 }),
        fc.constantFrom(...counters),
        async ({ messages }, targetTokens, count) => {
          for (const message of messages.filter((candidate) => readText(candidate) !== '')) {
            const request = {
              span: [message],
              kept: [],
              targetTokens,
              brief: 'rewrite',
              countTokens: count,
            } as const
            const { text } = await digest().summarize(request)
            expect(text === '' ? 0 : count(text)).toBeLessThanOrEqual(targetTokens)
            expect((await digest().summarize(request)).text).toBe(text)
          }
        },
      ),
      { numRuns: runs(40) },
    )
  })

  test.each([
    ['one line', 'word '],
    ['many lines', 'a line of words: and more of it\n'],
    ['one word', 'x'],
    ['fences', '```\n'],
    ['colons', ': *'],
  ])('a giant of %s takes linear time', { tags: 'slow' }, async (_, piece) => {
    await expectLinearGrowth(
      (length) => piece.repeat(length / piece.length),
      async (text) => expect(countTokens(await rewrite(text, 1_000))).toBeLessThanOrEqual(1_000),
      50_000,
    )
  })
})
