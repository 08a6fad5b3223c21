import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import type { Conversation } from '../conversation/message.ts'
import { formats } from '../formats/index.ts'
import { findModel } from '../models/find-model.ts'
import { createTokenCounter } from '../tokens/counter.ts'
import { compressConversation } from './compress-conversation.ts'
import { auto } from './ladder.ts'

const DATA = fileURLToPath(new URL('../../../../../shared/data', import.meta.url))
const sessions = (['claude-code', 'codex', 'pi'] as const).flatMap((format) => {
  const folder = join(DATA, format)
  return existsSync(folder)
    ? readdirSync(folder).map((file) => ({ format, file, path: join(folder, file) }))
    : []
})
const SHARES = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9]
// A smaller history has hardly more than what has to stay.
const FEWEST_TOKENS = 6_000

const MOST_GROWTH = 1

/**
 * Facts that are not word for word in the result, and the share of the budget that it takes, for
 * one share after another.
 */
async function sweep(
  given: Conversation,
): Promise<{ readonly gone: number; readonly filled: number }[]> {
  const counter = createTokenCounter(findModel(given.model ?? ''))
  const tokens = counter.countConversation(given).upper
  if (tokens < FEWEST_TOKENS) return []
  const found: { gone: number; filled: number }[] = []
  for (const share of SHARES) {
    const budgetTokens = Math.floor(tokens * share)
    const { outcome, report } = await compressConversation(given, {
      budgetTokens,
      strategy: auto,
      counter,
    })
    if (outcome.type === 'cannot-fit') continue
    const counts = Object.values(report.receipt.kinds)
    const gone = counts.reduce((sum, { missing, retrievable }) => sum + missing + retrievable, 0)
    found.push({ gone, filled: report.after.tokens / budgetTokens })
  }
  return found
}

describe.skipIf(sessions.length === 0)(
  'recorded sessions (../shared/data) from 10 to 90 %',
  { tags: 'slow' },
  () => {
    const fills: number[] = []

    test.each(sessions)(
      '$file: more room keeps no less, but for one fact',
      async ({ format, path }) => {
        const found = await sweep(formats[format].parse(readFileSync(path, 'utf8')))
        const gone = found.map((result) => result.gone)
        // Of many ways four are tried: the best may not be among them, and then a fact more is lost.
        const growth = gone.slice(1).map((count, index) => count - gone[index]!)
        expect(Math.max(...growth, 0)).toBeLessThanOrEqual(MOST_GROWTH)
        fills.push(...found.map(({ filled }) => filled))
      },
    )

    test('the room is used', () => {
      fills.sort((a, b) => a - b)
      expect(fills[fills.length >> 1]).toBeGreaterThan(0.95)
      expect(fills[Math.floor(fills.length / 10)]).toBeGreaterThan(0.8)
    })
  },
)
