import { setImmediate } from 'node:timers/promises'
import type { Conversation } from '@precis/core'
import { attemptCompression } from './attempt-compression.ts'
import { baselines } from './baselines/index.ts'
import type {
  EvaluatedBudget,
  EvaluationOptions,
  MethodOutcome,
  MethodResult,
  Scores,
} from './evaluation.ts'
import type { FoundPoint } from './find-points.ts'
import { countSize } from './items/size.ts'
import { measures } from './measures/index.ts'
import { createScoredText, type Measure } from './measures/measure.ts'
import { type EvaluatedStrategy, recordedSummary } from './method.ts'
import type { Point } from './point.ts'
import type { Recording } from './recording.ts'

/** Scores a text by every measure that was prepared for its point. */
export type Scorer = (text: string) => Scores

export function prepareScorer(point: Point, chosen: readonly Measure[] = measures): Scorer {
  const prepared = chosen.map(({ name, prepare }) => ({ name, score: prepare(point) }))
  return (text) => {
    const scored = createScoredText(text, point.workingDirectory)
    return Object.fromEntries(prepared.map(({ name, score }) => [name, score(scored)]))
  }
}

// A budget above half of the history is no compression.
const LARGEST_SHARE = 0.5

/** Every method at every budget of one point, one after the other. */
export async function* evaluatePoint(
  recording: Recording,
  point: FoundPoint,
  score: Scorer,
  options: EvaluationOptions,
): AsyncGenerator<MethodResult> {
  const conversation = recording.readBefore(point.row)
  // Counts every message once, so that no method pays for the others.
  recording.counter.countConversation(conversation)
  for (const budget of budgetsOf(point, options.budgets)) {
    const size = budget.sizeFor(point.size)
    const { name: session } = recording
    const { kind, place } = point
    const where = { session, kind, place, budget: budget.label }
    const scoreText = (text: string, tokens: number, durationMs: number) =>
      createOutcome(score, text, { size, tokens, durationMs })
    for (const strategy of options.strategies) {
      await setImmediate()
      const outcome = await runStrategy(recording, conversation, strategy, size, options, scoreText)
      yield { ...where, method: strategy.name, outcome }
    }
    const { counter } = recording
    for (const { name, render } of baselines) {
      const startedAt = performance.now()
      const text = render(point.past, size)
      const durationMs = performance.now() - startedAt
      yield {
        ...where,
        method: name,
        outcome: scoreText(text, counter.countText(text).upper, durationMs),
      }
    }
    const { summary } = point
    if (summary === undefined) continue
    const outcome = scoreText(summary, counter.countText(summary).upper, 0)
    yield { ...where, method: recordedSummary.name, outcome }
  }
}

/** A native point has one budget: the size of the summary that the agent made there. */
function budgetsOf(
  { summary, size }: FoundPoint,
  budgets: readonly EvaluatedBudget[],
): readonly EvaluatedBudget[] {
  if (summary !== undefined) return [{ label: 'its own', sizeFor: () => countSize(summary) }]
  return budgets.filter((budget) => budget.sizeFor(size) <= LARGEST_SHARE * size)
}

async function runStrategy(
  recording: Recording,
  conversation: Conversation,
  strategy: EvaluatedStrategy,
  size: number,
  { summarizer, onFailure }: EvaluationOptions,
  scoreText: (text: string, tokens: number, durationMs: number) => MethodOutcome,
): Promise<MethodOutcome> {
  const { counter } = recording
  const compressOptions = {
    counter,
    strategy,
    budgetTokens: size,
    ...(summarizer && { summarizer }),
  }
  const attempt = await attemptCompression(conversation, compressOptions, onFailure)
  if (attempt.type !== 'fits') return { type: attempt.type }
  const { conversation: result, durationMs } = attempt
  return scoreText(
    recording.renderLive(result),
    counter.countConversation(result).upper,
    durationMs,
  )
}

function createOutcome(
  score: Scorer,
  text: string,
  { size, tokens, durationMs }: { size: number; tokens: number; durationMs: number },
): MethodOutcome {
  const budgetShare = countSize(text) / size
  // Baselines overshoot by the words between their parts.
  if (budgetShare > 1 + OVERSHOOT) return { type: 'over-budget', budgetShare }
  return { type: 'scored', scores: score(text), budgetShare, tokens, durationMs }
}

const OVERSHOOT = 0.01
