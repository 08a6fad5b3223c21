import { isClearedMedia } from './injected-text.ts'
import type { Message, Part } from './message.ts'
import { isAnswer } from './read-ties.ts'
import { isSummary } from './summary-message.ts'

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
  let request: number | undefined
  let isAnswered = true
  messages.forEach((message, index) => {
    const isWorking = message.parts.some(({ type }) => type.startsWith('tool'))
    const isWorded = isUserRequest(message) && hasWords(message)
    if (isWorded || (isShown(message) && (isAnswered || request === undefined))) request = index
    if (isWorded || isWorking || message.origin === 'agent') isAnswered = !isWorded && !isWorking
  })
  return request
}

/**
 * Positions of the last request, and of what the user showed in messages of its own next to it,
 * since the last answer, or behind a summary that may have replaced the answer before it.
 */
export function findAsked(messages: readonly Message[]): number[] {
  const request = findLastUserRequest(messages) ?? -1
  const summary = messages.findLastIndex(isSummary)
  let answers = 0
  const answersBefore = messages.map(({ origin }) => (origin === 'agent' ? answers++ : answers))
  const places = [request, Math.max(request, summary)]
  const beside = [answers, ...places.map((index) => answersBefore[index])]
  return [...messages.keys()].filter(
    (index) =>
      index === request || (isShown(messages[index]!) && beside.includes(answersBefore[index])),
  )
}

/** Whether the user showed something in it, and wrote nothing. */
export const isShown = (message: Message): boolean =>
  isUserRequest(message) && !hasWords(message) && !message.parts.some(answersPart)

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
