/**
 * A message in the user's name as events: what was typed, or a summary of what came before, which
 * may be an answer.
 */
import { removeReminders } from '../actions/outcome.ts'
import {
  isClearedMedia,
  isHostSummary,
  isHostSummaryAnswer,
  readOwnText,
} from '../conversation/injected-text.ts'
import { type Message, type Part, readText } from '../conversation/message.ts'
import { readSummary } from '../conversation/summary-message.ts'
import { isUserRequest } from '../conversation/turns.ts'
import { cleanText } from './clean.ts'
import type { UnplacedEvent, WordsEvent } from './draft.ts'
import { readEarlierDigest, readNativeSummary } from './earlier-summary.ts'
import { Sayings } from './vocabulary.ts'

/** `place`: where the message is in the span. */
export function readUserEvents(
  message: Message,
  span: readonly Message[],
  place: number,
): UnplacedEvent[] {
  const events = readUserMessage(message, span[place - 1])
  if (!events.some(isCarriedAnswer)) return events
  const said = readWordsOnward(span, place)
  return events.filter((event) => !(isCarriedAnswer(event) && said.hasLines(event.text)))
}

function readUserMessage(message: Message, before: Message | undefined): UnplacedEvent[] {
  const summary = readSummary(message)
  if (summary !== undefined) {
    const text = cleanText(summary)
    return readEarlierDigest(text) ?? readNativeSummary(text)
  }
  if (isUserRequest(message)) {
    const text = cleanText(readOwnText(readText(message)))
    return [{ type: 'request', text, shown: text === '' ? nameShown(message) : undefined }]
  }
  const text = cleanText(removeReminders(readText(message))).trim()
  const isTold = isHostSummary(text) || isHostSummaryAnswer(message, before)
  return isTold ? readNativeSummary(text) : []
}

/** The kinds of what it shows, also if that was cleared. */
function nameShown({ parts }: Message): string | undefined {
  const shows = (kind: 'image' | 'file') => (part: Part) =>
    part.type === kind ||
    (part.type === 'text' && isClearedMedia(part.text) && part.text.trim().startsWith(`[${kind} `))
  const kinds = (['image', 'file'] as const).filter((kind) => parts.some(shows(kind)))
  return kinds.length > 0 ? kinds.join(' and ') : undefined
}

const isCarriedAnswer = (event: UnplacedEvent): event is WordsEvent =>
  event.type === 'words' && event.isCarried && !event.isRecord

/**
 * What the agent says right after a summary, before any call or request. An agent that keeps its
 * newest messages next to a summary sends words again that the summary quotes. They count once, as
 * the agent said them.
 *
 *   summary, which ends in answer b  │  b, perhaps cut off by the user  │  request
 */
function readWordsOnward(span: readonly Message[], summary: number): Sayings {
  const said = new Sayings()
  for (let index = summary + 1; index < span.length; index++) {
    const message = span[index]!
    if (isUserRequest(message) || message.parts.some(({ type }) => type === 'tool-call')) break
    if (readSummary(message) !== undefined) break
    if (message.role === 'assistant' && message.origin === 'agent') said.note(readText(message))
  }
  return said
}
