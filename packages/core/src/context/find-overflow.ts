/**
 * Finds out if an error is a provider's answer that the request was too long. It reads errors of
 * SDKs, parsed bodies, plain text, and answers that ended for lack of space. It never reads the
 * request or the output of the model that an error may contain.
 */
import type { RequestLimits } from '../conversation/request-limits.ts'
import { readMediaLimits } from './media-limits.ts'
import { overflowTexts } from './overflow-texts.data.ts'

/** A provider's answer that a request was too long. */
export interface Overflow {
  /**
   * Bytes: the request as it was sent is too large, however few its tokens are. Media: images or
   * pages are too many or too large.
   */
  readonly of: 'tokens' | 'bytes' | 'media'
  /**
   * The provider's limit, and the size of the request. The size includes the reserved answer if the
   * provider counts it.
   */
  readonly limitTokens?: number
  readonly requestTokens?: number
  /** Limits of media, as the provider named them. */
  readonly limits?: RequestLimits
}

/**
 * Undefined for everything else. That includes rate limits of tokens per minute, a request whose
 * space for the answer alone is larger than the window, and an id or a description that is too long.
 */
export function findOverflow(error: unknown): Overflow | undefined {
  let found: Said | undefined
  let isTooLarge = false
  let isLimited = false
  const waiting: VisitedValue[] = [{ value: error, depth: 0 }]
  const seen = new Set<object>()
  for (let next = 0; next < waiting.length && next < MOST_VALUES; next++) {
    const { value, depth } = waiting[next] as VisitedValue
    if (typeof value === 'string') {
      const { words, body } = splitBody(value)
      isLimited ||= isRateLimitText(words)
      found = join(found, readText(words))
      if (body !== undefined && depth < MOST_DEPTH) waiting.push({ value: body, depth: depth + 1 })
    } else if (typeof value === 'object' && value !== null && !seen.has(value)) {
      seen.add(value)
      if (quotesAnswer(value)) continue
      if (isRateLimit(value)) {
        isLimited = true
        continue
      }
      isTooLarge ||= STATUS_FIELDS.some((field) => readStatus(value, field) === 413)
      found = join(found, readFields(value))
      if (depth < MOST_DEPTH)
        for (const inner of listInner(value)) waiting.push({ value: inner, depth: depth + 1 })
    }
  }
  // Content Too Large (RFC 9110), unless it is the rate of tokens that is too large: Groq answers
  // that with 413 too.
  if (!found) return isTooLarge && !isLimited ? { of: 'bytes' } : undefined
  const { of } = found
  return of === 'other' ? undefined : { ...found, of }
}

/** Other: something is too long that stays as long in every shorter history. */
interface Said extends Omit<Overflow, 'of'> {
  readonly of: Overflow['of'] | 'other'
}

interface VisitedValue {
  readonly value: unknown
  readonly depth: number
}

const MOST_DEPTH = 8
const MOST_VALUES = 200
const MOST_ITEMS = 20

/**
 * Fields in which SDKs, gateways and servers put the provider's answer. No field contains the
 * request.
 */
const INNER_FIELDS = (
  'message error errors lastError cause detail details body responseBody data response choices candidates delta ' +
  // OpenRouter keeps the answer of the upstream provider as text.
  'metadata raw apiMessage incomplete_details'
).split(' ')

/** Machine words for it, in whichever field. */
const OVERFLOW_WORDS: ReadonlyMap<string, Overflow['of']> = new Map([
  ...(
    'context_length_exceeded context_exceeded exceed_context_size_error model_max_prompt_tokens_exceeded ' +
    'model_context_window_exceeded model_length ContextOverflowError ContextWindowExceededError'
  )
    .split(' ')
    .map((word) => [word, 'tokens'] as const),
  ['request_too_large', 'bytes'],
])

const WORD_FIELDS = [
  'code',
  'type',
  'name',
  'stop_reason',
  'finish_reason',
  'finishReason',
  'stopReason',
  'reason',
]
const STATUS_FIELDS = ['status', 'statusCode', 'code', 'httpStatusCode']
const RATE_LIMIT_WORDS = new Set<unknown>([
  'rate_limit_exceeded',
  'rate_limit_error',
  'ThrottlingException',
  'RateLimitError',
])

function isRateLimit(value: object): boolean {
  return (
    STATUS_FIELDS.some((field) => readStatus(value, field) === 429) ||
    WORD_FIELDS.some((field) => RATE_LIMIT_WORDS.has(readField(value, field)))
  )
}

// A library could not read an answer, and quotes it in its error.
const UNREAD_ANSWERS = new Set<unknown>([
  'AI_JSONParseError',
  'AI_TypeValidationError',
  'AI_NoObjectGeneratedError',
  'AI_InvalidToolInputError',
  'StructuredOutputParsingError',
  'OUTPUT_PARSING_FAILURE',
])

const quotesAnswer = (value: object): boolean =>
  ['name', 'lc_error_code'].some((field) => UNREAD_ANSWERS.has(readField(value, field)))

function readFields(value: object): Said | undefined {
  let found: Said | undefined
  for (const field of WORD_FIELDS) {
    const word = readField(value, field)
    const of = typeof word === 'string' ? OVERFLOW_WORDS.get(word) : undefined
    if (of) found = join(found, { of })
  }
  // llama.cpp: { type: 'exceed_context_size_error', n_prompt_tokens, n_ctx }
  if (found?.of === 'tokens') {
    found = join(
      found,
      createTokens(readField(value, 'n_ctx'), readField(value, 'n_prompt_tokens')),
    )
  }
  return found
}

function readText(text: string): Said | undefined {
  const word = OVERFLOW_WORDS.get(text)
  if (word) return { of: word }
  if (isRateLimitText(text)) return undefined
  const flat = text.slice(0, TEXT_CHARACTERS).replaceAll('`', '').replace(/\s+/g, ' ')
  const limits = readMediaLimits(flat)
  if (limits) return { of: 'media', limits }
  for (const { of, pattern } of OVERFLOW_TEXTS) {
    const match = pattern.exec(flat)
    if (!match) continue
    if (of !== 'tokens') return { of }
    const { limit, request, answer = '0', reserve = answer } = match.groups ?? {}
    if (limit && readNumber(reserve) >= readNumber(limit)) return { of: 'other' }
    return createTokens(
      limit && readNumber(limit),
      request && readNumber(request) + readNumber(answer),
    )
  }
  return undefined
}

function createTokens(limit: unknown, request: unknown): Overflow {
  return {
    of: 'tokens',
    ...(isCount(limit) && { limitTokens: limit }),
    ...(isCount(request) && { requestTokens: request }),
  }
}

/** Each overrides those behind it. The first numbers stay. */
const SAYING: readonly Said['of'][] = ['other', 'tokens', 'media', 'bytes']

function join(found: Said | undefined, more: Said | undefined): Said | undefined {
  if (!found || !more) return found ?? more
  if (found.of === more.of) return { ...more, ...found }
  return SAYING.indexOf(found.of) <= SAYING.indexOf(more.of) ? found : more
}

function listInner(value: object): unknown[] {
  if (Array.isArray(value)) return value.slice(0, MOST_ITEMS)
  const last = readField(value, 'lastError')
  // The AI SDK reports every try. Only the newest answers the current request.
  const fields = last === undefined ? INNER_FIELDS : ['lastError']
  return fields
    .map((field) => ({ field, inner: readField(value, field) }))
    .filter(({ field, inner }) => !(SPOKEN.has(field) && typeof inner === 'string'))
    .map(({ inner }) => inner)
    .filter((inner) => inner !== undefined)
}

// As text, they are what the model says: in events, and in answers of Ollama.
const SPOKEN = new Set(['delta', 'response'])

// What a body quotes of the request, or has of an answer.
const QUOTES = new Set(
  (
    'failed_generation input input_value messages prompt request ' +
    'candidates choices content output'
  ).split(' '),
)

/** An error may say `400 {"error":…}`, or quote a body anywhere after its own words. */
function splitBody(text: string): { readonly words: string; readonly body?: unknown } {
  const start = text.length <= BODY_CHARACTERS ? text.search(/\[?\{/) : -1
  if (start < 0) return { words: text }
  const end = Math.max(text.lastIndexOf('}'), text.lastIndexOf(']')) + 1
  try {
    const body: unknown = JSON.parse(text.slice(start, end))
    const words = JSON.stringify(body, (key, value: unknown) => {
      if (QUOTES.has(key)) return undefined
      // Some gateways keep the answer of a provider as text.
      return typeof value === 'string' ? splitBody(value).words : value
    })
    return { words: text.slice(0, start) + words + text.slice(end), body }
  } catch {
    // This is not a body.
    return { words: text }
  }
}

function readField(value: object, field: string): unknown {
  try {
    return Reflect.get(value, field)
  } catch {
    // A getter of a foreign object may throw. Its value is then ignored.
    return undefined
  }
}

function readStatus(value: object, field: string): number {
  const status = readField(value, field)
  return typeof status === 'number' || typeof status === 'string' ? Number(status) : Number.NaN
}

const readNumber = (digits: string): number => Number(digits.replaceAll(',', ''))

// No window has more tokens than this. A larger number is something else.
const MOST_TOKENS = 1e9

const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value > 0 && value < MOST_TOKENS

// Errors are short, but some servers repeat the request in them.
const BODY_CHARACTERS = 4_000_000
const TEXT_CHARACTERS = 20_000

// Groq answers 413 "Request too large … on tokens per minute (TPM)": waiting helps, a smaller
// window is another matter.
const RATE_LIMIT =
  /tokens? per (?:min|hour|day)|\b(?:TPM|TPD|RPM)\b|rate[ _-]?limit|too many requests|wait before trying again|quota/i

/** Whether a text is about a rate limit and not about the size of one request. */
const isRateLimitText = (text: string): boolean => RATE_LIMIT.test(text.slice(0, TEXT_CHARACTERS))

const OVERFLOW_TEXTS = [...readTexts('other'), ...readTexts('tokens'), ...readTexts('bytes')]

function readTexts(of: keyof typeof overflowTexts) {
  const lines = overflowTexts[of]
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('# '))
  return lines.map((line) => {
    const source = line.replace(
      /\{(request|limit|answer|reserve)\}/g,
      String.raw`(?<$1>\d[\d,]{0,14})`,
    )
    return { of, pattern: new RegExp(source, 'i') }
  })
}
