import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { expectLinearGrowth } from '../../../../test/growth.suite.ts'
import { createSummaryMessage, readSummary } from '../conversation/summary-message.ts'
import { NAME_MARK } from './known-names.ts'
import { markUnknownNames } from './mark-names.ts'

const SOURCES = [
  '/home/ada/shop',
  'edited src/net/retry.ts:12 and packages/core/src/queue.ts, see class RetryQueue { drainOnce() } of v1.2.3',
  '{"command":"git log\\nmake_backoff_delay --all-files","url":"https://github.com/ada/shop/pull/17"}',
  '[main 4f2a9c1d] fix; test/retry_edge_test.py passes; Tax::Table; #42; MAX_ATTEMPTS = 5',
]
/** The text as it was before it was marked. */
const withoutMarks = (text: string) => text.replaceAll(` ${NAME_MARK}`, '')
const mark = (text: string, sources: readonly string[] = SOURCES) =>
  markUnknownNames(text, { sources })

describe('a name that stands nowhere', () => {
  test.each([
    ['a path', 'The delay is in src/nowhere.ts now.', 'src/nowhere.ts'],
    ['a known file in an unknown folder', 'See lib/imagined/retry.ts.', 'lib/imagined/retry.ts'],
    ['a name of code', 'It calls computeBackoffDelay first.', 'computeBackoffDelay'],
    ['a name of code with underscores', 'It sets RETRY_SECRET there.', 'RETRY_SECRET'],
    ['an option', 'It ran with --dry-run twice.', '--dry-run'],
    ['a commit', 'It was done in 9abcdef12.', '9abcdef12'],
    [
      'an address',
      'Seen at https://example.org/ada/shop/issues.',
      'https://example.org/ada/shop/issues',
    ],
    ['a number of an issue', 'It closed #4711 and went on.', '#4711'],
  ])('is marked behind it: %s', (_, text, name) => {
    const { text: marked, ...check } = mark(text)
    expect(marked).toBe(text.replace(name, `${name} ${NAME_MARK}`))
    expect(check).toEqual({ checked: 1, marked: [name], unmarked: [] })
  })

  test.each([
    ['`src/nowhere.ts`', '`src/nowhere.ts`'],
    ['**src/nowhere.ts**', '**src/nowhere.ts**'],
    ['src/nowhere.ts:12-40', 'src/nowhere.ts:12-40'],
    ['"doNothing()"', '"doNothing()"'],
    ["doNothing's", "doNothing's"],
  ])('is marked behind what belongs to it: %s', (written, before) => {
    expect(mark(`It is ${written} today`).text).toBe(`It is ${before} ${NAME_MARK} today`)
  })

  test('is marked as a whole, and nothing is written twice', () => {
    const text = "['github.com/spf13/cobra', ['path']],\n    ['pkg/my_words/doc', ['path']],"
    expect(withoutMarks(mark(text).text)).toBe(text)
    expect(mark(text).marked).toContain('pkg/my_words/doc')
  })

  test('is marked once in each line and counted once', () => {
    const text = '- fooled doNothing and doNothing\n- doNothing'
    const { text: marked, marked: names } = mark(text)
    expect(marked.split(NAME_MARK)).toHaveLength(3)
    expect(names).toEqual(['doNothing'])
  })

  test('is known by the summary that names it, unless it is marked there', () => {
    expect(mark('It is src/nowhere.ts.', ['earlier: src/nowhere.ts']).marked).toEqual([])
    expect(
      mark('It is src/nowhere.ts.', [`earlier: \`src/nowhere.ts\` ${NAME_MARK} and more`]).marked,
    ).toHaveLength(1)
  })

  test('makes no other name unknown, and a mark that is there is left as it is', () => {
    const once = mark('src/nowhere.ts beside src/net/retry.ts and drainOnce').text
    expect(once).toBe(`src/nowhere.ts ${NAME_MARK} beside src/net/retry.ts and drainOnce`)
    expect(mark(once, [...SOURCES, once]).text).toBe(once)
  })

  test('is left without a mark where there is no room, and said to be', () => {
    const text = 'doNothing and doLess and doLeast'
    const check = markUnknownNames(text, {
      sources: [],
      fits: (marked) => marked.length < text.length + 60,
    })
    expect(check.text).toBe(`doNothing ${NAME_MARK} and doLess ${NAME_MARK} and doLeast`)
    expect(check).toMatchObject({ marked: ['doNothing', 'doLess'], unmarked: ['doLeast'] })
  })
})

describe('no mark stands behind', () => {
  test.each([
    [
      'a path that is shorter or longer',
      'retry.ts, ./src/net/retry.ts, /home/ada/shop/src/net/retry.ts, core/src/queue.ts',
    ],
    ['a path with a line', 'src/net/retry.ts:99, `queue.ts:1-3`'],
    [
      'a name joined otherwise',
      'RetryQueue.drainOnce(), RetryQueue#drainOnce, Tax::Table, retry-queue, backoffDelay, maxAttempts',
    ],
    ['a name after a line feed in JSON', 'make_backoff_delay with --all-files'],
    ['a hash that is shorter or longer', '4f2a9c1 and 4f2a9c1d77e0'],
    ['an address in its parts', 'https://github.com/ada/shop/pull/17 is #17'],
    ['a plural or a possession', "`RetryQueue`s and RetryQueue's"],
    [
      'a form of names',
      'made_*.py, *_made_up.go, <sessionId>, {homeFolder}, src/<name>/made.ts, msg_01AbCd...',
    ],
    ['an example', 'fooBar, abc123, file1.ts'],
    ['a product or a standard', 'GitHub, TypeScript, Node.js, PostgreSQL, SHA-256, OAuth2'],
    ['a version or a number', 'v9.9.9, 12.5.1, 4096 tokens, 30s, 80%'],
    ['what a call is given', 'drainOnce(someQueue)'],
  ])('%s', (_, text) => {
    expect(mark(text).text).toBe(text)
  })

  test.each([
    'It will create src/new/limit.ts.',
    'Add `src/new/limit.ts` with tests.',
    'src/new/limit.ts is to be created.',
    'The plan: the limit moves from src/plan.ts to src/new/limit.ts.',
    'Announced: next comes src/new/limit.ts.',
    'There is no such file: src/new/limit.ts.',
    '## Next steps\nA limit in src/new/limit.ts.\n- limitRate in it',
    '**Pending:**\n- src/new/limit.ts',
    'The plan:\n1. src/new/limit.ts\n2. limitRate',
  ])('what is yet to be made: %j', (text) => {
    expect(mark(text).text).toBe(text)
  })

  test('but behind a name that has such a word in it', () => {
    expect(mark('It is in `next.config.js` and src/plan.ts.').marked).toEqual([
      'next.config.js',
      'src/plan.ts',
    ])
  })

  test('but behind what is said to be done beside it', () => {
    const text =
      '## Next steps\n- limitRate\n## Done\nlimitRate is in. It will be tested in limitTest.'
    expect(mark(text).text).toBe(text.replace('limitRate is', `limitRate ${NAME_MARK} is`))
  })
})

describe('any text', () => {
  const piece = fc.constantFrom(
    'src/a.ts',
    'madeUp',
    'made_up.py',
    '`',
    '**',
    ' ',
    '\n',
    '- ',
    '## ',
    '> ',
    '# Next',
    'https://a.b/c',
    '9abcdef1',
    '()',
    ':12',
    "'s",
    '.',
    '...',
    '<',
    '>',
    '*',
    'will',
    NAME_MARK,
    ` ${NAME_MARK}`,
    'é',
    '\u{1f600}',
    '--flag-x',
    '#123',
  )
  const texts = fc
    .array(fc.oneof(piece, fc.string({ maxLength: 6 })), { maxLength: 40 })
    .map((pieces) => pieces.join(''))

  test('loses no character: without the marks it is what it was', { tags: 'property' }, () => {
    fc.assert(
      fc.property(texts, texts, (text, source) => {
        expect(withoutMarks(mark(text, [source]).text)).toBe(withoutMarks(text))
      }),
    )
  })

  test('is marked once: a marked text stays as it is', { tags: 'property' }, () => {
    fc.assert(
      fc.property(texts, texts, (text, source) => {
        const { text: marked } = mark(text, [source])
        expect(mark(marked, [source]).text).toBe(marked)
        expect(mark(marked, [source, marked]).text).toBe(marked)
      }),
    )
  })

  test('comes back from a summary message with its marks', { tags: 'property' }, () => {
    fc.assert(
      fc.property(texts, (text) => {
        const marked = mark(text, []).text
        const plain = readSummary(createSummaryMessage(text))
        expect(withoutMarks(readSummary(createSummaryMessage(marked)) ?? '')).toBe(
          withoutMarks(plain ?? ''),
        )
      }),
    )
  })
})

describe('the time it takes grows with the text alone', { tags: 'slow' }, () => {
  const run = (text: string) =>
    markUnknownNames(text, { sources: [text.slice(0, text.length / 2), '/home/ada'] })
  test.each<[string, (size: number) => string]>([
    ['names in one line', (size) => many(size, (at) => `madeUp${at} src/made/up${at}.ts `)],
    ['a long list', (size) => `Next:\n${many(size, (at) => `- src/made/up${at}.ts is done\n`)}`],
    [
      'spaces and asterisks',
      (size) =>
        `madeUp${' '.repeat(size * 8)}${'*'.repeat(size * 8)}${' *'.repeat(size * 8)}madeUp`,
    ],
    [
      'hashes that begin alike',
      (size) => many(size, (at) => `abcdef1${at.toString(16).padStart(8, '0')} `),
    ],
    ['marks', (size) => many(size, () => `madeUp ${NAME_MARK} `)],
    ['one name', (size) => `${'madeUp_'.repeat(size * 4)} ${'madeUp/'.repeat(size * 4)}`],
    [
      'headings and colons',
      (size) => `${'# :'.repeat(size)}\n${'#\n'.repeat(size)}${':'.repeat(size * 4)}\n`,
    ],
  ])('%s', async (_, make) => {
    await expectLinearGrowth(make, run, 2_000)
  })
})

const many = (size: number, make: (at: number) => string): string =>
  Array.from({ length: size }, (_, at) => make(at)).join('')
