import { describe, expect, test } from 'vitest'
import { getEncoding } from './encoding.ts'

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
  base64: (bytes) => randomText('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/', bytes),
}

/** Processor time of the cheapest of three runs: time of other processes is not in it. */
function measureMs(count: (text: string) => number, makeText: () => string): number {
  let best = Number.POSITIVE_INFINITY
  for (let run = 0; run < 3; run++) {
    const text = makeText()
    const before = process.cpuUsage()
    count(text)
    const { user, system } = process.cpuUsage(before)
    best = Math.min(best, (user + system) / 1000)
  }
  return best
}

/** How many times as long eight times the text takes. Far below a millisecond the clock decides, not the work. */
function measureGrowth(count: (text: string) => number, makeText: (bytes: number) => string): number {
  const smallMs = measureMs(count, () => makeText(SMALL_BYTES))
  return measureMs(count, () => makeText(SMALL_BYTES * 8)) / Math.max(0.5, smallMs)
}

// Quadratic work takes 64 times as long, at every attempt; a busy machine does not spoil four.
const MOST_GROWTH = 24
const ATTEMPTS = 4

describe.each(Object.entries(worstCases))('%s', (_, makeText) => {
  test.each(['o200k_base', 'cl100k_base'] as const)(
    'eight times the text takes no more than 24 times as long in %s',
    (name) => {
      const { count } = getEncoding(name)
      count(makeText(SMALL_BYTES))
      let growth = measureGrowth(count, makeText)
      for (let attempt = 1; attempt < ATTEMPTS && growth >= MOST_GROWTH; attempt++) {
        growth = measureGrowth(count, makeText)
      }
      expect(growth).toBeLessThan(MOST_GROWTH)
    },
  )
})
