import { apply, findBridge } from '../conversation/apply.ts'
import { findCutPoints } from '../conversation/cut-points.ts'
import type { Edit } from '../conversation/edit.ts'
import { type Conversation, type Message, type Part, readText } from '../conversation/message.ts'
import {
  createSummaryMessage,
  isSummary,
  readLedgerText,
  readRecallText,
  readSummary,
} from '../conversation/summary-message.ts'
import { createLedger, type Ledger, renderLedger } from '../facts/ledger.ts'
import { redactSecrets } from '../secrets/redact-secrets.ts'
import type { TokenCounter } from '../tokens/counter.ts'

/** Standing instructions, pins and tasks of the user, and how they get into a result whose messages no longer say them. */
export interface CarriedLedger {
  /** How the model looks up what was removed; empty where it cannot. It stands wherever anything was removed. */
  readonly recall: string
  /** Room for both in whatever result; of the ledger never more than the limit. */
  readonly reserveTokens: number
  /** Room for what has to be said even where no message was removed: pins given now, and how to recall. */
  readonly standingTokens: number
  /** The text that has to stand beside these messages; empty when they say all of it. */
  render(messages: readonly Message[]): string
  /** `result` with ledger and recall in its summary; without one, in a message of their own at `place`, else before all others. */
  say(result: Conversation, place?: number): Conversation
  /** Whether a result says all that `render` finds missing in its messages, read back from its text. */
  isSaidIn(result: Conversation): boolean
  /** Standing instructions that a message says. */
  directivesOf(message: Message): readonly string[]
}

// A ledger may take this much besides its pins, and never more than half of the room that they leave.
export const LEDGER_TOKENS = 2000
const LEDGER_SHARE = 0.5

/** How large a ledger may be. Pins always have room in it: a result without one of them is none. */
export function findLedgerLimit(
  { messages }: Conversation,
  pins: readonly string[],
  counter: TokenCounter,
  roomTokens: number,
): number {
  const pinned = createLedger({ messages: messages.filter(isSummary), pins }).pins
  const ledger: Ledger = { pins: pinned, directives: [], ended: [], tasks: [] }
  const countTokens = (text: string) => counter.countText(text).upper
  const pinTokens = countTokens(renderLedger(ledger, { limitTokens: Infinity, countTokens }))
  const share = Math.floor((roomTokens - pinTokens) * LEDGER_SHARE)
  return pinTokens + Math.max(Math.min(LEDGER_TOKENS, share), 0)
}

interface LedgerOptions {
  readonly counter: TokenCounter
  readonly pins: readonly string[]
  readonly limitTokens: number
  readonly recall?: string | undefined
}

/** Reads the whole conversation once, at the first need. */
export function carryLedger(given: Conversation, options: LedgerOptions): CarriedLedger {
  const { messages, workingDirectory } = given
  const { counter, pins, limitTokens, recall = '' } = options
  const countTokens = (text: string) => counter.countText(text).upper
  let known: Ledger | undefined
  const read = () => {
    known ??= createLedger({ messages, pins, ...(workingDirectory !== undefined && { workingDirectory }) })
    return known
  }
  const render = (kept: readonly Message[]) => {
    const stands = findStanding(messages, kept)
    if (pins.length === 0 && stands.isComplete) return ''
    const ledger = read()
    const changed = listChangedTexts(messages, kept)
    const directives = ledger.directives.filter(({ text }) => !changed.some((other) => other.includes(text)))
    const isLost = ({ message }: { readonly message?: number }) => message !== undefined && !stands.isKept(message)
    const isNeeded =
      pins.length > 0 ||
      stands.hasLostRecord ||
      directives.some(isLost) ||
      ledger.ended.some(({ endedBy }) => isLost(endedBy === undefined ? {} : { message: endedBy }))
    return isNeeded ? renderLedger({ ...ledger, directives }, { limitTokens, countTokens, isKept: stands.isKept }) : ''
  }
  // The message around it, which there may be no other reason for, and the answer that it is given.
  const frame = createSummaryMessage('', '', recall)
  const answer = findBridge(frame, undefined, given.protocol)
  const countMessages = (sum: number, message: Message) => sum + counter.countMessage(message).upper
  const frameTokens = [frame, ...(answer ? [answer] : [])].reduce(countMessages, 0)
  const isSilent = (text: string) => text === '' && recall === ''
  let reserveTokens: number | undefined
  return {
    recall,
    get reserveTokens() {
      if (reserveTokens !== undefined) return reserveTokens
      // Cut at its limit, a ledger may still grow up to it when one of its lines turns out to be kept.
      const text = renderLedger(read(), { limitTokens: Infinity, countTokens })
      reserveTokens = isSilent(text) ? 0 : Math.min(countTokens(text), limitTokens) + frameTokens
      return reserveTokens
    },
    get standingTokens() {
      if (pins.length > 0) return this.reserveTokens
      return recall === '' ? 0 : frameTokens
    },
    render,
    say(result, place) {
      const text = render(result.messages)
      return isSilent(text) ? result : sayIn(result, text, recall, place)
    },
    isSaidIn(result) {
      const text = render(result.messages)
      return text === '' || result.messages.some((message) => readLedgerText(message) === text)
    },
    directivesOf: (message) => {
      const text = readText(message)
      return read().directives.flatMap((directive) => (text.includes(directive.text) ? [directive.text] : []))
    },
  }
}

interface Standing {
  /** Whether all of its words stand in the result, as the user wrote them. */
  readonly isKept: (message: number) => boolean
  /** Whether a call or an earlier summary is gone: plans, commits and an earlier ledger stand in no other message. */
  readonly hasLostRecord: boolean
  readonly isComplete: boolean
}

/** Tells which messages of a history are still in `kept`, by the identity of parts: a message with other images says the same. */
function findStanding(messages: readonly Message[], kept: readonly Message[]): Standing {
  const parts = new Set<Part>(kept.flatMap((message): readonly Part[] => message.parts))
  const isWhole = (message: Message, type: Part['type']) =>
    message.parts.every((part: Part) => part.type !== type || parts.has(part))
  const isKept = (index: number) => messages[index] !== undefined && isWhole(messages[index], 'text')
  const hasLostRecord = messages.some(
    (message) => !isWhole(message, 'tool-call') || (!isWhole(message, 'text') && isSummary(message)),
  )
  const isComplete = !hasLostRecord && messages.every(({ role }, index) => role !== 'user' || isKept(index))
  return { isKept, hasLostRecord, isComplete }
}

/** Text of the user's messages that were changed but not removed. */
function listChangedTexts(messages: readonly Message[], kept: readonly Message[]): string[] {
  const known = new Set(messages)
  return kept.flatMap((message) => (message.origin === 'user' && !known.has(message) ? [readText(message)] : []))
}

/** Whether a message stays as it is under the edits. */
export function findStaying(edits: readonly Edit[]): (message: number) => boolean {
  const gone = new Set<number>()
  for (const edit of edits) for (let index = edit.start; index < edit.end; index++) gone.add(index)
  for (const edit of edits) if (edit.type === 'summarize') for (const index of edit.keep) gone.delete(index)
  return (message) => !gone.has(message)
}

function sayIn(conversation: Conversation, ledger: string, recall: string, place: number | undefined): Conversation {
  const { messages } = conversation
  const say = (start: number, end: number, message: Message) =>
    apply(conversation, [{ type: 'replace', start, end, messages: [message] }])
  const index = messages.findIndex(isSummary)
  if (index >= 0) {
    const summary = messages[index]!
    const renewed = renewSummary(summary, ledger, recall)
    return readText(renewed) === readText(summary) ? conversation : say(index, index + 1, renewed)
  }
  const systemEnd = messages.findIndex(({ role }) => role !== 'system')
  const wanted = Math.max(place ?? 0, systemEnd < 0 ? messages.length : systemEnd)
  const start = findCutPoints(messages).nearestCut(wanted, 'backward') ?? wanted
  return say(start, start, createSummaryMessage('', ledger, recall))
}

/** What is not said anew stays as it was said: an earlier original is still where it was kept. */
export function renewSummary(message: Message, ledger: string, recall: string): Message {
  return createSummaryMessage(
    redactSecrets(readSummary(message) ?? ''),
    ledger || redactSecrets(readLedgerText(message) ?? ''),
    recall || readRecallText(message),
  )
}
