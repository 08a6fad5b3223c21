import { setTimeout } from 'node:timers/promises'

/** Time and chance, so that tests need neither. */
export interface Clock {
  /** Rejects at once when aborted, and leaves no timer then. */
  readonly wait: (delayMs: number, signal?: AbortSignal) => Promise<void>
  /** From 0 to 1. */
  random(): number
}

export const systemClock: Clock = {
  wait: (delayMs, signal) => setTimeout(delayMs, undefined, signal && { signal }),
  random: () => Math.random(),
}
