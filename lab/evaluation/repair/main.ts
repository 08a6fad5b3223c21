/**
 * What an agent goes on with after compactions of its own, with and without what `precis hook` puts
 * back. Prints a table.
 *
 *   npx tsx lab/evaluation/repair/main.ts <sessions of Claude Code>
 */
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import type { Conversation, Message } from '@precis/core'
import { createSyntheticMessage, readText } from '@precis/core/conversation'
import { createReceipt, findCompactionLosses, restoreLosses } from '@precis/core/facts'
import { readTimeline } from '../../../packages/precis/src/agents/claude-code/timeline.ts'
import { createMemorySource } from '../../../packages/precis/src/files/read-document.ts'

const LIMIT_CHARACTERS = 10_000
const COMPACTIONS = 3
const POOR_CHARACTERS = 500

interface Shares {
  readonly whole: number
  readonly clipped: number
  readonly facts: number
}

/**
 * Of all that was said in a session, what stands after three compactions, each a third of it later.
 */
function measure(history: readonly Message[], isRepaired: boolean): Shares {
  let live: Conversation = { protocol: 'anthropic-messages', messages: [], tools: [] }
  let read: readonly Message[] = []
  for (let round = 1; round <= COMPACTIONS; round++) {
    const end = Math.ceil((history.length * round) / COMPACTIONS)
    const before = { ...live, messages: [...live.messages, ...history.slice(read.length, end)] }
    read = history.slice(0, end)
    const losses = findCompactionLosses({ before, history: read, after: [] })
    const restored = isRepaired
      ? restoreLosses(losses, { limitCharacters: LIMIT_CHARACTERS })
      : undefined
    live = { ...live, messages: [summarizePoorly(read), ...(restored ? [restored] : [])] }
  }
  const { words, kinds } = createReceipt({ removed: history, output: live.messages })
  const counts = Object.values(kinds)
  const sum = (read: (one: (typeof counts)[number]) => number) =>
    counts.reduce((total, one) => total + read(one), 0)
  return {
    whole: words.verbatim / words.total,
    clipped: words.clipped / words.total,
    facts: sum(({ verbatim }) => verbatim) / sum(({ total, stale }) => total - stale),
  }
}

/** The beginning of the newest answer. */
function summarizePoorly(messages: readonly Message[]): Message {
  const answer = messages.findLast(
    (message) => message.role === 'assistant' && readText(message).trim() !== '',
  )
  return createSyntheticMessage(
    'user',
    answer ? readText(answer).slice(0, POOR_CHARACTERS) : 'They worked on it.',
  )
}

const percent = (share: number) => `${Math.round(share * 100)} %`

console.log(
  '| session | words without | with | clipped | facts without | with |\n|---|--:|--:|--:|--:|--:|',
)
const sums = [0, 0, 0, 0, 0]
const paths = process.argv.slice(2)
for (const path of paths) {
  const source = createMemorySource(readFileSync(path))
  const history = readTimeline(source).timed.map(({ message }) => message)
  const [without, repaired] = [measure(history, false), measure(history, true)]
  const shares = [without.whole, repaired.whole, repaired.clipped, without.facts, repaired.facts]
  for (const [index, share] of shares.entries())
    sums[index] = (sums[index] ?? 0) + share / paths.length
  console.log(`| ${basename(path, '.jsonl')} | ${shares.map(percent).join(' | ')} |`)
}
console.log(`| mean of ${paths.length} | ${sums.map(percent).join(' | ')} |`)
