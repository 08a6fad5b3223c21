import { findBridge } from '../conversation/apply.ts'
import type { Edit, SettledEdit } from '../conversation/edit.ts'
import type { Conversation, Message } from '../conversation/message.ts'
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

/** What the person settled, and where it has to be said again because the message that says it goes. */
export interface CarriedLedger {
  /** Empty when all of it still stands where it was said; never more than `limitTokens`. */
  render(edits: readonly Edit[]): string
  /** Whether it has to be said even where nothing that was said goes: the person pinned something now. */
  readonly isPinned: boolean
  /** How the model looks up what was removed; empty where it cannot. It stands wherever anything was removed. */
  readonly recall: string
  /** Room that has to be left for both, whatever the edits; of the ledger never more than the limit. */
  readonly reserveTokens: number
  /** Room for what is said even where nothing that was said goes. */
  readonly standingTokens: number
  /** Standing instructions said in one message. */
  directivesOf(message: number): readonly string[]
}

// A ledger may take this much besides its pins, and never more than half of the room there is.
export const LEDGER_TOKENS = 2000
const LEDGER_SHARE = 0.5

export interface LedgerRoom {
  readonly limitTokens: number
  /** Of everything that is pinned, now or in an earlier ledger. */
  readonly pinTokens: number
}

/** How large a ledger may be. Pins that are above the limit have to be refused: they would vanish. */
export function findLedgerRoom(
  { messages }: Conversation,
  pins: readonly string[],
  counter: TokenCounter,
  roomTokens: number,
): LedgerRoom {
  const pinned = createLedger({ messages: messages.filter(isSummary), pins }).pins
  const ledger: Ledger = { pins: pinned, directives: [], ended: [], tasks: [] }
  const countTokens = (text: string) => counter.countText(text).upper
  const pinTokens = countTokens(renderLedger(ledger, { limitTokens: Infinity, countTokens }))
  const half = Math.max(Math.floor(roomTokens * LEDGER_SHARE), 0)
  return { limitTokens: Math.min(LEDGER_TOKENS + pinTokens, half), pinTokens }
}

interface LedgerOptions {
  readonly counter: TokenCounter
  readonly pins: readonly string[]
  readonly limitTokens: number
  readonly recall?: string | undefined
  /** Which messages still say all they said, where edits are planned over a conversation with some of them clipped. */
  readonly isIntact?: (message: number) => boolean
}

/** Reads the whole conversation once, at the first need. */
export function carryLedger(
  { messages, workingDirectory, protocol }: Conversation,
  options: LedgerOptions,
): CarriedLedger {
  const { counter, pins, limitTokens, recall = '', isIntact = () => true } = options
  const countTokens = (text: string) => counter.countText(text).upper
  let known: Ledger | undefined
  const read = () => {
    known ??= createLedger({ messages, pins, ...(workingDirectory !== undefined && { workingDirectory }) })
    return known
  }
  // With the message around it, which there may be no other reason for, and the answer that it is given.
  const frame = createSummaryMessage('', '', recall)
  const answer = findBridge(frame, undefined, protocol)
  const frameTokens = [frame, ...(answer ? [answer] : [])].reduce(
    (sum, one) => sum + counter.countMessage(one).upper,
    0,
  )
  const recallTokens = recall === '' ? 0 : frameTokens
  let reserveTokens: number | undefined
  return {
    isPinned: pins.length > 0,
    recall,
    get reserveTokens() {
      // Cut at its limit, a ledger may still grow up to it when one of its lines turns out to be kept.
      const ledgerTokens = countTokens(renderLedger(read(), { limitTokens: Infinity, countTokens }))
      reserveTokens ??= Math.min(ledgerTokens, limitTokens) + recallTokens
      return reserveTokens
    },
    get standingTokens() {
      return pins.length > 0 ? this.reserveTokens : recallTokens
    },
    render(edits) {
      const stays = findStaying(edits)
      const isKept = (message: number) => stays(message) && isIntact(message)
      return renderLedger(read(), { limitTokens, countTokens, isKept })
    },
    directivesOf: (message) =>
      read().directives.flatMap((directive) => (directive.message === message ? [directive.text] : [])),
  }
}

/** Whether a message stays as it is under the edits. */
export function findStaying(edits: readonly Edit[]): (message: number) => boolean {
  const gone = new Set<number>()
  for (const edit of edits) for (let index = edit.start; index < edit.end; index++) gone.add(index)
  for (const edit of edits) if (edit.type === 'summarize') for (const index of edit.keep) gone.delete(index)
  return (message) => !gone.has(message)
}

/**
 * Edits without a summary that say the ledger, and how to look up what goes, all the same: in the summary that stays, in a
 * message at the place of the first drop, or, where nothing is dropped, in one before all others.
 */
export function addLedger(
  conversation: Conversation,
  edits: readonly SettledEdit[],
  ledger: string,
  recall: string,
): SettledEdit[] {
  const { messages } = conversation
  const stays = findStaying(edits)
  const summary = messages.findIndex((message, index) => stays(index) && isSummary(message))
  if (summary >= 0) {
    const renewed = [renewSummary(messages[summary]!, ledger, recall)]
    const edit: SettledEdit = { type: 'replace', start: summary, end: summary + 1, messages: renewed }
    return [...edits, edit].sort((a, b) => a.start - b.start)
  }
  const first = edits.findIndex(({ type }) => type === 'drop')
  const systemEnd = messages.findIndex(({ role }) => role !== 'system')
  const start = edits[first]?.start ?? systemEnd
  const end = edits[first]?.end ?? systemEnd
  const edit: SettledEdit = { type: 'replace', start, end, messages: [createSummaryMessage('', ledger, recall)] }
  return first < 0 ? [edit, ...edits] : edits.map((other, index) => (index === first ? edit : other))
}

/** What is not said anew stays as it was said: an earlier original is still where it was kept. */
export function renewSummary(message: Message, ledger: string, recall: string): Message {
  return createSummaryMessage(
    redactSecrets(readSummary(message) ?? ''),
    ledger || redactSecrets(readLedgerText(message) ?? ''),
    recall || readRecallText(message),
  )
}
