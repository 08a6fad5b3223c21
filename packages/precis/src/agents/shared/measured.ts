/** Numbers that are noted, and those that are worked out. */

export interface Measured {
  readonly value: number
  /** By time stamps and by the usage of requests around it, where it is not noted itself. */
  readonly isEstimated: boolean
}

export const recorded = (value: number): Measured | undefined => measure(value, false)
export const estimated = (value: number): Measured | undefined => measure(value, true)

function measure(value: number, isEstimated: boolean): Measured | undefined {
  return value > 0 ? { value, isEstimated } : undefined
}

// No compaction of an agent was seen to take longer (435 s); what does is a pause of the user.
const LONGEST_MS = 10 * 60_000

/**
 * By the time of the record before it, which is when the agent began, unless the user was away in
 * between.
 */
export function estimateDuration(
  beforeMs: number | undefined,
  endMs: number | undefined,
): Measured | undefined {
  if (beforeMs === undefined || endMs === undefined) return undefined
  const value = endMs - beforeMs
  return value <= LONGEST_MS ? estimated(value) : undefined
}
