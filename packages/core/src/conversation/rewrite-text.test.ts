import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { rewriteText } from './apply.ts'
import { agent, conversationOf, histories, person, result } from './histories.suite.ts'
import { checkInvariants } from './invariants/index.ts'
import { type AssistantMessage, type Part, readText } from './message.ts'

const NONE: ReadonlySet<Part> = new Set()
const call = { type: 'tool-call', callId: 'a', name: 'read', input: {} } as const
const signed = { type: 'reasoning', text: 'hm', signatureLength: 200 } as const
const text = (words: string) => ({ type: 'text', text: words }) as const
const answerOf = (...parts: AssistantMessage['parts']): AssistantMessage => ({
  role: 'assistant',
  origin: 'agent',
  parts,
})

describe('rewriteText', () => {
  test('puts one text at the place of the first and keeps all else, identical and in order', () => {
    const image = { type: 'image', mediaType: 'image/png', bytes: 10 } as const
    const message = answerOf(signed, text('first'), call, text('second'), image)
    const { parts } = rewriteText(message, 'short', NONE)
    expect(parts).toEqual([signed, text('short'), call, image])
    expect(parts[0]).toBe(signed)
    expect(parts[2]).toBe(call)
    expect(parts[3]).toBe(image)
  })

  test('keeps further texts that are tied to other parts, and no others that mention something', () => {
    const mentions = [{ key: 'citations.url', id: 'https://example.com' }]
    const tied = { ...text('tied'), mentions }
    const message = answerOf(text('first'), { ...text('cited'), mentions }, tied, tied)
    const { parts } = rewriteText(message, 'short', new Set([tied]))
    expect(parts).toEqual([{ ...tied, text: 'short' }, tied])
    expect(rewriteText(message, 'short', NONE).parts).toEqual([text('short')])
  })

  test('never leaves signed reasoning at the end', () => {
    const message = answerOf(text('first'), signed, text('second'))
    const rewritten = rewriteText(message, 'short', NONE)
    expect(rewritten.parts).toEqual([signed, text('short')])
    expect(checkInvariants(conversationOf([person('a'), rewritten], 'anthropic-messages'))).toEqual(
      [],
    )
  })

  test('keeps the native block of the first text, so that it stays where it was in its document', () => {
    const native = { record: 4 }
    expect(rewriteText(answerOf({ ...text('long'), native }), 'short', NONE).parts).toEqual([
      { ...text('short'), native },
    ])
  })

  test.each([
    ['has no text', answerOf(call), 'short'],
    ['would become blank', agent('long'), ' \n'],
    ['is a result', result('a'), 'short'],
  ])('leaves a message alone that %s', (_, message, words) => {
    expect(rewriteText(message, words, NONE)).toBe(message)
  })

  test('breaks no rule in any history', { tags: 'property' }, () => {
    fc.assert(
      fc.property(histories, ({ messages }) => {
        const before = checkInvariants(conversationOf(messages))
        const rewritten = messages.map((message) => rewriteText(message, 'short', NONE))
        expect(checkInvariants(conversationOf(rewritten))).toEqual(before)
        rewritten.forEach((message, index) => {
          const original = messages[index]
          if (message !== original) expect(readText(message)).toBe('short')
          else expect(readText(message)).toBe('')
        })
      }),
    )
  })
})
