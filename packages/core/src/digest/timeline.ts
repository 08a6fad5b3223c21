/** The span as a sequence of events: requests, words, calls and answers, in order. */

import { asksUser, readRefusal } from '../actions/answers.ts'
import { type Artifact, type DoneCall, traceArtifacts } from '../actions/artifacts.ts'
import { readNotices, readOutcomes } from '../actions/outcome.ts'
import { type Action, asksForWhole, readToolCalls, unfoldCall } from '../actions/tool-calls.ts'
import { readOwnText } from '../conversation/injected-text.ts'
import {
  type AssistantMessage,
  type Message,
  type Part,
  readText,
  renderPart,
  type ToolCallPart,
  type ToolResultPart,
} from '../conversation/message.ts'
import type { Steps } from '../conversation/steps.ts'
import { readLedgerText, readSummary } from '../conversation/summary-message.ts'
import { isUserRequest } from '../conversation/turns.ts'
import { parseLedger } from '../facts/ledger-record.ts'
import type { Readings } from '../facts/readings.ts'
import type { SummaryRequest } from '../summarizers/summarizer.ts'
import { hidesFailure } from './checks.ts'
import { cleanAction, cleanOutput, cleanWords, NEAR_CHARACTERS, shortenLinks } from './clean.ts'
import { findSpoken, readMeasures } from './describe-call.ts'
import type { CallEvent, Event, Placed, UnplacedEvent } from './draft.ts'
import { MadeFiles } from './made-files.ts'
import { type EarlierState, readEarlierState } from './parse-digest.ts'
import { joinOutcome, Running } from './running.ts'
import { readUserEvents } from './user-events.ts'

/** Reads a span: its events, in order, and what was made outside of files. */
export function* readTimeline(
  { span, kept, workingDirectory, turns }: SummaryRequest,
  readings: Readings,
): Steps<Timeline> {
  const timeline = new Timeline(workingDirectory, readings)
  const nearStart = findNearStart(span)
  let requests = 0
  for (const [index, message] of span.entries()) {
    yield
    if (isUserRequest(message)) requests++
    timeline.turn = turns?.get(message) ?? requests
    if (message.role === 'assistant' && message.origin === 'agent') timeline.addAgent(message)
    else if (message.role === 'tool') {
      for (const part of message.parts)
        if (part.type === 'tool-result') timeline.addResult(part, index >= nearStart)
    } else if (message.role !== 'system') {
      timeline.noteWords(message)
      timeline.addNotices(readText(message), index >= nearStart)
      timeline.earlier = readEarlierState(readSummary(message)) ?? timeline.earlier
      for (const event of readUserEvents(message, span, index)) timeline.push(event)
    }
  }
  timeline.openTurn = findOpenTurn(span, turns)
  markObjections(timeline.events)
  markSpoken(timeline.events)
  timeline.hear(kept)
  for (const message of kept) {
    timeline.turn = turns?.get(message) ?? requests
    timeline.noteWords(message)
  }
  return timeline
}

/** Marks words before the first call of their turn that the user refused, and said why. */
function markObjections(events: readonly Event[]): void {
  const objections = new Map<number, number>()
  for (const [index, event] of events.entries()) {
    if (event.type !== 'call' || objections.has(event.turn)) continue
    // Most outputs are too old to be read.
    const text = event.outcome?.text
    if (text && readRefusal(text) !== undefined) objections.set(event.turn, index)
  }
  for (const [index, event] of events.entries()) {
    if (event.type === 'words' && !event.isCarried)
      event.isAtFirst = index < (objections.get(event.turn) ?? 0)
  }
}

/** Marks the line of what a command printed of which the agent spoke later in its turn. */
function markSpoken(events: readonly Event[]): void {
  let spoken = new Set<string>()
  let turn: number | undefined
  for (const event of events.toReversed()) {
    if (event.turn !== turn) spoken = new Set()
    turn = event.turn
    if (event.type === 'words' && !event.isCarried)
      for (const number of readMeasures(event.text)) spoken.add(number)
    if (event.type === 'call' && event.action.kind === 'command')
      event.spoken = findSpoken(event, spoken)
  }
}

/** The turn of the last message of a span, if calls follow in it. */
function findOpenTurn(
  span: readonly Message[],
  turns: SummaryRequest['turns'] = new Map(),
): number | undefined {
  const last = span.at(-1)
  const turn = last && turns.get(last)
  let isAfter = false
  for (const [message, ofMessage] of turns) {
    const calls = message.role === 'assistant' && message.parts.some(isCall)
    if (isAfter && ofMessage === turn && calls) return turn
    isAfter ||= message === last
  }
  return undefined
}

const isCall = ({ type }: Part): boolean => type === 'tool-call'

/**
 * An action that waits for its outcome: an event, or a poll of an event that continues. A question
 * to the user is not one.
 */
interface AskedCall {
  readonly action: Action
  /** Several for a poll of a script that did several things. */
  readonly events?: readonly CallEvent[]
  readonly isPoll?: boolean
}

export class Timeline {
  readonly events: Event[] = []
  /** What the user said, by turn. */
  readonly requests = new Map<number, string>()
  readonly #done: DoneCall[] = []
  /** Where things stood by the newest earlier digest. */
  earlier: EarlierState = { branch: undefined, artifacts: [] }
  /** The turn of the message that is being read. */
  turn = 0
  /** The turn in which calls follow after the span. */
  openTurn: number | undefined
  readonly #workingDirectory: string | undefined
  readonly #asked = new Map<string, readonly AskedCall[]>()
  readonly #made = new MadeFiles()
  readonly #running = new Running()

  readonly #readings: Readings

  constructor(workingDirectory: string | undefined, readings: Readings) {
    this.#workingDirectory = workingDirectory
    this.#readings = readings
  }

  /** Notes what the user said: in a message, or as a ledger quotes it. */
  noteWords(message: Message): void {
    const ledger = readLedgerText(message)
    const said = isUserRequest(message)
      ? [{ turn: this.turn, text: readOwnText(readText(message)) }]
      : ledger === undefined
        ? []
        : parseLedger(ledger).words
    for (const { turn, text } of said) {
      const known = this.requests.get(turn)
      // A quoted message that stays is the same message.
      if (known?.includes(text)) continue
      this.requests.set(turn, known === undefined ? text : `${known}\n${text}`)
    }
  }

  push(event: UnplacedEvent): void {
    const turn = event.type === 'words' ? (event.turn ?? this.turn) : this.turn
    if (event.type === 'call') this.#made.note(event.action)
    this.events.push({ ...event, at: this.events.length, turn })
  }

  addAgent(message: AssistantMessage): void {
    for (const part of message.parts) {
      if (part.type === 'text' && part.text.trim() !== '') {
        const text = shortenLinks(cleanWords(part), this.#workingDirectory)
        this.push({ type: 'words', text, isCarried: false })
      } else if (part.type === 'tool-call') this.#addCall(part)
    }
  }

  #addCall(whole: ToolCallPart): void {
    const actions = readToolCalls(whole, this.#workingDirectory)
    const asked = unfoldCall(whole).map((call, index): AskedCall => {
      const action = cleanAction(actions[index]!)
      const begun = this.#running.of(action.session)
      if (begun) return { action, events: begun, isPoll: true }
      // The user's answers are with the user's words.
      if (asksUser(call.name)) return { action }
      const at = this.events.length
      const isWhole = asksForWhole(call, action)
      const { turn } = this
      const event: Placed<CallEvent> = {
        type: 'call',
        at,
        turn,
        action,
        outcome: undefined,
        asksForWhole: isWhole,
      }
      this.events.push(event)
      if (action.kind === 'write') this.#made.note(action)
      return { action, events: [event] }
    })
    this.#asked.set(whole.callId, asked)
  }

  addResult(part: ToolResultPart, isNear: boolean): void {
    const asked = this.#asked.get(part.callId) ?? []
    const outcomes = readOutcomes(
      part,
      asked.map(({ action }) => action),
    )
    asked.forEach(({ action, events = [], isPoll }, index) => {
      const outcome = outcomes[index]!
      if (action.deeds || action.session !== undefined || outcome.session !== undefined) {
        this.#done.push({ action, outcome })
      }
      const event = events.at(-1)
      if (!event) return
      const heard = {
        ...outcome,
        text: isNear ? this.#readings.of(cleanOutput, outcome.text) : '',
      }
      if (isPoll) joinOutcome(events, renderPart(part), heard)
      else event.outcome = heard
      const isOver = !event.state && outcome.session === undefined
      if (event.outcome && isOver && hidesFailure(event.action, event.outcome))
        event.outcome = { ...event.outcome, failed: true, exitCode: undefined }
      if (event.action.kind === 'command') event.action = this.#made.settle(event.action, outcome)
      if (!outcome.failed) this.#running.stop(action)
      if (outcome.session !== undefined && !isPoll)
        this.#running.begin(outcome.session, event, index > 0)
    })
  }

  /** Reads what the host tells of commands and agents that go on. */
  addNotices(text: string, isNear: boolean): void {
    for (const notice of readNotices(text)) {
      const told = isNear ? this.#readings.of(cleanOutput, notice.outcome.text) : ''
      if (!this.#running.end(notice, told)) continue
      const deeds = [{ kind: 'background task', deed: 'ended', name: notice.session }] as const
      this.#done.push({ action: { deeds }, outcome: { failed: false, text: '' } })
    }
  }

  /**
   * Reads messages that stay next to the digest for the outcomes of commands that still ran at its
   * end.
   */
  hear(kept: readonly Message[]): void {
    const heard = new Set<string>()
    for (const message of this.#running.size === 0 ? [] : kept) {
      const { role, parts } = message
      // What they say stays where it is.
      if (role === 'user') this.addNotices(readText(message), false)
      for (const part of parts) {
        if (role === 'assistant' && part.type === 'tool-call' && this.#asksOnlyAboutRunning(part)) {
          heard.add(part.callId)
          this.#addCall(part)
        } else if (part.type === 'tool-result' && heard.has(part.callId)) this.addResult(part, true)
      }
    }
  }

  #asksOnlyAboutRunning(call: ToolCallPart): boolean {
    const actions = readToolCalls(call, this.#workingDirectory)
    return actions.every(({ session }) => this.#running.of(session) !== undefined)
  }

  /** What was made outside of files, each as the last action left it. */
  listArtifacts(): Artifact[] {
    return traceArtifacts(this.#done, this.earlier.artifacts)
  }
}

// The newest 40 long results, or as much in short ones, hold as many of those names.
const LONG_RESULT = 1_500
const NEAR_WEIGHT = 40 * LONG_RESULT

/** First message whose output is near. The newest output is, however long it is. */
function findNearStart(span: readonly Message[]): number {
  let characters = 0
  let weight = 0
  let newest: number | undefined
  for (let index = span.length - 1; index >= 0; index--) {
    for (const part of span[index]!.parts) {
      if (part.type !== 'tool-result') continue
      newest ??= index
      let length = 0
      for (const piece of part.output) if (piece.type === 'text') length += piece.text.length
      characters += length
      weight += Math.min(length, LONG_RESULT)
    }
    if (characters > NEAR_CHARACTERS || weight > NEAR_WEIGHT)
      return Math.min(index + 1, newest ?? index)
  }
  return 0
}
