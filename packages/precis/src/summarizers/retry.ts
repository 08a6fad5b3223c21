import pRetry from 'p-retry'
import { LONGEST_TIMEOUT_MS } from '../configuration/summarizer-settings.ts'
import { CallError } from './call-error.ts'
import type { Clock } from './clock.ts'

const FIRST_DELAY_MS = 2000
const LONGEST_DELAY_MS = 10_000
const JITTER = 0.3
// A provider that asks for more is not waited for.
const LONGEST_RETRY_AFTER_MS = 60_000
const BUSY_ATTEMPTS = 3
const SLOW_ATTEMPTS = 4
const TIMEOUT_GROWTH = 1.5
const LARGEST_TIMEOUT_FACTOR = 3
// Of a long call a second attempt is enough: four of them would take the better part of an hour.
const LONG_CALL_MS = 120_000
const LONG_CALL_ATTEMPTS = 2

/**
 * Repeats a call while it is worth it. Busy: three attempts, 2 s doubling to 10 s between them, or what the provider asked
 * for. Slow: four attempts, the first time-out times 1, 1.5, 2.25 and 3.
 */
export async function retry<T>(
  attempt: (timeoutMs: number) => Promise<T>,
  { timeoutMs, clock, signal }: { readonly timeoutMs: number; readonly clock: Clock; readonly signal?: AbortSignal },
): Promise<T> {
  const failed = { busy: 0, slow: 0 }
  const slowAttempts = timeoutMs >= LONG_CALL_MS ? LONG_CALL_ATTEMPTS : SLOW_ATTEMPTS
  const nextTimeout = () =>
    Math.min(timeoutMs * Math.min(TIMEOUT_GROWTH ** failed.slow, LARGEST_TIMEOUT_FACTOR), LONGEST_TIMEOUT_MS)
  const shouldRetry = async ({ error }: { error: Error }): Promise<boolean> => {
    signal?.throwIfAborted()
    if (!(error instanceof CallError) || error.retry === 'never') return false
    failed[error.retry]++
    if (error.retry === 'slow') return failed.slow < slowAttempts
    if (failed.busy >= BUSY_ATTEMPTS || (error.retryAfterMs ?? 0) > LONGEST_RETRY_AFTER_MS) return false
    await clock.wait(findDelay(failed.busy, error.retryAfterMs, clock), signal)
    return true
  }
  return pRetry(() => attempt(nextTimeout()), {
    retries: BUSY_ATTEMPTS + SLOW_ATTEMPTS,
    // The pauses are those of `shouldRetry`, which knows what the provider asked for.
    minTimeout: 0,
    shouldRetry,
    ...(signal && { signal }),
  })
}

/** Never before the time that was asked for, and not everybody at the same moment. */
function findDelay(failures: number, retryAfterMs: number | undefined, clock: Clock): number {
  if (retryAfterMs !== undefined) return retryAfterMs * (1 + JITTER * clock.random())
  const delayMs = Math.min(FIRST_DELAY_MS * 2 ** (failures - 1), LONGEST_DELAY_MS)
  return delayMs * (1 - JITTER + 2 * JITTER * clock.random())
}
