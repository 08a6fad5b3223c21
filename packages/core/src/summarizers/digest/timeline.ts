/** The span as a sequence of events: what was asked, said, done and answered, in order. */
import {
  type AssistantMessage,
  type Message,
  readText,
  renderPart,
  type ToolCallPart,
  type ToolResultPart,
} from '../../conversation/message.ts'
import { NATIVE_SUMMARY_OPENINGS, readSummary } from '../../conversation/summary-message.ts'
import { isUserRequest } from '../../conversation/turns.ts'
import { readOutcome, removeReminders } from '../../facts/outcome.ts'
import { readToolCall, showsContent } from '../../facts/tool-calls.ts'
import { isAsking, readAnswers } from './answers.ts'
import { cleanAction, cleanText } from './clean.ts'
import { readEarlierDigest, readNativeSummary } from './earlier-summary.ts'
import type { CallEvent, Event, Placed, UnplacedEvent } from './event.ts'
import { asksForWhole } from './is-whole.ts'
import { joinOutcome, readPolledSession, readStartedSession } from './polled-session.ts'

export function readTimeline(span: readonly Message[], workingDirectory: string | undefined): Event[] {
  const timeline = new Timeline(workingDirectory)
  const nearStart = findNearStart(span)
  span.forEach((message, index) => {
    if (message.role === 'user') for (const event of readUserMessage(message)) timeline.push(event)
    else if (message.role === 'assistant' && message.origin === 'agent') timeline.addAgent(message)
    else if (message.role === 'tool') {
      for (const part of message.parts) if (part.type === 'tool-result') timeline.addResult(part, index >= nearStart)
    }
  })
  return timeline.events
}

class Timeline {
  readonly events: Event[] = []
  readonly #workingDirectory: string | undefined
  readonly #calls = new Map<string, CallEvent>()
  readonly #questions = new Map<string, ToolCallPart>()
  /** Commands that go on, by session, and calls that ask about one. */
  readonly #running = new Map<string, CallEvent>()
  readonly #polls = new Map<string, CallEvent>()

  constructor(workingDirectory: string | undefined) {
    this.#workingDirectory = workingDirectory
  }

  push(event: UnplacedEvent): void {
    this.events.push(Object.assign(event, { at: this.events.length }))
  }

  addAgent(message: AssistantMessage): void {
    for (const part of message.parts) {
      if (part.type === 'text' && part.text.trim() !== '') {
        const text = cleanText(part.text).trim()
        this.events.push({ type: 'words', at: this.events.length, text, isCarried: false })
      } else if (part.type === 'tool-call') this.#addCall(part)
    }
  }

  #addCall(call: ToolCallPart): void {
    const session = readPolledSession(call)
    const begun = session === undefined ? undefined : this.#running.get(session)
    if (begun) this.#polls.set(call.callId, begun)
    else if (isAsking(call)) this.#questions.set(call.callId, call)
    else {
      const action = cleanAction(readToolCall(call, this.#workingDirectory))
      const at = this.events.length
      const event: Placed<CallEvent> = {
        type: 'call',
        at,
        action,
        outcome: undefined,
        asksForWhole: asksForWhole(call, action),
      }
      this.events.push(event)
      this.#calls.set(call.callId, event)
    }
  }

  addResult(part: ToolResultPart, isNear: boolean): void {
    const question = this.#questions.get(part.callId)
    const polled = this.#polls.get(part.callId)
    const call = polled ?? this.#calls.get(part.callId)
    if (question) this.#addAnswers(question, part)
    if (!call) return
    const outcome = readOutcome(part, showsContent(call.action))
    const heard = { ...outcome, text: isNear ? cleanText(outcome.text) : '' }
    if (polled) {
      joinOutcome(polled, renderPart(part), heard)
      return
    }
    call.outcome = heard
    const session = call.action.command === undefined ? undefined : readStartedSession(renderPart(part))
    if (session === undefined) return
    call.isRunning = true
    this.#running.set(session, call)
  }

  #addAnswers(call: ToolCallPart, part: ToolResultPart): void {
    if (part.isError) return
    const output = cleanText(readOutcome(part).text)
    for (const { question, text } of readAnswers(call, output)) {
      this.push({ type: 'request', text, ...(question !== '' && { question: cleanText(question) }) })
    }
  }
}

// Output farther than this from the end of the span is not looked at: little of it is needed again, and it is most of the
// work in spans of millions of characters. With 120 000 digests of 8 000 tokens lose 2 in 100 names that are needed
// later, with 400 000 they gain none.
const NEAR_CHARACTERS = 200_000
// The newest 40 long results, or as much in short ones, hold as many of those names.
const LONG_RESULT = 1_500
const NEAR_WEIGHT = 40 * LONG_RESULT

/** First message whose output is near. */
function findNearStart(span: readonly Message[]): number {
  let characters = 0
  let weight = 0
  for (let index = span.length - 1; index >= 0; index--) {
    for (const part of span[index]!.parts) {
      if (part.type !== 'tool-result') continue
      let length = 0
      for (const piece of part.output) if (piece.type === 'text') length += piece.text.length
      characters += length
      weight += Math.min(length, LONG_RESULT)
    }
    if (characters > NEAR_CHARACTERS || weight > NEAR_WEIGHT) return index + 1
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
