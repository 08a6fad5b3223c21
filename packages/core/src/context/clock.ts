/** Time, by name: core has none of its own. `Date` is one. */
export interface Clock {
  /** Milliseconds since any fixed moment. */
  now(): number
}
