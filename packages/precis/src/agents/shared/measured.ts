/** Numbers that are recorded, and numbers that are calculated. */

export interface Measured {
  readonly value: number
  /**
   * Calculated from time stamps and from the usage of requests around it, because it is not
   * recorded.
   */
  readonly isEstimated: boolean
}

export const recorded = (value: number): Measured | undefined => measure(value, false)
export const estimated = (value: number): Measured | undefined => measure(value, true)

function measure(value: number, isEstimated: boolean): Measured | undefined {
  return value > 0 ? { value, isEstimated } : undefined
}

// The longest observed compaction of an agent took 435 s. Anything longer is a pause of the user.
const LONGEST_MS = 10 * 60_000

/**
 * By the time of the record before it. The agent began then, unless the user was away in between.
 */
export function estimateDuration(
  beforeMs: number | undefined,
  endMs: number | undefined,
): Measured | undefined {
  if (beforeMs === undefined || endMs === undefined) return undefined
  const value = endMs - beforeMs
  return value <= LONGEST_MS ? estimated(value) : undefined
}
