/** How what the user and the operator said is quoted in the given space. */

import { clipWords, countUpTo } from './clip-words.ts'
import type { UserRecord, UserWords } from './ledger-record.ts'
import { isBinding } from './sentences.ts'
import { OPERATOR, PROVIDER } from './user-words.ts'

// The caps on one message, in tokens: first those that are longer than most typed ones give way,
// then all.
const CAPS = [
  { long: 2_400, short: Infinity, share: 0.7 },
  { long: 1_200, short: Infinity, share: 0.7 },
  { long: 600, short: Infinity, share: 0.7 },
  { long: 300, short: 300, share: 1 },
  { long: 150, short: 300, share: 1 },
  { long: 60, short: 300, share: 1 },
  { long: 60, short: 150, share: 1 },
  { long: 60, short: 60, share: 1 },
] as const
const LONG = 300
const MOST_TOKENS = CAPS[0].long
const LAST_MESSAGES = 3

export interface WordsRoom {
  readonly limitTokens: number
  readonly countTokens: (text: string) => number
}

/** Tokens around each message, and with it, as lines of the ledger. */
function measureWords(words: readonly UserWords[], countTokens: WordsRoom['countTokens']) {
  const frames = words.map(({ about = '' }) => FRAME_TOKENS + countTokens(about))
  return {
    frames,
    sizes: words.map(
      ({ text }, index) => countUpTo(MOST_TOKENS, text, countTokens) + frames[index]!,
    ),
  }
}

// Each line of a message has a mark before it.
const withLineMarks = (countTokens: WordsRoom['countTokens']) => (text: string) =>
  countTokens(text.replaceAll('\n', '\n>   '))

/** The smallest limit that fits every message of usual length, and a part of each longer one. */
export function countUserWords(
  { words }: UserRecord,
  countTokens: WordsRoom['countTokens'],
): number {
  const { frames, sizes } = measureWords(words, withLineMarks(countTokens))
  return sizes.reduce((sum, size, index) => sum + Math.min(size, LONG + frames[index]!), 0)
}

/**
 * As lines of the ledger: all under the largest cap that fits. If none fits, those that matter
 * most, and a count of the rest.
 */
export function fitUserWords({ words, omitted }: UserRecord, room: WordsRoom): UserRecord {
  const { limitTokens } = room
  const countTokens = withLineMarks(room.countTokens)
  const { frames, sizes } = measureWords(words, countTokens)
  const capped = (index: number, cap: (typeof CAPS)[number]) =>
    Math.min(sizes[index]!, (sizes[index]! > LONG ? cap.long : cap.short) + frames[index]!)
  const fitting = CAPS.find((cap) => {
    const total = sizes.reduce((sum, _, index) => sum + capped(index, cap), 0)
    return total <= limitTokens * cap.share
  })
  const cap = fitting ?? CAPS.at(-1)!
  const clipped = words.map((one, index) => {
    const limit = capped(index, cap)
    return limit >= sizes[index]!
      ? one
      : { ...one, text: clipWords(one.text, limit - frames[index]!, countTokens) }
  })
  if (fitting) return { words: clipped, omitted }
  const chosen = new Set<number>()
  let left = limitTokens - OMITTED_TOKENS
  for (const index of rankWords(words)) {
    const cost = countTokens(clipped[index]!.text) + frames[index]!
    if (cost > left) continue
    left -= cost
    chosen.add(index)
  }
  const gone = words.filter((_, index) => !chosen.has(index))
  return {
    words: clipped.filter((_, index) => chosen.has(index)),
    omitted: {
      count: omitted.count + gone.length,
      lastTurn: gone.reduce((last, { turn }) => Math.max(last, turn), omitted.lastTurn),
    },
  }
}

// The mark, the number and the line end around a message, and the line about those left out.
const FRAME_TOKENS = 8
const OMITTED_TOKENS = 40

/**
 * The order: the first, the last ones, the operator's, those with binding words, then the latest.
 */
function rankWords(words: readonly UserWords[]): number[] {
  const rank = findRanks(words)
  return words.map((_, index) => index).sort((a, b) => rank[a]! - rank[b]! || b - a)
}

const LEAST_URGENT = 3

function findRanks(words: readonly UserWords[]): number[] {
  return words.map(({ text, about }, index) => {
    if (index === 0) return 0
    if (index >= words.length - LAST_MESSAGES || about === OPERATOR || about === PROVIDER) return 1
    return isBinding(text) ? 2 : LEAST_URGENT
  })
}

/** The space in which a record loses no words, except those that are removed first. */
export function countUrgent({ words }: UserRecord, countTokens: WordsRoom['countTokens']): number {
  const ranks = findRanks(words)
  const urgent = words.filter((_, index) => ranks[index] !== LEAST_URGENT)
  const count = withLineMarks(countTokens)
  return urgent.reduce(
    (sum, { text, about = '' }) => sum + count(text) + count(about) + FRAME_TOKENS,
    OMITTED_TOKENS,
  )
}
