/** The limits of a result, and whether it keeps them. */
import { toJsonText } from '../conversation/json-text.ts'
import type { Conversation, Message, Part } from '../conversation/message.ts'
import { measureRequest } from '../formats/index.ts'
import type { TokenCounter } from '../tokens/counter.ts'

/** Upper limits of a whole conversation; what is left out is not limited. */
export interface Limits {
  readonly tokens: number
  /** Of the request body as JSON in UTF-8. */
  readonly bytes?: number
  /** Images anywhere, results of tools included. */
  readonly images?: number
}

/** The first limit that a conversation does not keep, and by how much. */
export function findExcess(conversation: Conversation, limits: Limits, counter: TokenCounter): Excess | undefined {
  const tokens = counter.countConversation(conversation).upper
  if (tokens > limits.tokens) return { of: 'tokens', amount: tokens, limit: limits.tokens }
  if (limits.images !== undefined) {
    const images = sum(conversation.messages, countImages)
    if (images > limits.images) return { of: 'images', amount: images, limit: limits.images }
  }
  if (limits.bytes !== undefined) {
    const bytes = countBytes(conversation)
    if (bytes > limits.bytes) return { of: 'bytes', amount: bytes, limit: limits.bytes }
  }
  return undefined
}

export interface Excess {
  readonly of: 'tokens' | 'bytes' | 'images'
  readonly amount: number
  readonly limit: number
}

const requestMemo = new WeakMap<Conversation, number>()

/** As its format writes it, where it was parsed from a request body; else an upper estimate. Memoised by identity. */
export function countBytes(conversation: Conversation): number {
  const known = requestMemo.get(conversation)
  if (known !== undefined) return known
  const { messages, tools } = conversation
  const bytes = measureRequest(conversation) ?? sum(messages, countMessageBytes) + sum(tools, countUtf8)
  requestMemo.set(conversation, bytes)
  return bytes
}

export function countImages(message: Message): number {
  return sum<Part>(message.parts, (part) => {
    if (part.type === 'image') return 1
    return part.type === 'tool-result' ? sum(part.output, ({ type }) => (type === 'image' ? 1 : 0)) : 0
  })
}

const memo = new WeakMap<Message, number>()

/** As JSON, rather too many than too few; memoised by identity. */
export function countMessageBytes(message: Message): number {
  const known = memo.get(message)
  if (known !== undefined) return known
  const bytes = MESSAGE_BYTES + sum<Part>(message.parts, countPartBytes)
  memo.set(message, bytes)
  return bytes
}

function countPartBytes(part: Part): number {
  switch (part.type) {
    case 'image':
    case 'file':
      // As base64, unless it lies behind a reference.
      return part.native === undefined ? Math.ceil(part.bytes / 3) * 4 : countUtf8(toJsonText(part.native))
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

// Keys, brackets and ids around a message and around a part, as the Responses API has them: the longest of all.
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
