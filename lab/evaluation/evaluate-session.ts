import { evaluateCost } from './evaluate-cost.ts'
import { evaluateDrift } from './evaluate-drift.ts'
import { evaluatePoint, prepareScorer } from './evaluate-points.ts'
import type {
  CostResult,
  DriftResult,
  EvaluationOptions,
  MethodResult,
  SessionEvaluation,
} from './evaluation.ts'
import { findPoints } from './find-points.ts'
import type { Recording } from './recording.ts'

/** Everything about one session. The recording can go afterwards. */
export async function evaluateSession(
  recording: Recording,
  options: EvaluationOptions,
): Promise<SessionEvaluation> {
  const { points, skipped } = findPoints(recording)
  const results: MethodResult[] = []
  const costs: CostResult[] = []
  const drift: DriftResult[] = []
  const show = options.onProgress ?? (() => {})
  // Points, then as much again for the cost and for the drift.
  const steps = points.length * 3 || 1
  for (const [index, point] of points.entries()) {
    show(point.kind === 'cuts' ? `cut at ${point.place}` : point.place, index / steps)
    const score = prepareScorer(point)
    for await (const result of evaluatePoint(recording, point, score, options)) results.push(result)
  }
  show('replay', points.length / steps)
  if (points.length > 0) for await (const cost of evaluateCost(recording, options)) costs.push(cost)
  show('rounds', (points.length * 2) / steps)
  const last = points.findLast(({ kind }) => kind === 'cuts')
  if (last) for await (const result of evaluateDrift(recording, last, options)) drift.push(result)
  return { session: recording.name, format: recording.format, results, costs, drift, skipped }
}
