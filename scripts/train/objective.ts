/** One number for a set of weights: what its digests keep of what was needed, averaged over points. */

import type { Weights } from '../../packages/core/src/summarizers/digest/weights.ts'
import { compose } from '../../packages/core/src/summarizers/digest.ts'
import type { Point } from './points.ts'
import { type Measure, measures, type Scores, scoreText } from './score.ts'

// How far each was from what is asked of it: edits were short of most, errors of nothing.
const IMPORTANCE: Readonly<Record<Measure, number>> = {
  carried: 1,
  rare: 1,
  anchors: 2,
  commands: 1,
  demands: 0.5,
  errors: 0.2,
  conclusions: 1,
}

/** The objective of each session: of what was needed there. */
export function measureSessions(points: readonly Point[], weights: Weights): number[] {
  return [...groupBySession(points)].map((own) => objectiveOf(measure(own, weights)))
}

function groupBySession(points: readonly Point[]): Point[][] {
  const groups = new Map<string, Point[]>()
  for (const point of points) {
    const key = `${point.agent} ${point.session}`
    groups.set(key, [...(groups.get(key) ?? []), point])
  }
  return [...groups.values()]
}

/** Undefined where nothing of the kind was needed. */
export type Means = Readonly<Record<Measure, number | undefined>>

export function measure(points: readonly Point[], weights: Weights): Means {
  const scores = points.map(({ request, keptText, needs }) =>
    scoreText(`${keptText}\n${compose(request, weights)}`, needs),
  )
  return averageScores(scores)
}

function averageScores(scores: readonly Scores[]): Means {
  const entries = measures.map((measure) => {
    const known = scores.flatMap((score) => score[measure] ?? [])
    const mean = known.length === 0 ? undefined : known.reduce((sum, value) => sum + value, 0) / known.length
    return [measure, mean] as const
  })
  return Object.fromEntries(entries) as Record<Measure, number | undefined>
}

export function objectiveOf(means: Means): number {
  let sum = 0
  let total = 0
  for (const name of measures) {
    const mean = means[name]
    if (mean === undefined) continue
    sum += mean * IMPORTANCE[name]
    total += IMPORTANCE[name]
  }
  return total === 0 ? 0 : sum / total
}
