import { setImmediate } from 'node:timers/promises'
import { type Conversation, digest, findCutPoints, type Message, type Summarizer } from '@precis/core'
import { attemptCompression } from './attempt-compression.ts'
import { prepareScorer } from './evaluate-points.ts'
import type { DriftResult, EvaluationOptions } from './evaluation.ts'
import type { FoundPoint } from './find-points.ts'
import { hostileSummarizers } from './hostile-summarizers.ts'
import { directives } from './measures/directives.ts'
import { measures } from './measures/index.ts'
import { asksSummarizer, type EvaluatedStrategy } from './method.ts'
import { plantDirectives, plantedDirectives } from './planted-directives.ts'
import { knowEntities, type Recording } from './recording.ts'

const ROUNDS = [1, 2, 4, 8]
const HOSTILE_ROUNDS = 8

/**
 * One history compressed in so many rounds, each on what the round before it left and on what came since; with
 * `digest`, and with summarizers that mean no good.
 */
export async function* evaluateDrift(
  recording: Recording,
  point: FoundPoint,
  options: EvaluationOptions,
): AsyncGenerator<DriftResult> {
  const conversation = plantDirectives(recording.readBefore(point.row))
  const past = [...point.past, ...knowEntities(plantedDirectives, point.workingDirectory)]
  const score = prepareScorer({ ...point, past }, [...measures, directives])
  const size = options.budgets[0]?.sizeFor(point.size) ?? 0
  const { name: session } = recording
  const run = async (strategy: EvaluatedStrategy, rounds: number, summarizer: Summarizer) => {
    const stretches = splitHistory(recording, conversation, rounds)
    const compressOptions = { counter: recording.counter, strategy, budgetTokens: size, summarizer }
    const result = await compressInRounds(conversation, stretches, compressOptions, options.onFailure)
    const scores = result && score(recording.renderLive(result))
    return { session, method: strategy.name, summarizer: summarizer.name, rounds, scores }
  }
  for (const strategy of options.strategies) {
    for (const rounds of ROUNDS) yield await run(strategy, rounds, digest())
    if (!asksSummarizer(strategy)) continue
    for (const hostile of hostileSummarizers) yield await run(strategy, HOSTILE_ROUNDS, hostile)
  }
}

async function compressInRounds(
  conversation: Conversation,
  stretches: readonly (readonly Message[])[],
  compressOptions: Parameters<typeof attemptCompression>[1],
  onFailure: (reason: string) => void,
): Promise<Conversation | undefined> {
  let current: Conversation = { ...conversation, messages: [] }
  for (const stretch of stretches) {
    await setImmediate()
    const grown = { ...current, messages: [...current.messages, ...stretch] }
    const attempt = await attemptCompression(grown, compressOptions, onFailure)
    if (attempt.type !== 'fits') return undefined
    current = attempt.conversation
  }
  return current
}

/** Stretches of about the same number of tokens, apart only where no call is open. */
function splitHistory({ counter }: Recording, { messages }: Conversation, count: number): Message[][] {
  const cutPoints = findCutPoints(messages)
  const total = messages.reduce((tokens, message) => tokens + counter.countMessage(message).upper, 0)
  const stretches: Message[][] = []
  let start = 0
  let passed = 0
  messages.forEach((message, index) => {
    passed += counter.countMessage(message).upper
    if (stretches.length >= count - 1 || passed < (total * (stretches.length + 1)) / count) return
    const end = cutPoints.nearestCut(index + 1, 'backward', start + 1)
    if (end === undefined) return
    stretches.push(messages.slice(start, end))
    start = end
  })
  return [...stretches, messages.slice(start)]
}
