/** The limits of a result, and whether it keeps them. */
import { toJsonText } from '../conversation/json-text.ts'
import type { Conversation, Message, Part, Protocol } from '../conversation/message.ts'
import {
  countMedia,
  countPages,
  keepsLimits,
  listMedia,
  type RequestLimits,
} from '../conversation/request-limits.ts'
import { requestFormats } from '../formats/request-formats.ts'
import { readMember } from '../formats/shared/json.ts'
import type { Model, Provider } from '../models/model.ts'
import { findRequestLimits } from '../models/request-limits.ts'
import type { TokenCounter } from '../tokens/counter.ts'

/** Upper limits of a whole conversation. A missing one is not limited. */
export interface Limits extends RequestLimits {
  readonly tokens: number
}

/** The first limit that a conversation does not keep, and by how much. */
export function findExcess(
  conversation: Conversation,
  limits: Limits,
  counter: TokenCounter,
): Excess | undefined {
  const tokens = counter.countConversation(conversation).upper
  if (tokens > limits.tokens) return { of: 'tokens', amount: tokens, limit: limits.tokens }
  return findRequestExcess(conversation, limits)
}

/** The same for all limits except tokens. */
export function findRequestExcess(
  conversation: Conversation,
  limits: RequestLimits,
): Excess | undefined {
  if (limitsMedia(limits)) {
    const media = listMedia(conversation.messages).map((site) => site.media)
    if (!keepsLimits(media, limits)) {
      const { images, pages } = countMedia(media)
      return limits.media === undefined
        ? { of: 'images', amount: images, limit: limits.images ?? images }
        : { of: 'images', amount: images + pages, limit: limits.media }
    }
  }
  if (limits.bytes === undefined) return undefined
  const bytes = countBytes(conversation)
  return bytes > limits.bytes ? { of: 'bytes', amount: bytes, limit: limits.bytes } : undefined
}

export interface Excess {
  /** The number or size of images, or the size of documents. */
  readonly of: 'tokens' | 'bytes' | 'images'
  readonly amount: number
  readonly limit: number
}

const limitsMedia = (limits: RequestLimits): boolean =>
  Object.keys(limits).some((name) => name !== 'bytes' && name !== 'tokens')

const PROVIDERS: Readonly<Record<Protocol, Provider>> = {
  'anthropic-messages': 'anthropic',
  'gemini-contents': 'google',
  'openai-responses': 'openai',
  // Every other server takes this one.
  'openai-chat': 'other',
}
const CAUTIOUS_WINDOW_TOKENS = 200_000

/**
 * What the provider of its model accepts in one request, in addition to tokens. Without a model,
 * its API decides.
 */
export function findLimitsOf(
  { protocol }: Conversation,
  model: Model,
  windowTokens?: number,
): RequestLimits {
  if (model.id !== '') return findRequestLimits(model, windowTokens)
  return findRequestLimits(
    { provider: PROVIDERS[protocol], contextWindowTokens: CAUTIOUS_WINDOW_TOKENS },
    windowTokens,
  )
}

// Below this share of a limit in bytes no summary brings a request above it.
const CLOSE_SHARE = 0.9

/**
 * Without limits that no edit can break, because media never grow. Nothing has to be measured for
 * them.
 */
export function onlyPressing(
  conversation: Conversation,
  { bytes, ...others }: RequestLimits,
): RequestLimits {
  const isPressing = findRequestExcess(conversation, others) !== undefined
  const isLarge =
    bytes !== undefined &&
    boundBytes(conversation) > bytes * CLOSE_SHARE &&
    estimateBytes(conversation) > bytes * CLOSE_SHARE
  return { ...(isPressing && others), ...(isLarge && { bytes }) }
}

// A control character: `\u001b`.
const MOST_BYTES_PER_UNIT = 6

/** Never less than `estimateBytes`, and text is not looked into: most histories are far smaller. */
function boundBytes({ messages, tools }: Conversation): number {
  const bound = (part: Part): number => {
    if (part.type === 'tool-result') return sum<Part>(part.output, bound) + boundText(part.callId)
    if (part.type !== 'text' && part.type !== 'reasoning') return countPartBytes(part)
    return boundText(part.text) + (part.type === 'reasoning' ? part.signatureLength : 0)
  }
  return (
    sum(messages, ({ parts }) => MESSAGE_BYTES + sum<Part>(parts, bound)) + sum(tools, boundText)
  )
}

const boundText = ({ length }: string): number => RECORD_BYTES + length * MOST_BYTES_PER_UNIT

// What Claude Code leaves of a conversation when it compacts: 4,438 tokens of 80,000 and 4,413 of
// 200,000 (claudetto's probe of 2.1.310, as billed). Twelve summaries in recorded sessions of
// 110,000 have 2,348 to 4,065 tokens, by upper bounds. The length depends on the model that writes,
// not on the text. Codex leaves messages and no summary: 8,400 of 217,000, and 14,106 of 221,000.
const MODEL_SUMMARY_TOKENS = 4_400
// In a small window, and of a short conversation, no summary is worth more.
const MOST_OF_WINDOW = 1 / 10
const MOST_OF_CONVERSATION = 1 / 2

/** Tokens that a summary by a model would leave of a conversation of `tokens`, at least 1. */
export function countModelSummary(
  tokens: number,
  { contextWindowTokens }: Pick<Model, 'contextWindowTokens'>,
): number {
  const most = Math.min(contextWindowTokens * MOST_OF_WINDOW, tokens * MOST_OF_CONVERSATION)
  return Math.max(Math.floor(Math.min(MODEL_SUMMARY_TOKENS, most)), 1)
}

/**
 * Bytes of a request as its format writes it, if it was parsed from a request body. Otherwise an
 * upper estimate. Memoized by identity.
 */
export const countBytes = memoise((conversation: Conversation): number => {
  return measureRequest(conversation) ?? estimateBytes(conversation)
})

/** Rather too many than too few. */
const estimateBytes = ({ messages, tools }: Conversation): number =>
  sum(messages, countMessageBytes) + sum(tools, countUtf8)

/** Undefined for a conversation that was parsed from no request body. */
function measureRequest(conversation: Conversation): number | undefined {
  const name = readMember(conversation.document, 'formatName')
  const format = Object.values(requestFormats).find((one) => one.name === name)
  if (!format) return undefined
  const output = format.serialize(conversation)
  if (output instanceof Uint8Array) return output.byteLength
  if (typeof output === 'string') return countUtf8(output)
  return isChunks(output)
    ? sum([...output], ({ byteLength }) => byteLength)
    : countUtf8(toJsonText(output))
}

/** A list of messages is a document too. */
const isChunks = (output: object): output is Iterable<Uint8Array> =>
  Array.isArray(output) ? output[0] instanceof Uint8Array : Symbol.iterator in output

export const countImages = (message: Message): number =>
  sum(listMedia([message]), ({ media }) => Number(media.type === 'image'))

/** Images and pages of documents. */
export const countMessageMedia = (message: Message): number =>
  sum(listMedia([message]), ({ media }) => Number(media.type === 'image') + countPages(media))

/** Bytes of a message as JSON, by an upper estimate. Memoized by identity. */
export const countMessageBytes = memoise(
  (message: Message): number => MESSAGE_BYTES + sum<Part>(message.parts, countPartBytes),
)

function memoise<Key extends object>(count: (key: Key) => number): (key: Key) => number {
  const known = new WeakMap<Key, number>()
  return (key) => {
    const found = known.get(key)
    if (found !== undefined) return found
    const number = count(key)
    known.set(key, number)
    return number
  }
}

function countPartBytes(part: Part): number {
  switch (part.type) {
    case 'image':
    case 'file':
      // As base64, unless it is only a reference.
      return part.native === undefined
        ? Math.ceil(part.bytes / 3) * 4
        : countUtf8(toJsonText(part.native))
    case 'opaque':
      return countUtf8(part.text)
    case 'tool-result':
      return sum<Part>(part.output, countPartBytes) + part.callId.length + RECORD_BYTES
    case 'reasoning':
      return countUtf8(toJsonText(part.text)) + part.signatureLength + RECORD_BYTES
    case 'text':
      return countUtf8(toJsonText(part.text)) + RECORD_BYTES
    case 'tool-call':
      return countUtf8(toJsonText(part.input)) + part.name.length + part.callId.length + CALL_BYTES
  }
}

// Keys, brackets and ids around a message and around a part, as the Responses API has them: the
// longest of all.
const MESSAGE_BYTES = 100
const RECORD_BYTES = 80
const CALL_BYTES = 150

function countUtf8(text: string): number {
  let bytes = text.length
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    // A surrogate pair is four bytes: two for each half.
    if (code > 0x7f) bytes += code > 0x7ff && (code < 0xd800 || code > 0xdfff) ? 2 : 1
  }
  return bytes
}

function sum<T>(items: readonly T[], measure: (item: T) => number): number {
  let total = 0
  for (const item of items) total += measure(item)
  return total
}
