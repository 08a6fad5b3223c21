/** Everything the user and the operator said, in order. */

import { asksUser, readAnswers, readRefusal } from '../actions/answers.ts'
import { readOutcomes } from '../actions/outcome.ts'
import { readToolCalls, showsContent, unfoldCall } from '../actions/tool-calls.ts'
import {
  aListOfMessages,
  aMessage,
  checkArguments,
  checkValue,
} from '../conversation/check-options.ts'
import { findSystemEnd } from '../conversation/compaction.ts'
import { readOwnText } from '../conversation/injected-text.ts'
import { addTo } from '../conversation/lists.ts'
import {
  type Message,
  type Part,
  renderPart,
  type ToolCallPart,
  type ToolResultPart,
} from '../conversation/message.ts'
import {
  createSummaryMessage,
  readLedgerText,
  readRecallText,
  readSummary,
} from '../conversation/summary-message.ts'
import { isUserRequest } from '../conversation/turns.ts'
import { redactSecrets } from '../secrets/redact-secrets.ts'
import { cutBefore } from '../text/clip-line.ts'
import { beginningOf, isClipped } from './clip-words.ts'
import {
  type OmittedWords,
  parseLedger,
  type UserRecord,
  type UserWords,
  writeLedger,
} from './ledger-record.ts'

const LONGEST_ABOUT = 160

/** What the user said in a conversation. */
export interface SaidWords extends UserRecord {
  /**
   * The number of the request that each message belongs to. Messages after a summary continue its
   * numbers.
   */
  readonly turns: ReadonlyMap<Message, number>
}

/**
 * The author of a system message in the middle of a conversation. Its words bind at least as much
 * as the user's.
 */
export const OPERATOR = 'the operator'

/** The author of a provider's compaction. Nothing else contains what it stands for. */
export const PROVIDER = 'a summary by the provider'

/** How the author of words with a refused call begins, before the name of the tool. */
export const REFUSING = 'refusing '

/**
 * Everything that a message says, except what an agent wraps as its own. An operator also gives and
 * takes tools, in parts that are only carried.
 */
export function readOwnWords({ role, parts }: Message): string {
  const read = (part: Part): string => {
    if (part.type === 'text') return readOwnText(part.text)
    return role === 'system' && part.type === 'opaque' ? part.text : ''
  }
  return parts.map(read).join('\n')
}

/** Nothing is inferred: no message contradicts or ends another. */
export function readUserWords(messages: readonly Message[]): SaidWords {
  const words: UserWords[] = []
  const calls = new Map<string, ToolCallPart>()
  let omitted: OmittedWords = { count: 0, lastTurn: 0 }
  let turn = 0
  const marksFailures = messages.some(({ parts }) =>
    parts.some((part) => part.type === 'tool-result' && part.isError),
  )
  const say = (text: string, message: number, about?: string) => {
    const said = redactSecrets(text).trim()
    if (said !== '')
      words.push({
        turn,
        text: said,
        message,
        about: about === undefined ? undefined : cleanAbout(about),
      })
  }
  const systemEnd = findSystemEnd(messages)
  const orders = new Set<string>()
  const read = (message: Message, index: number) => {
    if (message.role === 'system' || (message.role === 'user' && message.isOperator)) {
      const text = readOwnWords(message)
      // A host may repeat its words at every request.
      if (index >= systemEnd && orders.size < orders.add(text).size) say(text, index, OPERATOR)
      return
    }
    if (isUserRequest(message)) {
      turn++
      say(readOwnWords(message), index)
      return
    }
    const ledger = readLedgerText(message)
    if (ledger !== undefined) {
      const earlier = parseLedger(ledger)
      const again = joinQuoted(words, earlier.words.map(cleanQuoted))
      const count = omitted.count + Math.max(earlier.omitted.count - again, 0)
      omitted = { count, lastTurn: Math.max(omitted.lastTurn, earlier.omitted.lastTurn) }
      turn = Math.max(turn, omitted.lastTurn, ...earlier.words.slice(-1).map((last) => last.turn))
      return
    }
    for (const part of message.parts) {
      if (part.compaction?.text !== undefined) say(part.compaction.text, index, PROVIDER)
      if (part.type === 'tool-call') calls.set(part.callId, part)
      else if (part.type === 'tool-result') {
        const call = calls.get(part.callId)
        for (const { text, about } of readSaid(part, call, marksFailures)) say(text, index, about)
      }
    }
  }
  const turns = new Map<Message, number>()
  messages.forEach((message, index) => {
    read(message, index)
    turns.set(message, turn)
  })
  return { words, omitted, turns }
}

/** What the user said in a result: words with a refusal, or answers to questions. */
function readSaid(
  result: ToolResultPart,
  call: ToolCallPart | undefined,
  marksFailures: boolean,
): { readonly text: string; readonly about: string }[] {
  const asked = call === undefined ? [] : unfoldCall(call)
  const isAsked = asked.some(({ name }) => asksUser(name))
  const readActions = () => (call === undefined ? [] : readToolCalls(call, undefined))
  // A refusal counts only if failures are marked. Otherwise it may be the content of a file.
  const mayRefuse = () => !marksFailures && !readActions().some(showsContent)
  if (!isAsked && !result.isError && !mayRefuse()) return []
  const refusal = readRefusal(renderPart(result))
  if (refusal !== undefined)
    return [{ text: refusal, about: `${REFUSING}${call?.name ?? result.name ?? 'a tool'}` }]
  if (!isAsked || result.isError) return []
  const outcomes = readOutcomes(result, readActions())
  return asked.flatMap((one, place) => {
    const answers = asksUser(one.name) ? readAnswers(one, outcomes[place]?.text ?? '') : []
    return answers.map(({ question, text }) => ({ text, about: `answer to: ${question}` }))
  })
}

/**
 * A ledger contains everything that was said before it. If words come before a ledger, because an
 * agent keeps its latest messages next to a compaction, they are joined. The ledger knows the order:
 * an agent may move what it keeps. Returns how many words it does not quote.
 *
 *   b  c  d │ ledger: a b d │ e     ─►     a  b  c  d  e
 */
function joinQuoted(words: UserWords[], quoted: readonly UserWords[]): number {
  const places = new Map<string, UserWords[][]>()
  // What is quoted, each with the words behind it that are not.
  const joined = quoted.map((one) => {
    const list = [one]
    addTo(places, beginningOf(one.text), list)
    return list
  })
  // The newest first: an agent keeps its latest messages.
  const found = new Map(
    words.toReversed().map((said) => [said, places.get(beginningOf(said.text))?.pop()]),
  )
  const first: UserWords[] = []
  let list = first
  for (const said of words) {
    const place = found.get(said)
    const one = place?.[0]
    if (place && one && (said.text === one.text || isClipped(one.text))) {
      list = place
      list[0] = { ...one, text: said.text, message: said.message }
    } else list.push(said)
  }
  words.splice(0, words.length, ...first, ...joined.flat())
  return words.length - quoted.length
}

// Message by message: a key that one begins does not end in another.
const cleanQuoted = ({ text, about, ...one }: UserWords): UserWords => ({
  ...one,
  text: redactSecrets(text),
  ...(about !== undefined && { about: redactSecrets(about) }),
})

const cleanAbout = (text: string): string => {
  const flat = redactSecrets(text)
    .replace(/[\s\]]+/g, ' ')
    .trim()
  return flat.length <= LONGEST_ABOUT ? flat : `${cutBefore(flat, LONGEST_ABOUT - 1).trimEnd()}…`
}

/**
 * Messages that begin with a summary, without the user's messages that the end of the summary
 * quotes. An agent that keeps its latest messages next to a summary sends them twice.
 *
 *   summary, whose ledger ends in  a b c  │  b … c … d   ─►   summary │ … … d
 */
export function withoutRepeatedWords(messages: readonly Message[]): Message[] {
  checkValue('Finding repeated words', 'messages', messages, aListOfMessages)
  const [summary, ...others] = messages
  if (!summary) return []
  const quoted = readUserWords([summary]).words.map(({ text }) => text)
  const said = readUserWords(others).words
  for (let count = Math.min(quoted.length, said.length); count > 0; count--) {
    const repeated = said.slice(0, count)
    if (!repeated.every(({ text }, place) => text === quoted[quoted.length - count + place]))
      continue
    const dropped = new Set(repeated.map(({ message }) => message))
    // An answer to a question stays with the call that asked it.
    return [summary, ...others.filter(({ role }, place) => role !== 'user' || !dropped.has(place))]
  }
  return [...messages]
}

/**
 * A summary without the quoted words of the user that also come before it. An agent that keeps what
 * was typed sends them twice.
 *
 *   b  c │ summary, whose ledger says  a b c d     ─►     b  c │ summary, whose ledger says  a d
 */
export function withoutQuotesOf(summary: Message, before: readonly Message[]): Message {
  checkArguments(
    'Finding repeated words',
    { summary, before },
    { summary: aMessage, before: aListOfMessages },
  )
  const prose = readSummary(summary)
  const ledger = readLedgerText(summary)
  if (prose === undefined || ledger === undefined) return summary
  const record = parseLedger(ledger)
  // What an earlier summary quotes is said there.
  const words = readUserWords(before).words.map((said) => ({ ...said, message: said.message ?? 0 }))
  const again = joinQuoted(words, record.words)
  const quoted = words.filter(({ message }) => message === undefined)
  if (quoted.length === record.words.length) return summary
  const omitted = {
    ...record.omitted,
    count: Math.max(record.omitted.count - again, 0),
  }
  return createSummaryMessage(
    prose,
    writeLedger({ ...record, words: quoted, omitted }),
    readRecallText(summary),
  )
}
