import type { ReplaceEdit, SettledEdit } from './edit.ts'
import { ACKNOWLEDGEMENT, REMOVAL_NOTICE } from './injected-text.ts'
import { type Conversation, createSyntheticMessage, type Message, type Protocol } from './message.ts'
import { isSummary } from './summary-message.ts'

/**
 * The only function that changes history. Throws `RangeError` on edits that overlap, run backwards or leave the history.
 *
 * Many servers refuse a history whose roles do not take turns (the chat templates of Mistral, Llama and Gemma, Bedrock
 * Converse). Where an edit brings messages together that were apart, or writes one itself, a short message of precis
 * stands between two of the same role. What the host sent side by side stays side by side.
 *
 *   user  assistant  tool  assistant  user      drop 1..4      user  [assistant: Understood.]  user
 */
export function apply(conversation: Conversation, edits: readonly SettledEdit[]): Conversation {
  const { messages } = conversation
  const placed: Placed[] = []
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

/** A message of the result and where it stood before; undefined for one that stood nowhere. */
interface Placed {
  readonly message: Message
  readonly position: number | undefined
}

/** A message that stays keeps its place, and so does one that was only changed. A summary is always new. */
function findPlaces(messages: readonly Message[], { start, end, messages: written }: ReplaceEdit): Placed[] {
  const places = new Map<Message, number>()
  for (let position = start; position < end; position++) places.set(messages[position]!, position)
  const isOneForOne = written.length === end - start
  return written.map((message, index) => {
    const isChanged = isOneForOne && message.role === messages[start + index]?.role && !isSummary(message)
    return { message, position: places.get(message) ?? (isChanged ? start + index : undefined) }
  })
}

/** System messages are passed over: servers that insist on roles take them apart. */
function bridgeSeams({ messages, protocol }: Conversation, placed: readonly Placed[]): Message[] {
  const isTurn = ({ role }: Message) => role !== 'system'
  const first = messages.findIndex(isTurn)
  const last = messages.findLastIndex(isTurn)
  const areNeighbours = (left: number | undefined, right: number | undefined) =>
    left !== undefined && right !== undefined && left < right && !messages.slice(left + 1, right).some(isTurn)
  const bridged: Message[] = []
  const bridge = (left: Message | undefined, right: Message | undefined) => {
    const between = findBridge(left, right, protocol)
    if (between) bridged.push(between)
  }
  let left: Placed | undefined
  for (const right of placed) {
    if (isTurn(right.message)) {
      if (!left) {
        if (messages[first]?.role !== 'assistant') bridge(undefined, right.message)
      } else if (!areNeighbours(left.position, right.position)) bridge(left.message, right.message)
      left = right
    }
    bridged.push(right.message)
  }
  // After an answer the host goes on with a request.
  if (left && messages[last]?.role === 'assistant') bridge(left.message, undefined)
  return bridged
}

/**
 * A message that has to stand between two others so that the roles take turns; undefined where none has to. Results of
 * tools count as the user's, as Anthropic and Gemini have it; Mistral refuses a user message right behind them, too.
 * Undefined stands for the beginning, and for a request that is still to come.
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
  // Anthropic reads neighbouring answers as one, and in the Responses API they are items like any others.
  const mayRepeat = protocol === 'anthropic-messages' || protocol === 'openai-responses'
  return left && mayRepeat ? undefined : createSyntheticMessage('user', REMOVAL_NOTICE)
}
