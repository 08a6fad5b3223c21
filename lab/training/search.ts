/**
 * A careful search: each weight is made smaller and larger by one coarse step, alone; the steps
 * that help by themselves are put together, best first, each kept only if it still helps. As few
 * numbers move as so few sessions can tell about.
 */
import type { Weights } from '../../packages/core/src/digest/weights.data.ts'
import { type Evaluation, mean, standardError } from './evaluation.ts'
import { measures } from './score.ts'

// The weights of answers, the agent's other words, errors and commands beside the lines of files, and how much
// room each gets. The others stay as they are: a step with what a name or a line of a file weighs
// helps some sessions and harms others by more than so few can tell apart, and steps with the rest
// change next to nothing.
const FREE: readonly (keyof Weights)[] = [
  'answer',
  'askedFor',
  'findings',
  'referred',
  'closingWords',
  'otherWords',
  'openingWords',
  'decidingWords',
  'errorLine',
  'command',
  'search',
  'wordsShare',
  'readShare',
  'commandShare',
]
const FACTORS = [0.6, 1.6]
const MOST_MOVED = 5
// A mean gain below this, or below so many of its standard errors over sessions, is noise.
const SMALLEST_GAIN = 0.0005
const STANDARD_ERRORS = 1.5
// How much a group of sessions may lose by a step, and a measure by all of them.
const GROUP_TOLERANCE = 0.002
const MEASURE_TOLERANCE = 0.005

interface Step {
  readonly name: keyof Weights
  readonly value: number
}

/**
 * The same weights for the same start and evaluation. `groups` tells the group of each session, in
 * their order.
 */
export function search(
  start: Weights,
  groups: readonly string[],
  evaluate: (weights: Weights) => Evaluation,
): Weights {
  const first = evaluate(start)
  const helps = (after: Evaluation, before: Evaluation) =>
    isGain(gainsOf(after, before)) &&
    !losesGroup(gainsOf(after, before), groups) &&
    !losesMeasure(after, first)
  const alone = stepsFrom(start)
    .map((step) => ({ step, evaluation: evaluate(take(start, step)) }))
    .filter(({ evaluation }) => helps(evaluation, first))
    .sort((a, b) => mean(b.evaluation.perSession) - mean(a.evaluation.perSession))
  let best = { weights: start, evaluation: first }
  const moved = new Set<keyof Weights>()
  for (const { step } of alone) {
    if (moved.size >= MOST_MOVED) break
    if (moved.has(step.name)) continue
    const weights = take(best.weights, step)
    const evaluation = evaluate(weights)
    if (!helps(evaluation, best.evaluation)) continue
    best = { weights, evaluation }
    moved.add(step.name)
  }
  return best.weights
}

function stepsFrom(start: Weights): Step[] {
  return FREE.flatMap((name) =>
    FACTORS.map((factor) => Number((start[name] * factor).toPrecision(2)))
      .map((value) => (name.endsWith('Share') ? Math.min(1, value) : value))
      .filter((value) => value !== start[name])
      .map((value) => ({ name, value })),
  )
}

function take(weights: Weights, { name, value }: Step): Weights {
  return { ...weights, [name]: value }
}

function gainsOf(after: Evaluation, before: Evaluation): number[] {
  return after.perSession.map((value, session) => value - before.perSession[session]!)
}

/**
 * Compared session by session: a gain that a few sessions make for all the others is not learned.
 */
function isGain(gains: readonly number[]): boolean {
  return mean(gains) > Math.max(SMALLEST_GAIN, STANDARD_ERRORS * standardError(gains))
}

function losesGroup(gains: readonly number[], groups: readonly string[]): boolean {
  return [...new Set(groups)].some(
    (group) => mean(gains.filter((_, session) => groups[session] === group)) < -GROUP_TOLERANCE,
  )
}

function losesMeasure(after: Evaluation, first: Evaluation): boolean {
  return measures.some(
    (name) => (after.means[name] ?? 0) < (first.means[name] ?? 0) - MEASURE_TOLERANCE,
  )
}
