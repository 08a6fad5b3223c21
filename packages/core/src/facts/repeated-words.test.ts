import { describe, expect, test } from 'vitest'
import type { Message } from '../conversation/message.ts'
import { createSummaryMessage } from '../conversation/summary-message.ts'
import { writeLedger } from './ledger-record.ts'
import { withoutRepeatedWords } from './repeated-words.ts'

const says = (text: string): Message => ({ role: 'user', origin: 'user', parts: [{ type: 'text', text }] })
const answers = (text: string): Message => ({ role: 'assistant', origin: 'agent', parts: [{ type: 'text', text }] })

function summarize(...texts: string[]): Message {
  const words = texts.map((text, place) => ({ turn: place + 1, text }))
  return createSummaryMessage('', writeLedger({ pins: [], words, omitted: { count: 0, lastTurn: 0 }, tasks: [] }))
}

describe('withoutRepeatedWords', () => {
  test('drops what the summary quotes last and its agent kept beside it', () => {
    const [summary, b, x, c, d] = [summarize('a', 'b', 'c'), says('b'), answers('x'), says('c'), says('d')]
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
