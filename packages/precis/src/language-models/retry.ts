import { setTimeout } from 'node:timers/promises'
import type { GenerationFailure } from '@precis/core/summarizers'
import pRetry from 'p-retry'
import { LONGEST_TIMEOUT_MS } from '../configuration/choices.ts'

const FIRST_DELAY_MS = 2000
const LONGEST_DELAY_MS = 10_000
const JITTER = 0.3
// Spreads attempts of many callers, but not by minutes.
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
// A long call is repeated only once, because four attempts would take most of an hour.
const LONG_CALL_MS = 120_000
const LONG_CALL_ATTEMPTS = 2

export interface RetryOptions {
  readonly timeoutMs: number
  readonly clock: Clock
  readonly signal?: AbortSignal
  /**
   * A user watches and can end it: every pause is waited for, however long, and a busy provider is
   * asked ten times.
   */
  readonly isWatched?: boolean
  /** Called before each pause. */
  readonly onRetry?: (retry: Retry) => void
}

interface Retry {
  readonly error: CallError
  /** Until the next attempt. */
  readonly delayMs: number
  /** The number of the next attempt, and of the last one. */
  readonly attempt: number
  readonly attempts: number
}

/**
 * Repeats a call while that may help. Limited (429): ten attempts. Busy: three attempts. The pauses
 * double from 2 s to 10 s, or are what the provider asked for. Slow: four attempts without a pause,
 * with the first time-out times 1, 1.5, 2.25 and 3.
 */
export async function retry<T>(
  attempt: (timeoutMs: number) => Promise<T>,
  options: RetryOptions,
): Promise<T> {
  const { timeoutMs, clock, signal, isWatched = false, onRetry } = options
  const failed = { limited: 0, busy: 0, slow: 0 }
  const most = {
    limited: LIMITED_ATTEMPTS,
    busy: isWatched ? LIMITED_ATTEMPTS : BUSY_ATTEMPTS,
    slow: timeoutMs >= LONG_CALL_MS ? LONG_CALL_ATTEMPTS : SLOW_ATTEMPTS,
  }
  const nextTimeout = () =>
    Math.min(
      timeoutMs * Math.min(TIMEOUT_GROWTH ** failed.slow, LARGEST_TIMEOUT_FACTOR),
      LONGEST_TIMEOUT_MS,
    )
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
    // `shouldRetry` decides the pauses, because it knows what the provider asked for.
    minTimeout: 0,
    shouldRetry,
    ...(signal && { signal }),
  })
}

/** Never before the time that was asked for. */
function findDelay(failures: number, retryAfterMs: number | undefined, clock: Clock): number {
  if (retryAfterMs !== undefined) {
    return Math.min(
      retryAfterMs + Math.min(retryAfterMs * JITTER, MOST_ADDED_MS) * clock.random(),
      MOST_WAIT_MS,
    )
  }
  const delayMs = Math.min(FIRST_DELAY_MS * 2 ** (failures - 1), LONGEST_DELAY_MS)
  return delayMs * (1 - JITTER + 2 * JITTER * clock.random())
}

/** A call without an answer, and whether a retry may help. */
export class CallError extends Error {
  override readonly name = 'CallError'
  readonly failure: GenerationFailure
  /**
   * `limited`, `busy`: retry after a pause. `slow`: retry immediately, with more time. `never`: the
   * same call would fail again.
   */
  readonly retry: 'limited' | 'busy' | 'slow' | 'never'
  /** The wait that the provider asked for. */
  readonly retryAfterMs: number | undefined
  constructor(failure: GenerationFailure, retry: CallError['retry'], retryAfterMs?: number) {
    super(failure.message)
    this.failure = failure
    this.retry = retry
    this.retryAfterMs = retryAfterMs
  }
}

/** Time and randomness, which tests replace. */
export interface Clock {
  /** Rejects immediately when aborted, and then leaves no timer. */
  readonly wait: (delayMs: number, signal?: AbortSignal) => Promise<void>
  /** From 0 to 1. */
  random(): number
}

export const systemClock: Clock = {
  wait: (delayMs, signal) => setTimeout(delayMs, undefined, signal && { signal }),
  random: () => Math.random(),
}
