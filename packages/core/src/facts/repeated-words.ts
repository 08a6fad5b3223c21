import type { Message } from '../conversation/message.ts'
import {
  createSummaryMessage,
  readLedgerText,
  readRecallText,
  readSummary,
} from '../conversation/summary-message.ts'
import { parseLedger, writeLedger } from './ledger-record.ts'
import { readUserWords } from './user-words.ts'

/**
 * Messages that begin with a summary, without those of the user that it quotes last: an agent that
 * keeps its newest messages beside a summary sends them twice.
 *
 *   summary, whose ledger ends in  a b c  │  b … c … d   ─►   summary │ … … d
 */
export function withoutRepeatedWords(messages: readonly Message[]): Message[] {
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
 * A summary without the words of the user that it quotes and that stand before it: an agent that
 * keeps what was typed sends them twice.
 *
 *   b  c │ summary, whose ledger says  a b c d     ─►     b  c │ summary, whose ledger says  a d
 */
export function withoutQuotesOf(summary: Message, before: readonly Message[]): Message {
  const prose = readSummary(summary)
  const ledger = readLedgerText(summary)
  if (prose === undefined || ledger === undefined) return summary
  const { words, omitted } = readUserWords([...before, summary])
  const quoted = words.filter(({ message }) => message === undefined)
  const record = parseLedger(ledger)
  if (quoted.length === record.words.length) return summary
  return createSummaryMessage(
    prose,
    writeLedger({ ...record, words: quoted, omitted }),
    readRecallText(summary),
  )
}
