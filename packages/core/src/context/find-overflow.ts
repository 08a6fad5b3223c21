/**
 * Tells whether what a host caught is the answer of a provider that the request was too long. It reads what SDKs throw,
 * parsed bodies, plain text and answers that ended for want of room, and never what was sent: an error may carry the
 * request, and a conversation may well speak of prompts that are too long.
 */
import { isRateLimitText, matchOverflowText, TEXT_CHARACTERS } from './overflow-texts.ts'

/** What a provider said of a request that was too long. */
export interface Overflow {
  /** Bytes: the request as it was sent is too large, however few its tokens are. */
  readonly of: 'tokens' | 'bytes'
  /** What the provider takes, and what it was sent; with the room for the answer where the provider counts that. */
  readonly limitTokens?: number
  readonly requestTokens?: number
}

/** Undefined for everything else, rate limits of tokens per minute among it. */
export function findOverflow(error: unknown): Overflow | undefined {
  let found: Overflow | undefined
  let isTooLarge = false
  let isLimited = false
  const waiting: Waiting[] = [{ value: error, depth: 0 }]
  const seen = new Set<object>()
  for (let next = 0; next < waiting.length && next < MOST_VALUES; next++) {
    const { value, depth } = waiting[next] as Waiting
    if (typeof value === 'string') {
      isLimited ||= isRateLimitText(value)
      found = join(found, readText(value))
      const body = depth < MOST_DEPTH ? parseBody(value) : undefined
      if (body !== undefined) waiting.push({ value: body, depth: depth + 1 })
    } else if (typeof value === 'object' && value !== null && !seen.has(value)) {
      seen.add(value)
      if (isRateLimit(value)) {
        isLimited = true
        continue
      }
      isTooLarge ||= STATUS_FIELDS.some((field) => readStatus(value, field) === 413)
      found = join(found, readFields(value))
      if (depth < MOST_DEPTH) for (const inner of listInner(value)) waiting.push({ value: inner, depth: depth + 1 })
    }
  }
  // Content Too Large (RFC 9110), unless it is the rate of tokens that is too large: Groq answers that with 413 too.
  return found ?? (isTooLarge && !isLimited ? { of: 'bytes' } : undefined)
}

interface Waiting {
  readonly value: unknown
  readonly depth: number
}

const MOST_DEPTH = 8
const MOST_VALUES = 200
const MOST_ITEMS = 20

/** Where SDKs, gateways and servers put what the provider said, and nothing that holds the request. */
const INNER_FIELDS = [
  'message',
  'error',
  'errors',
  'lastError',
  'cause',
  'detail',
  'details',
  'body',
  'responseBody',
  'data',
  'response',
  // OpenRouter keeps the answer of the provider behind it as text.
  'metadata',
  'raw',
  'apiMessage',
  'choices',
  'candidates',
  'delta',
  'incomplete_details',
]

/** Machine words for it, whichever field they stand in. */
const OVERFLOW_WORDS: ReadonlyMap<string, Overflow['of']> = new Map([
  ['context_length_exceeded', 'tokens'],
  ['context_exceeded', 'tokens'],
  ['exceed_context_size_error', 'tokens'],
  ['model_max_prompt_tokens_exceeded', 'tokens'],
  ['model_context_window_exceeded', 'tokens'],
  ['model_length', 'tokens'],
  ['ContextOverflowError', 'tokens'],
  ['ContextWindowExceededError', 'tokens'],
  ['request_too_large', 'bytes'],
  ['string_above_max_length', 'bytes'],
])

const WORD_FIELDS = ['code', 'type', 'name', 'stop_reason', 'finish_reason', 'finishReason', 'stopReason', 'reason']
const STATUS_FIELDS = ['status', 'statusCode', 'code', 'httpStatusCode']
const RATE_LIMIT_WORDS = new Set(['rate_limit_exceeded', 'rate_limit_error', 'ThrottlingException', 'RateLimitError'])

function isRateLimit(value: object): boolean {
  return (
    STATUS_FIELDS.some((field) => readStatus(value, field) === 429) ||
    WORD_FIELDS.some((field) => RATE_LIMIT_WORDS.has(String(readField(value, field))))
  )
}

function readFields(value: object): Overflow | undefined {
  let found: Overflow | undefined
  for (const field of WORD_FIELDS) {
    const word = readField(value, field)
    const of = typeof word === 'string' ? OVERFLOW_WORDS.get(word) : undefined
    if (of) found = join(found, { of })
  }
  // llama.cpp: { type: 'exceed_context_size_error', n_prompt_tokens, n_ctx }
  if (found?.of === 'tokens') {
    found = join(found, createTokens(readField(value, 'n_ctx'), readField(value, 'n_prompt_tokens')))
  }
  return found
}

function readText(text: string): Overflow | undefined {
  const word = OVERFLOW_WORDS.get(text)
  if (word) return { of: word }
  const match = matchOverflowText(text)
  if (!match) return undefined
  if (match.of === 'bytes') return { of: 'bytes' }
  const { limit, request, answer } = match.groups
  const requestTokens = request === undefined ? undefined : readNumber(request) + (answer ? readNumber(answer) : 0)
  return createTokens(limit === undefined ? undefined : readNumber(limit), requestTokens)
}

function createTokens(limit: unknown, request: unknown): Overflow {
  return {
    of: 'tokens',
    ...(isCount(limit) && { limitTokens: limit }),
    ...(isCount(request) && { requestTokens: request }),
  }
}

/** Tokens say more than bytes, and the first numbers stay. */
function join(found: Overflow | undefined, more: Overflow | undefined): Overflow | undefined {
  if (!found || !more) return found ?? more
  if (found.of === more.of) return { ...more, ...found }
  return found.of === 'tokens' ? found : more
}

function listInner(value: object): unknown[] {
  if (Array.isArray(value)) return value.slice(0, MOST_ITEMS)
  const last = readField(value, 'lastError')
  // The AI SDK tells of every try; only the newest is the answer to the request as it is now.
  const fields = last === undefined ? INNER_FIELDS : ['lastError']
  return fields.map((field) => readField(value, field)).filter((inner) => inner !== undefined)
}

/** An error may say `400 {"error":…}`, or quote a body anywhere after its own words. */
function parseBody(text: string): unknown {
  if (text.length > TEXT_CHARACTERS) return undefined
  const start = text.search(/[{[]/)
  if (start < 0) return undefined
  const end = Math.max(text.lastIndexOf('}'), text.lastIndexOf(']'))
  try {
    return JSON.parse(text.slice(start, end + 1))
  } catch {
    // Not a body; the words around it have been read.
    return undefined
  }
}

function readField(value: object, field: string): unknown {
  try {
    return Reflect.get(value, field)
  } catch {
    // A getter of a foreign object may throw; then it has nothing to say.
    return undefined
  }
}

function readStatus(value: object, field: string): number {
  const status = readField(value, field)
  return typeof status === 'number' || typeof status === 'string' ? Number(status) : Number.NaN
}

const readNumber = (digits: string): number => Number(digits.replaceAll(',', ''))

// No window has more tokens than this; a larger number is something else.
const MOST_TOKENS = 1e9

const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value > 0 && value < MOST_TOKENS
