/** Coordinate search: one weight after the other, in their order, made larger or smaller as long as that helps most sessions. */
import type { Weights } from '../../packages/core/src/summarizers/digest/weights.ts'

const FACTORS = [0.6, 1.6]
const MOST_STEPS = 3
// What a weight of 0 is tried at.
const FIRST_STEP = 0.3
// A mean gain below this, or below its own standard error times this factor, is noise.
const SMALLEST_GAIN = 0.0005
const STANDARD_ERRORS = 0.5

interface Found {
  readonly weights: Weights
  /** One value for each session, in the same order always. */
  readonly values: readonly number[]
}

/** The same weights for the same start and evaluation. */
export function search(start: Weights, evaluate: (weights: Weights) => readonly number[]): Weights {
  let best: Found = { weights: start, values: evaluate(start) }
  for (const name of Object.keys(start) as (keyof Weights)[]) best = improve(best, name, evaluate)
  return best.weights
}

function improve(from: Found, name: keyof Weights, evaluate: (weights: Weights) => readonly number[]): Found {
  for (const factor of FACTORS) {
    let best = from
    for (let step = 0; step < MOST_STEPS; step++) {
      const current = best.weights[name]
      const next = limit(name, current === 0 ? FIRST_STEP : Number((current * factor).toPrecision(2)))
      if (next === current) break
      const weights = { ...best.weights, [name]: next }
      const values = evaluate(weights)
      if (!isBetter(values, best.values)) break
      best = { weights, values }
    }
    if (best !== from) return best
  }
  return from
}

/** Compared session by session: a gain that a few sessions make for all the others is not learned. */
function isBetter(values: readonly number[], before: readonly number[]): boolean {
  const gains = values.map((value, index) => value - before[index]!)
  const mean = gains.reduce((sum, gain) => sum + gain, 0) / gains.length
  const variance = gains.reduce((sum, gain) => sum + (gain - mean) ** 2, 0) / Math.max(1, gains.length - 1)
  return mean > Math.max(SMALLEST_GAIN, STANDARD_ERRORS * Math.sqrt(variance / gains.length))
}

function limit(name: keyof Weights, value: number): number {
  return name.endsWith('Share') ? Math.min(1, value) : value
}
