/** Time, by name. */
export interface Clock {
  /** Milliseconds since any fixed moment. */
  now(): number
}

/** Tells the time where the host names no clock. The only place where core reads one. */
export const systemClock: Clock = { now: () => Date.now() }
