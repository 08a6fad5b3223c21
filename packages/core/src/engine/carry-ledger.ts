import { apply, findBridge } from '../conversation/apply.ts'
import { findCompaction, isCompaction } from '../conversation/compaction.ts'
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
import { isUserRequest } from '../conversation/turns.ts'
import { beginningOf } from '../facts/clip-words.ts'
import { countUrgent } from '../facts/fit-words.ts'
import { collectPins, countLedger, createLedger, renderLedger } from '../facts/ledger.ts'
import { type UserWords, writeLedger } from '../facts/ledger-record.ts'
import { readUserWords } from '../facts/user-words.ts'
import { redactSecrets } from '../secrets/redact-secrets.ts'
import type { TokenCounter } from '../tokens/counter.ts'
import { once } from './view.ts'

/**
 * Pins, the words of the user and tasks, and how they get into a result whose messages no longer
 * say them.
 */
export interface CarriedLedger {
  /**
   * How the model looks up what was removed. Empty if it cannot. It is part of every result from
   * which anything was removed.
   */
  readonly recall: string
  /** Tokens reserved for both in any result. The ledger's part never exceeds its limit. */
  readonly reserveTokens: number
  /** Tokens reserved even if no message is removed: for new pins, and for how to recall. */
  readonly pinnedTokens: number
  /** Renders the ledger that these messages need. Empty if they contain all of it. */
  render(messages: readonly Message[]): string
  /**
   * Puts ledger and recall into the summary of `result`. Without a summary, they become a message
   * of their own at `place`, or before all others.
   */
  say(result: Conversation, place?: number): Conversation
  /**
   * Whether a result holds the ledger that `render` finds missing in its messages, read back from
   * its text.
   */
  isSaidIn(result: Conversation): boolean
  /**
   * The number of the user's request that each message of a history belongs to, even if earlier
   * steps changed some.
   */
  turnsOf(messages: readonly Message[]): ReadonlyMap<Message, number>
}

// The user's words may take this share of the space, together with the tasks.
const LEDGER_SHARE = 0.55

/** The tokens of a ledger with nothing but the pins, which every result has. */
export function countPins(
  messages: readonly Message[],
  pins: readonly string[],
  counter: TokenCounter,
): number {
  const ledger = {
    pins: collectPins(messages, pins),
    words: [],
    omitted: { count: 0, lastTurn: 0 },
    tasks: [],
  }
  return counter.countText(writeLedger(ledger)).upper
}

/**
 * Finds how large a ledger may be. Pins always fit, because a result without one of them is
 * rejected.
 */
export function findLedgerLimit(
  { messages }: Conversation,
  pins: readonly string[],
  counter: TokenCounter,
  roomTokens: number,
): number {
  const pinTokens = countPins(messages, pins, counter)
  // The message around it needs space too.
  const freeTokens = roomTokens - pinTokens - counter.countMessage(createSummaryMessage('')).upper
  return pinTokens + Math.max(Math.floor(freeTokens * LEDGER_SHARE), 0)
}

/** A size at which nothing of the ledger is cut. */
export function findWholeLedgerRoom(
  { messages }: Conversation,
  pins: readonly string[],
  counter: TokenCounter,
): number {
  const countTokens = (text: string) => counter.countText(text).upper
  const tokens = countLedger(createLedger({ messages, pins }), countTokens)
  return Math.ceil(tokens / LEDGER_SHARE) + counter.countMessage(createSummaryMessage('')).upper
}

/** The size at which a ledger still has the binding words, and the pins. */
export function findBindingRoom(
  { messages }: Conversation,
  pins: readonly string[],
  counter: TokenCounter,
): number {
  const wordTokens = countUrgent(readUserWords(messages), (text) => counter.countText(text).upper)
  return (
    Math.ceil(wordTokens / BINDING_SHARE) +
    countPins(messages, pins, counter) +
    counter.countMessage(createSummaryMessage('')).upper
  )
}

// The share of a ledger that its words may take. It is less than what the tasks leave.
const BINDING_SHARE = LEDGER_SHARE * 0.8

interface LedgerOptions {
  readonly counter: TokenCounter
  readonly pins: readonly string[]
  readonly limitTokens: number
  readonly recall?: string
}

/** Carries the ledger of a conversation, which is read once, when first needed. */
export function carryLedger(given: Conversation, options: LedgerOptions): CarriedLedger {
  const { messages, workingDirectory } = given
  const { counter, pins, limitTokens, recall = '' } = options
  const countTokens = (text: string) => counter.countText(text).upper
  const read = once(() => createLedger({ messages, pins, workingDirectory }))
  const readPartTurns = once(() => {
    const { turns } = read()
    return new Map(
      messages.flatMap((message) =>
        message.parts.map((part: Part) => [part, turns.get(message) ?? 0]),
      ),
    )
  })
  // By the words that are missing: many results miss the same.
  const texts = new Map<string, string>()
  const ofResult = new WeakMap<readonly Message[], string>()
  const render = (output: readonly Message[]): string => {
    const known = ofResult.get(output) ?? renderBeside(output)
    ofResult.set(output, known)
    return known
  }
  const renderBeside = (output: readonly Message[]): string => {
    const { isKept, hasLostRecord, isComplete } = compareMessages(messages, output)
    if (pins.length === 0 && isComplete) return ''
    const ledger = read()
    const changed = listChanged(messages, output)
    const isChanged = ({ text, message = -1 }: UserWords) =>
      changed.some(
        (other) =>
          other.records === messages[message]?.records && other.text.startsWith(beginningOf(text)),
      )
    const isMissing = (one: UserWords) =>
      one.message === undefined || !(isKept(one.message) || isChanged(one))
    const missing = ledger.words.flatMap((one, index) => (isMissing(one) ? [index] : []))
    const words = missing.map((index) => ledger.words[index]!)
    const isNeeded = hasLostRecord || words.some(({ message }) => message !== undefined)
    if (pins.length === 0 && !isNeeded) return ''
    const key = missing.join()
    const text = texts.get(key) ?? renderLedger({ ...ledger, words }, { limitTokens, countTokens })
    texts.set(key, text)
    return text
  }
  // The message around the ledger, which may exist only for it, and the answer to that message.
  const frame = createSummaryMessage('', '', recall)
  const answer = findBridge(frame, undefined, given.protocol)
  const frameTokens =
    counter.countMessage(frame).upper + (answer ? counter.countMessage(answer).upper : 0)
  const isSilent = (text: string) => text === '' && recall === ''
  const measureReserve = once(() => {
    // A ledger that was cut at its limit may still grow up to it, if one of its lines turns out to
    // be kept.
    const text = renderLedger(read(), { limitTokens: Infinity, countTokens })
    return isSilent(text) ? 0 : Math.min(countTokens(text), limitTokens) + frameTokens
  })
  return {
    recall,
    get reserveTokens() {
      return measureReserve()
    },
    get pinnedTokens() {
      if (pins.length > 0) return measureReserve()
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
    turnsOf: (current) => followTurns(current, read().turns, readPartTurns()),
  }
}

/**
 * A message without its reasoning, or with a shorter result, is another object. Its parts show
 * which one it was. Otherwise the message before it does.
 */
function followTurns(
  messages: readonly Message[],
  known: Turns<Message>,
  ofParts: Turns<Part>,
): Turns<Message> {
  const turns = new Map<Message, number>()
  let turn = 0
  for (const message of messages) {
    const same = message.parts.find((part: Part) => ofParts.has(part))
    turn =
      known.get(message) ??
      (same && ofParts.get(same)) ??
      (isUserRequest(message) ? turn + 1 : turn)
    turns.set(message, turn)
  }
  return turns
}

type Turns<T> = ReadonlyMap<T, number>

/**
 * Finds what of a history is in a result, by the identity of parts: a message with other images
 * says the same.
 */
function compareMessages(messages: readonly Message[], output: readonly Message[]) {
  const parts = new Set<Part>(output.flatMap((message): readonly Part[] => message.parts))
  const isWhole = (message: Message, type: Part['type']) =>
    message.parts.every((part: Part) => part.type !== type || parts.has(part))
  /** Whether all words of a message are there, as the user wrote them. */
  const isKept = (index: number) =>
    messages[index] !== undefined &&
    isWhole(messages[index], 'text') &&
    isWhole(messages[index], 'tool-result') &&
    (messages[index].role !== 'system' || isWhole(messages[index], 'opaque')) &&
    messages[index].parts.every((part: Part) => !isCompaction(part) || parts.has(part))
  // Plans, commits and an earlier ledger are in no other message.
  const hasLostRecord = messages.some(
    (message) =>
      !isWhole(message, 'tool-call') || (!isWhole(message, 'text') && isSummary(message)),
  )
  const isQuotable = ({ role }: Message) => role === 'user' || role === 'system'
  const isComplete =
    !hasLostRecord && messages.every((message, index) => !isQuotable(message) || isKept(index))
  return { isKept, hasLostRecord, isComplete }
}

/**
 * The user's messages that were clipped but not removed. They have the same records as before. How
 * they begin is not enough: many messages may begin with the same words.
 */
function listChanged(messages: readonly Message[], output: readonly Message[]) {
  const known = new Set(messages)
  return output.flatMap((message) =>
    message.origin === 'user' && !known.has(message)
      ? [{ records: message.records, text: readText(message) }]
      : [],
  )
}

/** Whether a message stays as it is under the edits. */
export function findStaying(edits: readonly Edit[]): (message: number) => boolean {
  const gone = new Set<number>()
  for (const edit of edits) for (let index = edit.start; index < edit.end; index++) gone.add(index)
  for (const edit of edits)
    if (edit.type === 'summarize') for (const index of edit.keep) gone.delete(index)
  return (message) => !gone.has(message)
}

function sayIn(
  conversation: Conversation,
  ledger: string,
  recall: string,
  place: number | undefined,
): Conversation {
  const { messages } = conversation
  const say = (start: number, end: number, message: Message) =>
    apply(conversation, [{ type: 'replace', start, end, messages: [message] }])
  const compaction = findCompaction(messages)
  const index = messages.findIndex(
    (message, position) => position > compaction && isSummary(message),
  )
  if (index >= 0) {
    const summary = messages[index]!
    const renewed = renewSummary(summary, ledger, recall)
    return readText(renewed) === readText(summary) ? conversation : say(index, index + 1, renewed)
  }
  const cutPoints = findCutPoints(messages)
  const wanted = Math.max(place ?? 0, cutPoints.fixedEnd)
  const start = cutPoints.nearestCut(wanted, 'backward') ?? wanted
  return say(start, start, createSummaryMessage('', ledger, recall))
}

/** Parts that are not given stay as they were. An earlier original is still where it was kept. */
export function renewSummary(message: Message, ledger: string, recall: string): Message {
  return createSummaryMessage(
    redactSecrets(readSummary(message) ?? ''),
    ledger || redactSecrets(readLedgerText(message) ?? ''),
    recall || readRecallText(message),
  )
}
