import { LONGEST_TIMEOUT_MS } from '../configuration/summarizer-settings.ts'

// Of a single message: 20 s, 30 s from 1 000 tokens, 90 s from 4 000.
const SMALL = { tokens: 1000, timeoutMs: 20_000 }
const MEDIUM = { tokens: 4000, timeoutMs: 30_000 }
const LARGE_TIMEOUT_MS = 90_000
// A whole span takes longer to read, and a long answer longer to write: about 700 and 40 tokens a second.
const READ_FROM_TOKENS = 10_000
const READ_MS_PER_TOKEN = 1.5
const WRITTEN_FROM_TOKENS = 2000
const WRITE_MS_PER_TOKEN = 25

/** How long the first attempt may take. */
export function findTimeout(inputTokens: number, outputTokens: number): number {
  if (inputTokens < SMALL.tokens) return SMALL.timeoutMs
  if (inputTokens < MEDIUM.tokens) return MEDIUM.timeoutMs
  const reading = Math.max(0, inputTokens - READ_FROM_TOKENS) * READ_MS_PER_TOKEN
  const writing = Math.max(0, outputTokens - WRITTEN_FROM_TOKENS) * WRITE_MS_PER_TOKEN
  return Math.min(LARGE_TIMEOUT_MS + reading + writing, LONGEST_TIMEOUT_MS)
}
