import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { get_encoding } from 'tiktoken'
import { describe, expect, test } from 'vitest'
import { type EncodingName, getEncoding } from './encoding.ts'

const ENCODINGS: readonly EncodingName[] = ['o200k_base', 'cl100k_base']
const sessions = fileURLToPath(new URL('../../../../../../shared/data', import.meta.url))

/** Fragments at which the splitting rules of the encodings differ from each other and from JavaScript's. */
const fragments = [
  ...["'s", "'S", "'ſ", "'ll", "'Re", "'vE", "'", "''", "n't", 'İ', 'ǅ', 'ʰ', 'ª', 'Ⅷ', '²', '٣', '一二'],
  ...[' ', '  ', '\t', '\r\n', '\n', '\r', '\n\n/', '/', '\u0085', '\u00a0', '\u2028', '\u3000', '\ufeff', '\u200b'],
  ...[
    '\u0301',
    'e\u0301',
    'A\u0301B',
    '\u0301ABC',
    '!\u0301',
    '\u20dd',
    '한국어',
    '日本語',
    'これは',
    'ไทย',
    'हिन्दी',
    'עברית',
  ],
  ...[
    '🎉',
    '👨‍👩‍👧',
    '🇩🇪',
    '\ud800',
    '\udc00',
    '\u{1d49c}',
    '\u{20bb7}',
    '\u{10ffff}',
    '\0',
    '\x7f',
    '<|endoftext|>',
    '{"a":',
    '=>',
    '...',
  ],
]
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

describe.each(ENCODINGS)('%s', (name) => {
  const encoding = getEncoding(name)
  const tiktoken = get_encoding(name)
  const expected = (text: string): number => tiktoken.encode_ordinary(text).length

  test('counts hostile text as tiktoken does', () => {
    fc.assert(
      fc.property(hostile, (text) => encoding.count(text) === expected(text)),
      { numRuns: 4000 },
    )
  })

  test('counts every character of the basic plane as tiktoken does in every context', () => {
    const contexts = ['#', 'a#', '#a', ' #', 'A#B', "##'s", '\n#', '1#2', '!#/', '語#語']
    const differing: string[] = []
    for (let first = 0; first < 0x10000; first += 16) {
      for (const context of contexts) {
        // Sixteen characters at once, apart enough not to touch; a difference is then looked up one by one.
        const texts = Array.from({ length: 16 }, (_, i) => context.replaceAll('#', String.fromCharCode(first + i)))
        const text = texts.join('; x')
        if (encoding.count(text) === expected(text)) continue
        differing.push(...texts.filter((one) => encoding.count(one) !== expected(one)), `near ${first.toString(16)}`)
      }
    }
    expect(differing).toEqual([])
  })

  test('counts characters outside the basic plane as tiktoken does', () => {
    // From plane 4 on, nothing is assigned but tags and private use: samples are enough.
    for (let first = 0x10000; first < 0x110000; first += first < 0x40000 ? 64 : 1024) {
      const text = Array.from({ length: 64 }, (_, i) => `a${String.fromCodePoint(first + i)}B 1`).join('')
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
    const units = ["it's 12345 words,\r\n  and ", '我们需要，检查。日志', '𠮷𠮷', 'x=1;', "'", '\n\n/', 'ÄÖ ', '0000']
    let text = ''
    for (let i = 0; text.length < 400_000; i++) text += units[(i * i + (i >> 3)) % units.length]
    expect(encoding.count(text)).toBe(expected(text))
  })

  test('counts the same text the same after its cache has been emptied', () => {
    const text = 'unrepeatable 我们需要检查日志 zzyzx'
    const before = encoding.count(text)
    let filler = ''
    for (let i = 0; i < 60_000; i++)
      filler += ` q${String.fromCharCode(97 + (i % 26))}${i.toString(36).replaceAll(/\d/g, 'ü')}x`
    encoding.count(filler)
    expect(encoding.count(text)).toBe(before)
  })

  test.skipIf(!existsSync(sessions))('counts recorded sessions as tiktoken does (when ../shared/data is there)', () => {
    for (const path of readdirSync(sessions, { recursive: true, encoding: 'utf8' }).sort()) {
      if (!/\.jsonl?$/.test(path)) continue
      const text = readFileSync(join(sessions, path), 'utf8').slice(0, 150_000)
      expect([path, encoding.count(text)]).toEqual([path, expected(text)])
    }
  })
})
