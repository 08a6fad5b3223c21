/** The limits of a result, and whether it keeps them. */
import { toJsonText } from '../conversation/json-text.ts'
import type { Conversation, Message, Part } from '../conversation/message.ts'
import type { TokenCounter } from '../tokens/counter.ts'

/** Upper limits of a whole conversation; what is left out is not limited. */
export interface Limits {
  readonly tokens: number
  /** Of the messages as JSON in UTF-8, about what a request with them weighs. */
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

export function countBytes({ messages, tools }: Conversation): number {
  return sum(messages, countMessageBytes) + sum(tools, countUtf8)
}

export function countImages(message: Message): number {
  return sum<Part>(message.parts, (part) => {
    if (part.type === 'image') return 1
    return part.type === 'tool-result' ? sum(part.output, ({ type }) => (type === 'image' ? 1 : 0)) : 0
  })
}

const memo = new WeakMap<Message, number>()

/** As JSON; memoised by identity. */
export function countMessageBytes(message: Message): number {
  const known = memo.get(message)
  if (known !== undefined) return known
  const bytes = sum<Part>(message.parts, countPartBytes)
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
      return countUtf8(toJsonText(part.input)) + part.name.length + part.callId.length + RECORD_BYTES
  }
}

// Keys and brackets around a part.
const RECORD_BYTES = 40

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
