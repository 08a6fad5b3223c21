import pRetry from 'p-retry'
import { LONGEST_TIMEOUT_MS } from '../configuration/summarizer-settings.ts'
import { CallError } from './call-error.ts'
import type { Clock } from './clock.ts'

const FIRST_DELAY_MS = 2000
const LONGEST_DELAY_MS = 10_000
const JITTER = 0.3
// Not everybody at the same moment, and not minutes later than was asked for either.
const MOST_ADDED_MS = 2000
// What a timer of Node takes: 24 days.
const MOST_WAIT_MS = 2 ** 31 - 1
// A provider that asks for more is not waited for when something else can write the summary.
const LONGEST_RETRY_AFTER_MS = 60_000
const LIMITED_ATTEMPTS = 10
const BUSY_ATTEMPTS = 3
const SLOW_ATTEMPTS = 4
const TIMEOUT_GROWTH = 1.5
const LARGEST_TIMEOUT_FACTOR = 3
// Of a long call a second attempt is enough: four of them would take the better part of an hour.
const LONG_CALL_MS = 120_000
const LONG_CALL_ATTEMPTS = 2

export interface RetryOptions {
  readonly timeoutMs: number
  readonly clock: Clock
  readonly signal?: AbortSignal
  /** Somebody watches and can end it: every pause is waited for, however long, and a busy provider is asked ten times. */
  readonly isWatched?: boolean
  /** Called before each pause. */
  readonly onRetry?: (retry: Retry) => void
}

export interface Retry {
  readonly error: CallError
  /** Until the next attempt. */
  readonly delayMs: number
  /** The number of the next attempt, and of the last one. */
  readonly attempt: number
  readonly attempts: number
}

/**
 * Repeats a call while it is worth it. Limited (429): ten attempts. Busy: three attempts. Between them 2 s doubling to 10 s, or
 * what the provider asked for. Slow: four attempts at once, the first time-out times 1, 1.5, 2.25 and 3.
 */
export async function retry<T>(attempt: (timeoutMs: number) => Promise<T>, options: RetryOptions): Promise<T> {
  const { timeoutMs, clock, signal, isWatched = false, onRetry } = options
  const failed = { limited: 0, busy: 0, slow: 0 }
  const most = {
    limited: LIMITED_ATTEMPTS,
    busy: isWatched ? LIMITED_ATTEMPTS : BUSY_ATTEMPTS,
    slow: timeoutMs >= LONG_CALL_MS ? LONG_CALL_ATTEMPTS : SLOW_ATTEMPTS,
  }
  const nextTimeout = () =>
    Math.min(timeoutMs * Math.min(TIMEOUT_GROWTH ** failed.slow, LARGEST_TIMEOUT_FACTOR), LONGEST_TIMEOUT_MS)
  const shouldRetry = async ({ error }: { error: Error }): Promise<boolean> => {
    signal?.throwIfAborted()
    if (!(error instanceof CallError) || error.retry === 'never') return false
    const failures = ++failed[error.retry]
    const attempts = most[error.retry]
    if (failures >= attempts) return false
    if (!isWatched && (error.retryAfterMs ?? 0) > LONGEST_RETRY_AFTER_MS) return false
    const delayMs = error.retry === 'slow' ? 0 : findDelay(failures, error.retryAfterMs, clock)
    onRetry?.({ error, delayMs, attempt: failures + 1, attempts })
    if (error.retry !== 'slow') await clock.wait(delayMs, signal)
    return true
  }
  return pRetry(() => attempt(nextTimeout()), {
    retries: most.limited + most.busy + most.slow,
    // The pauses are those of `shouldRetry`, which knows what the provider asked for.
    minTimeout: 0,
    shouldRetry,
    ...(signal && { signal }),
  })
}

/** Never before the time that was asked for. */
function findDelay(failures: number, retryAfterMs: number | undefined, clock: Clock): number {
  if (retryAfterMs !== undefined) {
    return Math.min(retryAfterMs + Math.min(retryAfterMs * JITTER, MOST_ADDED_MS) * clock.random(), MOST_WAIT_MS)
  }
  const delayMs = Math.min(FIRST_DELAY_MS * 2 ** (failures - 1), LONGEST_DELAY_MS)
  return delayMs * (1 - JITTER + 2 * JITTER * clock.random())
}
