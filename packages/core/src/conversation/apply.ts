import { aConversation, checkValue, objects } from './check-options.ts'
import type { AppliedEdit, ReplaceEdit } from './edit.ts'
import { ACKNOWLEDGEMENT, REMOVAL_NOTICE } from './injected-text.ts'
import {
  type Conversation,
  changeParts,
  createSyntheticMessage,
  type Message,
  type Part,
  type Protocol,
  type SystemMessage,
} from './message.ts'
import { isOfServer } from './read-ties.ts'
import { isSummary } from './summary-message.ts'

/**
 * The only function that changes history. Throws `RangeError` on edits that overlap, run backwards
 * or leave the history, and `TypeError` for anything but a conversation and a list.
 *
 * Many servers refuse a history whose roles do not alternate (the chat templates of Mistral, Llama
 * and Gemma, Bedrock Converse). An edit may bring messages together or write a new one. If two of
 * the same role then meet, apply puts a short message by precis between them. It puts one before a
 * listed system message that would follow an answer, too. Messages of one role that the host sent
 * next to each other stay so.
 *
 *   user  assistant  tool  assistant  user      drop 1..4      user  [assistant: Understood.]  user
 */
export function apply(conversation: Conversation, edits: readonly AppliedEdit[]): Conversation {
  checkValue('Applying edits', 'conversation', conversation, aConversation)
  checkValue('Applying edits', 'edits', edits, objects)
  const { messages } = conversation
  const placed: PlacedMessage[] = []
  let position = 0
  const keepUpTo = (end: number) => {
    for (; position < end; position++) placed.push({ message: messages[position]!, position })
  }
  for (const edit of edits) {
    if (edit.start < position || edit.end < edit.start || edit.end > messages.length) {
      throw new RangeError(
        `Applying a ${edit.type} of messages ${edit.start} to ${edit.end}: it must lie between ${position} and ${messages.length}, behind the edit before it.`,
      )
    }
    keepUpTo(edit.start)
    if (edit.type === 'replace') placed.push(...findPlaces(messages, edit))
    position = edit.end
  }
  keepUpTo(messages.length)
  return { ...conversation, messages: bridgeSeams(conversation, placed) }
}

/** A message of the result and its earlier position. Undefined for a new message. */
type PlacedMessage = { readonly message: Message; readonly position: number | undefined }

/** A message that stays keeps its position, even if it was changed. A summary is always new. */
function findPlaces(
  messages: readonly Message[],
  { start, end, messages: written }: ReplaceEdit,
): PlacedMessage[] {
  const places = new Map<Message, number>()
  for (let position = start; position < end; position++) places.set(messages[position]!, position)
  const isOneForOne = written.length === end - start
  return written.map((message, index) => {
    const isChanged =
      isOneForOne && message.role === messages[start + index]?.role && !isSummary(message)
    return { message, position: places.get(message) ?? (isChanged ? start + index : undefined) }
  })
}

function bridgeSeams(
  { messages, protocol }: Conversation,
  placed: readonly PlacedMessage[],
): Message[] {
  const isTurn = ({ role }: Message) => role !== 'system'
  const first = messages.findIndex(isTurn)
  const last = messages.findLastIndex(isTurn)
  const areNeighbours = (left: number | undefined, right: number | undefined) =>
    left !== undefined &&
    right !== undefined &&
    left < right &&
    !messages.slice(left + 1, right).some(isTurn)
  const bridged: Message[] = []
  const bridge = (left: Message | undefined, right: Message | undefined) => {
    const between = findBridge(left, right, protocol)
    if (between) bridged.push(between)
  }
  let left: PlacedMessage | undefined
  for (const right of placed) {
    const { message, position = 0 } = right
    const isMoved = isListed(message) && maySystemFollow(messages[position - 1])
    if (isMoved && !maySystemFollow(bridged.at(-1))) {
      left = { message: createSyntheticMessage('user', REMOVAL_NOTICE), position: undefined }
      bridged.push(left.message)
    }
    if (isTurn(message)) {
      if (!left) {
        if (messages[first]?.role !== 'assistant') bridge(undefined, right.message)
      } else if (!areNeighbours(left.position, right.position)) bridge(left.message, right.message)
      left = right
    }
    bridged.push(right.message)
  }
  // After an answer, the host continues with a request.
  if (left && messages[last]?.role === 'assistant') bridge(left.message, undefined)
  return bridged
}

/** Whether it is a system message that has to follow what Anthropic takes one after. */
export const isListed = (message: Message): message is SystemMessage =>
  message.role === 'system' && message.isListed === true

/** A turn of the user, or an answer that ends in a tool of the server. */
export function maySystemFollow(message: Message | undefined): boolean {
  if (message?.role !== 'assistant') return message?.role === 'user' || message?.role === 'tool'
  const last = message.parts.at(-1)
  return last !== undefined && isOfServer(last)
}

/**
 * The message that has to be between two others so that the roles alternate. Undefined if none is
 * needed. Results of tools count as the user's, as in Anthropic's and Google's APIs. Mistral
 * refuses a user message right after them, too. As an argument, undefined means the beginning, or a
 * request that is still to come.
 */
export function findBridge(
  left: Message | undefined,
  right: Message | undefined,
  protocol: Protocol,
): Message | undefined {
  if (left?.role !== 'assistant' && (right?.role ?? 'user') === 'user') {
    return left && createSyntheticMessage('assistant', ACKNOWLEDGEMENT)
  }
  if ((left?.role ?? 'assistant') !== 'assistant' || right?.role !== 'assistant') return undefined
  // Anthropic reads adjacent answers as one. In the Responses API they are ordinary items.
  const mayRepeat = protocol === 'anthropic-messages' || protocol === 'openai-responses'
  return left && mayRepeat ? undefined : createSyntheticMessage('user', REMOVAL_NOTICE)
}

/**
 * The message with `text` instead of all its text parts. The other parts stay the same objects, in
 * order, and so do further texts that are tied to other parts (`findBondedParts`). If the text is
 * blank, or the message has no text, returns the message itself.
 *
 *   reasoning   text a   call 1   text b   call 2   text c, tied
 *   reasoning            call 1            call 2   text
 */
export function rewriteText(message: Message, text: string, tied: ReadonlySet<Part>): Message {
  const place = findPlace(message.parts, tied)
  if (text.trim() === '' || place === undefined) return message
  return changeParts(message, (parts) =>
    parts.flatMap((part, index) => {
      if (part.type !== 'text') return [part]
      if (index === place) return [{ ...part, text }]
      return tied.has(part) ? [part] : []
    }),
  )
}

/**
 * The first text part that is tied, or else the first one. If the message would then end with
 * reasoning, which providers refuse, the last one. Undefined if there is no text.
 */
function findPlace(parts: readonly Part[], tied: ReadonlySet<Part>): number | undefined {
  const isText = ({ type }: Part) => type === 'text'
  const firstTied = parts.findIndex((part) => isText(part) && tied.has(part))
  const first = firstTied < 0 ? parts.findIndex(isText) : firstTied
  if (first < 0) return undefined
  const lastOther = parts.findLast((part) => !isText(part))
  return lastOther?.type === 'reasoning' ? parts.findLastIndex(isText) : first
}
