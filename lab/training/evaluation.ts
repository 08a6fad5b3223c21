/**
 * The share of needed things that digests keep: of each point once for each set of weights, then
 * averaged over sessions.
 */

import { compose } from '../../packages/core/src/digest/compose.ts'
import type { Weights } from '../../packages/core/src/digest/weights.data.ts'
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

/** Undefined where nothing of the kind was needed. */
export type Means = Readonly<Record<Measure, number | undefined>>

/** Sessions of one agent in one project. */
export interface Session {
  readonly name: string
  readonly project: string
  readonly agent: string
  readonly points: readonly Point[]
}

/** `perSession` has one value for each session, in their order. */
export interface Evaluation {
  readonly perSession: readonly number[]
  readonly means: Means
}

export function groupBySession(points: readonly Point[]): Session[] {
  const sessions = new Map<string, Point[]>()
  for (const point of points) {
    const own = sessions.get(point.session)
    if (own) own.push(point)
    else sessions.set(point.session, [point])
  }
  return [...sessions].map(([name, own]) => ({
    name,
    project: own[0]!.project,
    agent: own[0]!.agent,
    points: own,
  }))
}

/**
 * Remembers what it has composed: searches that leave out one part each go the same way for long.
 */
export function createEvaluate(): (sessions: readonly Session[], weights: Weights) => Evaluation {
  const known = new Map<string, Map<Point, Scores>>()
  return (sessions, weights) => {
    const key = JSON.stringify(weights)
    const scores = known.get(key) ?? new Map<Point, Scores>()
    known.set(key, scores)
    const scoreOf = (point: Point) => {
      const { request, keptText, needs } = point
      const found =
        scores.get(point) ?? scoreText(`${keptText}\n${compose(request, weights)}`, needs)
      scores.set(point, found)
      return found
    }
    const bySession = sessions.map(({ points }) => points.map(scoreOf))
    return {
      perSession: bySession.map((own) => objectiveOf(average(own))),
      means: average(bySession.flat()),
    }
  }
}

function average(scores: readonly Scores[]): Means {
  const entries = measures.map((name) => {
    const known = scores.flatMap((score) => score[name] ?? [])
    return [name, known.length === 0 ? undefined : mean(known)] as const
  })
  return Object.fromEntries(entries) as Record<Measure, number | undefined>
}

function objectiveOf(means: Means): number {
  let sum = 0
  let total = 0
  for (const name of measures) {
    const value = means[name]
    if (value === undefined) continue
    sum += value * IMPORTANCE[name]
    total += IMPORTANCE[name]
  }
  return total === 0 ? 0 : sum / total
}

export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length)
}

/** Of a mean of so many values. */
export function standardError(values: readonly number[]): number {
  const centre = mean(values)
  const squares = values.reduce((sum, value) => sum + (value - centre) ** 2, 0)
  return Math.sqrt(squares / Math.max(1, values.length - 1) / Math.max(1, values.length))
}
