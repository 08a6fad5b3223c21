/** The span as a sequence of events: what was asked, said, done and answered, in order. */
import { type Message, readText } from '../../conversation/message.ts'
import { NATIVE_SUMMARY_OPENINGS, readSummary } from '../../conversation/summary-message.ts'
import { isUserRequest } from '../../conversation/turns.ts'
import { readOutcome, removeReminders } from '../../facts/outcome.ts'
import { readToolCall, showsContent } from '../../facts/tool-calls.ts'
import { cleanAction, cleanOutput, cleanText } from './clean.ts'
import { readEarlierDigest, readNativeSummary } from './earlier-summary.ts'
import type { CallEvent, Event, UnplacedEvent } from './event.ts'

export function readTimeline(span: readonly Message[], workingDirectory: string | undefined): Event[] {
  const events: Event[] = []
  const calls = new Map<string, CallEvent>()
  const push = (event: UnplacedEvent) => events.push(Object.assign(event, { at: events.length }))
  const nearStart = findNearStart(span)
  for (const [index, message] of span.entries()) {
    if (message.role === 'user') for (const event of readUserMessage(message)) push(event)
    else if (message.role === 'assistant' && message.origin === 'agent') {
      for (const part of message.parts) {
        if (part.type === 'text' && part.text.trim() !== '') {
          push({ type: 'words', text: cleanText(part.text).trim(), isCarried: false })
        } else if (part.type === 'tool-call') {
          const event: CallEvent = {
            type: 'call',
            action: cleanAction(readToolCall(part, workingDirectory)),
            outcome: undefined,
          }
          push(event)
          calls.set(part.callId, event)
        }
      }
    } else if (message.role === 'tool') {
      for (const part of message.parts) {
        const call = part.type === 'tool-result' ? calls.get(part.callId) : undefined
        if (!call || part.type !== 'tool-result') continue
        const outcome = readOutcome(part, showsContent(call.action))
        call.outcome = { ...outcome, text: index < nearStart ? '' : cleanOutput(outcome.text) }
      }
    }
  }
  return events
}

// Output more than this many characters before the end of the span is not looked at: little of it is needed again, and
// it is most of the work in spans of millions of characters.
const NEAR_CHARACTERS = 200_000

/** First message whose output is near. */
function findNearStart(span: readonly Message[]): number {
  let characters = 0
  for (let index = span.length - 1; index >= 0; index--) {
    for (const part of span[index]!.parts) {
      if (part.type !== 'tool-result') continue
      for (const piece of part.output) if (piece.type === 'text') characters += piece.text.length
    }
    if (characters > NEAR_CHARACTERS) return index + 1
  }
  return 0
}

function readUserMessage(message: Message): UnplacedEvent[] {
  const summary = readSummary(message)
  if (summary !== undefined) {
    const text = cleanText(summary)
    return readEarlierDigest(text) ?? readNativeSummary(text)
  }
  const text = cleanText(removeReminders(readText(message))).trim()
  if (isUserRequest(message)) return text === '' ? [] : [{ type: 'request', text }]
  return NATIVE_SUMMARY_OPENINGS.some((opening) => text.startsWith(opening)) ? readNativeSummary(text) : []
}
