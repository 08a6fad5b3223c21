import type { MeasuredStep } from './measured-session.ts'

const MOST_SHARE = 1 / 5
const LEAST_TOKENS = 1000

/** What is kept free for the answer: an agent knows how long its answers get, and asks for that much. */
export function chooseReserve(steps: readonly MeasuredStep[], windowTokens: number): number {
  const largest = steps.reduce((most, { answerTokens }) => Math.max(most, answerTokens), LEAST_TOKENS)
  return Math.floor(Math.min(largest, windowTokens * MOST_SHARE))
}
