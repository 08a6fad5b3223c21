import { isClearedMedia } from './injected-text.ts'
import type { Message, Part } from './message.ts'
import { isAnswer } from './read-ties.ts'

/**
 * A request of the user and everything up to the next request: `messages[start]` to `messages[end -
 * 1]`.
 */
export interface Turn {
  readonly start: number
  readonly end: number
}

/** Messages before the first request belong to no turn. */
export function findTurns(messages: readonly Message[]): Turn[] {
  const starts: number[] = []
  messages.forEach((message, index) => {
    if (isUserRequest(message)) starts.push(index)
  })
  return starts.map((start, turn) => ({ start, end: starts[turn + 1] ?? messages.length }))
}

/**
 * Only what the user typed. A summary, an injected reminder or a blank line in the user role is not
 * a request.
 */
export function isUserRequest(message: Message): boolean {
  return message.role === 'user' && message.origin === 'user' && message.parts.some(saysSomething)
}

/**
 * Position of the latest message that the user typed. Undefined if there is none. A picture, a
 * document or a search result by itself asks for something only after a finished answer. Otherwise
 * the words before it count.
 */
export function findLastUserRequest(messages: readonly Message[]): number | undefined {
  const newest = messages.findLastIndex(isUserRequest)
  const worded = messages.findLastIndex((message) => isUserRequest(message) && hasWords(message))
  const answer = findAnswer(messages)
  const isCalling = messages[answer]?.parts.some(({ type }) => type === 'tool-call')
  const isBeside = worded > answer || answer > newest || isCalling
  const index = worded >= 0 && isBeside ? worded : newest
  return index < 0 ? undefined : index
}

/**
 * The last request, and what the user showed with it in messages of its own that the agent has not
 * answered.
 */
export function findAsked(messages: readonly Message[]): Message[] {
  const request = findLastUserRequest(messages)
  const answer = findAnswer(messages)
  return messages.filter(
    (message, index) => index === request || (index > answer && isShown(message)),
  )
}

/** Whether the user showed something in it, and wrote nothing. */
export const isShown = (message: Message): boolean =>
  isUserRequest(message) && !hasWords(message) && !message.parts.some(answersPart)

const findAnswer = (messages: readonly Message[]) =>
  messages.findLastIndex(({ origin }) => origin === 'agent')

/**
 * Whether it contains words, written or spoken. A part of an unknown type may be what the user asks
 * for, unless its type shows something or it answers another part.
 */
export const hasWords = ({ parts }: Message): boolean =>
  parts.some(
    (part) =>
      (part.type === 'text' && part.text.trim() !== '' && !isClearedMedia(part.text)) ||
      (part.type === 'file' && part.mediaType.startsWith('audio/')) ||
      (part.type === 'opaque' && !SHOWN.test(part.kind) && !answersPart(part)),
  )

const SHOWN =
  /attach|content|context|data|document|file|image|media|picture|reference|render|resource|search|source|step|upload|video/i

/** Whether it names another part. */
export const answersPart = (part: Part): boolean =>
  part.bonds?.some(({ key }) => key !== 'id') === true ||
  (part.mentions !== undefined && isAnswer(part))

function saysSomething(part: Part): boolean {
  return part.type !== 'text' || part.text.trim() !== ''
}
