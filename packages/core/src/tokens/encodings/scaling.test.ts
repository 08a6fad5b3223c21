/** @module-tag slow */
import { describe, test } from 'vitest'
import { expectLinearGrowth } from '../../../../../test/growth.suite.ts'
import { findEncoding } from '../find-encoding.ts'

const SMALL_BYTES = 18_000

let seed = 11

/** New text at every call, so that no cache knows it. */
function randomText(alphabet: string, length: number): string {
  let text = ''
  for (let i = 0; i < length; i++) {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) | 0
    text += alphabet[((seed >>> 8) * alphabet.length) >>> 24]
  }
  return text
}

const worstCases: Record<string, (bytes: number) => string> = {
  'one letter': (bytes) => 'a'.repeat(bytes),
  'one symbol': (bytes) => '='.repeat(bytes),
  spaces: (bytes) => ' '.repeat(bytes),
  'line feeds': (bytes) => '\n'.repeat(bytes),
  'mixed blanks': (bytes) => randomText(' \t\n\r', bytes),
  digits: (bytes) => '7'.repeat(bytes),
  'one CJK character': (bytes) => '語'.repeat(bytes / 3),
  'CJK without punctuation': (bytes) => randomText('我们需要检查日志的是不了人在有这', bytes / 3),
  emoji: (bytes) => '🎉'.repeat(bytes / 4),
  'combining marks': (bytes) => '\u0301'.repeat(bytes / 2),
  'random letters': (bytes) => randomText('abcdefghijklmnopqrstuvwxyz', bytes),
  'alternating case': (bytes) => 'aB'.repeat(bytes / 2),
  hex: (bytes) => randomText('0123456789abcdef', bytes),
  base64: (bytes) =>
    randomText('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/', bytes),
}

describe.each(Object.entries(worstCases))('%s', (_, makeText) => {
  test.each(['o200k_base', 'cl100k_base'] as const)(
    'is counted in linear time in %s',
    async (name) => {
      const { count } = findEncoding(name)!
      await expectLinearGrowth(makeText, count, SMALL_BYTES)
    },
  )
})
