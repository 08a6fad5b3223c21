import { describe, expect, test } from 'vitest'
import type { Message } from '../conversation/message.ts'
import { createSummaryMessage, readLedgerText } from '../conversation/summary-message.ts'
import { parseLedger, writeLedger } from './ledger-record.ts'
import { withoutQuotesOf, withoutRepeatedWords } from './user-words.ts'

const says = (text: string): Message => ({
  role: 'user',
  origin: 'user',
  parts: [{ type: 'text', text }],
})
const answers = (text: string): Message => ({
  role: 'assistant',
  origin: 'agent',
  parts: [{ type: 'text', text }],
})

function summarize(...texts: string[]): Message {
  const words = texts.map((text, place) => ({ turn: place + 1, text }))
  return createSummaryMessage(
    '',
    writeLedger({ pins: [], words, omitted: { count: 0, lastTurn: 0 }, tasks: [] }),
  )
}

describe('withoutRepeatedWords', () => {
  test('drops what the summary quotes last and its agent kept beside it', () => {
    const [summary, b, x, c, d] = [
      summarize('a', 'b', 'c'),
      says('b'),
      answers('x'),
      says('c'),
      says('d'),
    ]
    expect(withoutRepeatedWords([summary, b, x, c, d])).toEqual([summary, x, d])
  })

  test('takes the longest stretch that is quoted', () => {
    const [summary, one, two] = [summarize('go on', 'go on'), says('go on'), says('go on')]
    expect(withoutRepeatedWords([summary, one, two])).toEqual([summary])
  })

  test.each([
    ['other words', ['a'], ['b']],
    ['words that are quoted before others', ['a', 'b'], ['a']],
    ['nothing that is quoted', [], ['a']],
    ['words of which only some are quoted', ['a', 'b'], ['b and more']],
  ])('keeps %s', (_, quoted, said) => {
    const messages = [summarize(...quoted), ...said.map(says)]
    expect(withoutRepeatedWords(messages)).toEqual(messages)
  })

  test('of nothing is nothing', () => expect(withoutRepeatedWords([])).toEqual([]))
})

describe('withoutQuotesOf', () => {
  const read = (message: Message) =>
    parseLedger(readLedgerText(message) ?? '').words.map(({ turn, text }) => [turn, text])

  test('leaves out what stands before the summary, and keeps the numbers of the rest', () => {
    const summary = summarize('a', 'b', 'c', 'd')
    expect(read(withoutQuotesOf(summary, [says('b'), answers('x'), says('c')]))).toEqual([
      [1, 'a'],
      [4, 'd'],
    ])
  })

  test('leaves out what an earlier summary quotes, and what its agent moved', () => {
    const summary = summarize('hi', 'a', 'hi', 'b', 'moved', 'c', 'hi', 'd')
    const before = [summarize('hi', 'a', 'hi', 'b'), says('c'), says('moved'), says('d')]
    expect(read(withoutQuotesOf(summary, before))).toEqual([[1, 'hi']])
  })

  test('leaves one of equal words for each that stands there', () => {
    const shorter = withoutQuotesOf(summarize('go on', 'go on', 'stop'), [
      says('go on'),
      says('stop'),
    ])
    expect(read(shorter)).toEqual([[1, 'go on']])
  })

  test('keeps what stands there only in part', () => {
    const summary = summarize('a long message')
    expect(withoutQuotesOf(summary, [says('a long …')])).toBe(summary)
  })

  test('keeps how to recall, and the prose', () => {
    const words = [{ turn: 1, text: 'a' }]
    const ledger = writeLedger({ pins: [], words, omitted: { count: 0, lastTurn: 0 }, tasks: [] })
    const summary = createSummaryMessage('prose', ledger, 'call recall')
    expect(withoutQuotesOf(summary, [says('a')])).toEqual(
      createSummaryMessage('prose', '', 'call recall'),
    )
  })

  test('of no summary is that message', () =>
    expect(withoutQuotesOf(says('a'), [says('a')])).toEqual(says('a')))
})
