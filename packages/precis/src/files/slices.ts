import { setImmediate } from 'node:timers/promises'

// A key that waits this long is not noticed.
const SLICE_MS = 8

/**
 * To be awaited between small pieces of long work: lets keys and signals through when a slice of
 * time is over.
 */
export function createSlices(): () => Promise<void> {
  let end = Date.now() + SLICE_MS
  return async () => {
    if (Date.now() < end) return
    await setImmediate()
    end = Date.now() + SLICE_MS
  }
}
