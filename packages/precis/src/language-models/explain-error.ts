import { APICallError } from 'ai'
import { reasonOf } from '../files/errors.ts'
import { OVERFLOW, renderFailure } from './providers.ts'
import { CallError } from './retry.ts'

const USED_UP = /insufficient_quota/i
const QUOTA = /billing|credit balance/i

/** The failure of a call, in words without the key. */
export function explainError(error: unknown, key: string): CallError {
  const said = describe(error, key)
  if (error instanceof Error && NEVER_SENT.has(error.name)) {
    const message = `the request could not be made: ${said}`
    return new CallError({ type: 'failed', reason: 'rejected-request', message }, 'never')
  }
  if (!APICallError.isInstance(error) || error.statusCode === undefined) {
    return busy(`the provider could not be reached: ${said}`)
  }
  const { statusCode, responseHeaders } = error
  const body = `${error.message} ${(error.responseBody ?? '').slice(0, 4000)}`
  const answered = `the provider answered ${statusCode}: ${said}`
  // What begins well and breaks off is the network's doing.
  if (statusCode < 300) return busy(`the answer of the provider could not be read: ${said}`)
  if ((statusCode === 400 || statusCode === 413 || statusCode === 422) && OVERFLOW.test(body)) {
    return new CallError({ type: 'failed', reason: 'overflow', message: answered }, 'never')
  }
  const retryAfterMs = readRetryAfter(responseHeaders, error.responseBody)
  // Some say "check your billing" of a limit that is over in a minute, and when.
  const isUsedUp =
    statusCode === 429 && (USED_UP.test(body) || (retryAfterMs === undefined && QUOTA.test(body)))
  if (statusCode === 401 || statusCode === 403 || statusCode === 404 || isUsedUp) {
    return new CallError({ type: 'failed', reason: 'misconfigured', message: answered }, 'never')
  }
  if (
    statusCode === 408 ||
    statusCode === 409 ||
    statusCode === 429 ||
    statusCode >= 500 ||
    OVERLOAD.test(body)
  ) {
    const failure = { type: 'failed', reason: 'unavailable', message: answered } as const
    return new CallError(failure, statusCode === 429 ? 'limited' : 'busy', retryAfterMs)
  }
  return new CallError({ type: 'failed', reason: 'rejected-request', message: answered }, 'never')
}

// What the AI SDK says before it sends anything.
const NEVER_SENT: ReadonlySet<string> = new Set(
  [
    'InvalidArgumentError',
    'InvalidPromptError',
    'InvalidMessageRoleError',
    'InvalidDataContentError',
    'MessageConversionError',
    'MissingToolResultsError',
    'UnsupportedFunctionalityError',
    'UnsupportedModelVersionError',
  ].map((name) => `AI_${name}`),
)

const OVERLOAD = /overloaded_error|rate_limit_error|server is overloaded/i

function busy(message: string): CallError {
  return new CallError({ type: 'failed', reason: 'unavailable', message }, 'busy')
}

const BODY_DELAY = /"retryDelay"\s{0,9}:\s{0,9}"(\d{1,9}(?:\.\d{1,9})?)s"/

/**
 * How long the provider asks to wait: milliseconds, seconds or a date in a header, or Google's
 * delay in the body.
 */
function readRetryAfter(
  headers: Record<string, string> | undefined,
  body: string | undefined,
): number | undefined {
  const milliseconds = readNumber(headers?.['retry-after-ms'])
  if (milliseconds !== undefined) return milliseconds
  const value = headers?.['retry-after']
  const seconds =
    readNumber(value) ?? readNumber(BODY_DELAY.exec((body ?? '').slice(0, LONGEST_BODY))?.[1])
  if (seconds !== undefined) return seconds * 1000
  const date = Date.parse(value ?? '')
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now())
}

/** Zero or more. An empty header counts as missing. */
function readNumber(text: string | undefined): number | undefined {
  const number = text?.trim() ? Number(text) : Number.NaN
  return number >= 0 ? number : undefined
}

function describe(error: unknown, key: string): string {
  const text = [readMessage(error), readCause(error)].filter(Boolean).join(' ')
  return renderFailure(key === '' ? text : text.replaceAll(key, '[key]'))
}

const LONGEST_BODY = 20_000

/**
 * The message in the body of an error. Packages return only the name of the status if they do not
 * know its form.
 */
function readMessage(error: unknown): string {
  const message = reasonOf(error)
  const body = APICallError.isInstance(error) ? (error.responseBody ?? '') : ''
  if (body.length > LONGEST_BODY) return message
  const said = /"message"\s{0,4}:\s{0,4}("(?:[^"\\]|\\.)*")/.exec(body)?.[1]
  return said === undefined ? message : readString(said, message)
}

function readString(json: string, otherwise: string): string {
  try {
    return String(JSON.parse(json))
  } catch {
    return otherwise
  }
}

/** `fetch failed` does not help the user. */
function readCause(error: unknown): string {
  let cause: unknown = error
  let code = ''
  for (let depth = 0; depth < 4 && cause instanceof Error; depth++) {
    if ('code' in cause && typeof cause.code === 'string') code = `(${cause.code})`
    cause = cause.cause
  }
  return code
}
