import { sum } from '../../packages/precis/src/replay/recorded-session.ts'
import type { Score } from './measures/measure.ts'
import { createRandom } from './random.ts'

/**
 * A mean over points, each weighing the same, and where it lies when other sessions of the kind had
 * been drawn.
 */
export interface Mean {
  readonly mean: number
  /** 95 % interval; undefined for fewer than three sessions. */
  readonly interval: readonly [low: number, high: number] | undefined
  readonly points: number
  readonly sessions: number
}

const RESAMPLES = 1000
const SEED = 1
const LEAST_SESSIONS = 3

export interface SessionScore {
  readonly session: string
  readonly score: Score
}

/**
 * Points of one session resemble each other, so sessions are drawn again, not points. Undefined
 * when nothing counts.
 */
export function computeMean(scores: readonly SessionScore[]): Mean | undefined {
  const bySession = new Map<string, number[]>()
  for (const { session, score } of scores) {
    if (score.total <= 0) continue
    const values = bySession.get(session) ?? []
    values.push(score.kept / score.total)
    bySession.set(session, values)
  }
  const groups = [...bySession.values()].map((values) => ({
    sum: sum(values),
    count: values.length,
  }))
  if (groups.length === 0) return undefined
  const points = sum(groups.map(({ count }) => count))
  const mean = sum(groups.map((group) => group.sum)) / points
  const interval = groups.length < LEAST_SESSIONS ? undefined : resample(groups)
  return { mean, interval, points, sessions: groups.length }
}

function resample(groups: readonly { sum: number; count: number }[]): readonly [number, number] {
  const random = createRandom(SEED)
  const means: number[] = []
  for (let resampled = 0; resampled < RESAMPLES; resampled++) {
    let total = 0
    let count = 0
    for (let drawn = 0; drawn < groups.length; drawn++) {
      const group = groups[random.below(groups.length)]
      total += group?.sum ?? 0
      count += group?.count ?? 0
    }
    means.push(total / count)
  }
  means.sort((a, b) => a - b)
  return [means[Math.floor(0.025 * RESAMPLES)] ?? 0, means[Math.floor(0.975 * RESAMPLES)] ?? 0]
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? 0
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2
}
