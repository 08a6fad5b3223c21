import { closeSync, existsSync, openSync, readdirSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { get_encoding } from 'tiktoken'
import { describe, expect, test } from 'vitest'
import { runs } from '../../../../../test/property-runs.ts'
import { findEncoding } from '../find-encoding.ts'
import { readPacked as readClasses } from './classes.packed.js'
import type { EncodingName } from './encoding.ts'
import { unpackClasses } from './pieces.ts'

const ENCODINGS: readonly EncodingName[] = ['o200k_base', 'cl100k_base']
const sessions = fileURLToPath(new URL('../../../../../../shared/data', import.meta.url))

const words = [
  "'s",
  "'S",
  "'ſ",
  "'ll",
  "'Re",
  "'vE",
  "'",
  "''",
  "n't",
  'İ',
  'ǅ',
  'ʰ',
  'ª',
  'Ⅷ',
  '²',
  '٣',
  '一二',
]
const blanks = [
  ' ',
  '  ',
  '\t',
  '\r\n',
  '\n',
  '\r',
  '\n\n/',
  '/',
  '\u0085',
  '\u00a0',
  '\u2028',
  '\u3000',
  '\u200b',
]
const marks = [
  '\u0301',
  'e\u0301',
  'A\u0301B',
  '\u0301ABC',
  '!\u0301',
  '\u20dd',
  '\ufeff',
  '\0',
  '\x7f',
]
const scripts = [
  '한국어',
  '日本語',
  'これは',
  'ไทย',
  'हिन्दी',
  'עברית',
  '\u{1d49c}',
  '\u{20bb7}',
  '\u{10ffff}',
]
const symbols = ['🎉', '👨‍👩‍👧', '🇩🇪', '\ud800', '\udc00', '<|endoftext|>', '{"a":', '=>', '...']

/**
 * Fragments at which the splitting rules of the encodings differ from each other and from
 * JavaScript's.
 */
const fragments = [...words, ...blanks, ...marks, ...scripts, ...symbols]
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(...fragments),
      fc.string({ unit: 'binary', maxLength: 6 }),
      fc.string({ unit: 'binary-ascii', maxLength: 8 }),
      fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)),
      fc
        .tuple(fc.constantFrom(...fragments), fc.integer({ min: 1, max: 300 }))
        .map(([text, times]) => text.repeat(times)),
    ),
    { maxLength: 14 },
  )
  .map((parts) => parts.join(''))

const contexts = ['#', 'a#', '#a', ' #', 'A#B', "##'s", '\n#', '1#2', '!#/', '語#語']
const BATCH = 64
const STRIDE = 257
const SESSION_BYTES = 30_000

/** Both characters at every border between two classes, and every 257th of all. */
const sampled = sampleCharacters()

function sampleCharacters(): string[] {
  const classes = unpackClasses(readClasses())
  const characters: string[] = []
  for (let codePoint = 0; codePoint <= 0x10ffff; codePoint++) {
    const own = classes[codePoint]
    if (
      codePoint % STRIDE === 0 ||
      own !== classes[codePoint - 1] ||
      own !== classes[codePoint + 1]
    ) {
      characters.push(String.fromCodePoint(codePoint))
    }
  }
  return characters
}

describe.each(ENCODINGS)('%s', (name) => {
  const encoding = findEncoding(name)!
  const tiktoken = get_encoding(name)
  const expected = (text: string): number => tiktoken.encode_ordinary(text).length

  test('counts hostile text as tiktoken does', { tags: 'property' }, () => {
    fc.assert(
      fc.property(hostile, (text) => encoding.count(text) === expected(text)),
      { numRuns: runs(400) },
    )
  })

  test('counts characters of every class as tiktoken does in every context', {
    tags: 'slow',
  }, () => {
    const differing: string[] = []
    for (let first = 0; first < sampled.length; first += BATCH) {
      const characters = sampled.slice(first, first + BATCH)
      for (const context of contexts) {
        // Many characters at once, apart enough not to touch; a difference is then looked up one by
        // one.
        const texts = characters.map((character) => context.replaceAll('#', character))
        const text = texts.join('; x')
        if (encoding.count(text) === expected(text)) continue
        differing.push(
          ...texts.filter((one) => encoding.count(one) !== expected(one)),
          `in batch ${first}`,
        )
      }
    }
    expect(differing).toEqual([])
  })

  test('counts every character of the basic plane as tiktoken does between two words', {
    tags: 'slow',
  }, () => {
    for (let first = 0; first < 0x10000; first += BATCH) {
      const text = Array.from(
        { length: BATCH },
        (_, i) => `a${String.fromCharCode(first + i)}B 1`,
      ).join('')
      expect([first, encoding.count(text)]).toEqual([first, expected(text)])
    }
  })

  test('counts a special token as the text it is', () => {
    expect(encoding.count('<|endoftext|>')).toBe(7)
  })

  test('counts a lone surrogate as the replacement character', () => {
    expect(encoding.count('a\ud800b')).toBe(encoding.count('a\ufffdb'))
  })

  test('counts an empty text as no token', () => {
    expect(encoding.count('')).toBe(0)
  })

  test('counts text of many chunks as tiktoken does', () => {
    const units = [
      "it's 12345 words,\r\n  and ",
      '我们需要，检查。日志',
      '𠮷𠮷',
      'x=1;',
      "'",
      '\n\n/',
      'ÄÖ ',
      '0000',
    ]
    let text = ''
    for (let i = 0; text.length < 250_000; i++) text += units[(i * i + (i >> 3)) % units.length]
    expect(encoding.count(text)).toBe(expected(text))
  })

  test('counts the same text the same after its cache has been emptied', () => {
    const text = 'unrepeatable 我们需要检查日志 zzyzx'
    const before = encoding.count(text)
    let filler = ''
    for (let i = 0; i < 45_000; i++)
      filler += ` qü${Array.from(i.toString(26), (digit) => String.fromCharCode(97 + Number.parseInt(digit, 26))).join('')}`
    encoding.count(filler)
    expect(encoding.count(text)).toBe(before)
  })

  test.skipIf(!existsSync(sessions))(
    'counts recorded sessions as tiktoken does (when ../shared/data is there)',
    { tags: 'slow' },
    () => {
      const head = Buffer.alloc(SESSION_BYTES)
      for (const path of readdirSync(sessions, { recursive: true, encoding: 'utf8' }).sort()) {
        if (!/\.jsonl?$/.test(path)) continue
        const file = openSync(join(sessions, path), 'r')
        const text = head.toString('utf8', 0, readSync(file, head))
        closeSync(file)
        expect([path, encoding.count(text)]).toEqual([path, expected(text)])
      }
    },
  )
})
