import { applyStrategies, createBands, type Message, type Summarizer } from '@precis/core'
import pLimit from 'p-limit'
import { createHistory } from './histories.ts'
import type { Row } from './measure.ts'

const CALLS = 240
const CALL_MS = 200
const IN_FLIGHT = 40
const IDEAL_MS = (CALLS / IN_FLIGHT) * CALL_MS
const ROUNDS = 3

/** How much of the time of a banded compression is not spent on waiting for its calls. */
export async function measureBands(): Promise<Row[]> {
  const conversation = createAnswers(CALLS)
  const bands = createBands({ bands: [{ start: 0, end: 100, level: 'heavy-compress' }] })
  let best = Number.POSITIVE_INFINITY
  for (let round = 0; round < ROUNDS; round++) {
    const started = performance.now()
    const { report } = await applyStrategies(conversation, [bands], {
      summarizer: createSlowSummarizer(),
    })
    best = Math.min(best, performance.now() - started)
    if (report.rewrites.done !== CALLS)
      throw new Error(`bands: ${report.rewrites.done} of ${CALLS} rewrites`)
  }
  const ratio = best / IDEAL_MS
  return [
    {
      name: `bands: ${CALLS} calls of ${CALL_MS} ms, ${IN_FLIGHT} in flight, of ${IDEAL_MS} ms`,
      value: `× ${ratio.toFixed(2)}`,
      bar: '≤ × 1.15',
      passed: ratio <= 1.15,
    },
  ]
}

function createAnswers(count: number) {
  const { messages, ...history } = createHistory(count * 20)
  const isSpoken = (message: Message) => message.parts.every(({ type }) => type === 'text')
  return { ...history, messages: messages.filter(isSpoken) }
}

function createSlowSummarizer(): Summarizer {
  const limit = pLimit(IN_FLIGHT)
  const answer = () =>
    new Promise<{ text: string }>((resolve) => setTimeout(resolve, CALL_MS, { text: 'In short.' }))
  return { name: 'slow', summarize: () => limit(answer) }
}
