import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type {
  AssistantMessage,
  ContentPart,
  Conversation,
  Message,
} from '../conversation/message.ts'
import { createSummaryMessage, isSummary, readSummary } from '../conversation/summary-message.ts'
import {
  agent,
  answer,
  call,
  clear,
  conversationOf,
  countTokens,
  image,
  lines,
  outputsOf,
  person,
  system,
  testClearing,
} from './clearing.suite.ts'
import { clipParts } from './clip-parts.ts'
import { clipText } from './clip-text.ts'
import { testStrategy } from './strategy.suite.ts'

testStrategy(clipParts, { clipsRequest: true })
testClearing(clipParts, 'clip-parts', { goesOn: true })

const textOf = ({ messages }: Conversation, index: number) => {
  const [part] = messages[index]!.parts
  return part?.type === 'text' ? part.text : ''
}

describe('clip-parts', () => {
  test('clips the largest down to one size and leaves the smaller ones', () => {
    const sizes = [600, 100, 300, 10]
    const messages = sizes.flatMap((size, index) => [
      call(`${index}`, 'Bash', {}),
      answer(`${index}`, lines(size)),
    ])
    const base = conversationOf([person('start'), ...messages, agent('done')])
    const outputs = Object.values(
      outputsOf(clear(clipParts, base, Math.floor(countTokens(base) * 0.5))),
    )
    expect(outputs[1]).toBe(lines(100))
    expect(outputs[3]).toBe(lines(10))
    expect(outputs[0]!.length).toBeLessThan(lines(300).length)
    expect(Math.abs(outputs[0]!.length - outputs[2]!.length)).toBeLessThan(0.1 * outputs[0]!.length)
  })

  test('keeps head and tail and says how much was cut', () => {
    const base = conversationOf([
      person('start'),
      agent(`BEGIN ${lines(500)} END`),
      person('go on'),
    ])
    const clipped = textOf(clear(clipParts, base, 300), 1)
    expect(clipped).toMatch(/^BEGIN line 0.*\n\[… \d+ of \d+ characters cut …\]\n.*END$/s)
  })

  test('comes within its target, not far below it', () => {
    const base = conversationOf([
      person('start'),
      ...Array.from({ length: 20 }, (_, index) => agent(lines(20 * index))),
    ])
    for (const share of [0.1, 0.3, 0.6, 0.9]) {
      const target = Math.floor(countTokens(base) * share)
      const left = countTokens(clear(clipParts, base, target))
      expect(left).toBeLessThanOrEqual(target)
      expect(left).toBeGreaterThan(target * 0.85)
    }
  })

  test('leaves the last request whole as long as something else suffices', () => {
    const base = conversationOf([person(lines(100)), agent(lines(100)), person(lines(100))])
    expect(clear(clipParts, base, Math.floor(countTokens(base) * 0.5)).messages[2]).toBe(
      base.messages[2],
    )
    const tight = clear(clipParts, base, Math.floor(countTokens(base) * 0.2))
    expect(textOf(tight, 2)).toContain('characters cut')
    expect(tight.messages[2]).toMatchObject({ role: 'user', origin: 'user' })
  })

  test('clips a summary only after everything but the last request, and leaves it a summary', () => {
    const base = conversationOf([
      createSummaryMessage(lines(200)),
      agent(lines(100)),
      person('go on'),
    ])
    expect(clear(clipParts, base, Math.floor(countTokens(base) * 0.8)).messages[0]).toBe(
      base.messages[0],
    )
    const tight = clear(clipParts, base, 300)
    expect(isSummary(tight.messages[0]!)).toBe(true)
    expect(readSummary(tight.messages[0]!)).toContain('line 0')
  })

  test('clips a summary next to words of a host, and leaves these', () => {
    const summary = createSummaryMessage(lines(200))
    const words = { type: 'text' as const, text: 'The host says what follows.' }
    const message = { ...summary, parts: [words, ...summary.parts] } as Message
    const base = conversationOf([message, agent('done'), person('go on')])
    const tight = clear(clipParts, base, 600)
    expect(countTokens(tight)).toBeLessThanOrEqual(600)
    expect(tight.messages[0]!.parts).toHaveLength(2)
    expect(tight.messages[0]!.parts[0]).toBe(words)
    expect(readSummary(tight.messages[0]!)).toContain('line 0')
  })

  test('never touches system prompts and calls that wait', () => {
    const waiting = call('w', 'Write', { content: lines(300) })
    const base = conversationOf([system(lines(300)), person('start'), waiting])
    expect(clear(clipParts, base, 100)).toBe(base)
  })

  test('clips the strings of an input and keeps it JSON', () => {
    const input = {
      path: 'src/a.ts',
      content: lines(400),
      edits: [{ old: 'short', new: lines(300) }],
      count: 7,
    }
    for (const given of [input, JSON.stringify(input)]) {
      const base = conversationOf([
        person('start'),
        call('a', 'Write', given),
        answer('a', 'ok'),
        agent('done'),
      ])
      const [part] = clear(clipParts, base, Math.floor(countTokens(base) * 0.3)).messages[1]!.parts
      const after = part?.type === 'tool-call' ? part.input : undefined
      expect(typeof after).toBe(typeof given)
      const read = typeof after === 'string' ? JSON.parse(after) : after
      expect(read).toMatchObject({ path: 'src/a.ts', edits: [{ old: 'short' }], count: 7 })
      expect(read.content).toContain('characters cut')
    }
  })

  test('drops signed reasoning instead of clipping it, and never that of the newest answer', () => {
    const think = (text: string): AssistantMessage => ({
      ...agent(text),
      parts: [{ type: 'reasoning', text: lines(100), signatureLength: 300 }, ...agent(text).parts],
    })
    const base = conversationOf(
      [person('start'), think('one'), person('next'), think('two')],
      'anthropic-messages',
    )
    const after = clear(clipParts, base, Math.floor(countTokens(base) * 0.6))
    expect(after.messages[1]).toEqual(agent('one'))
    expect(after.messages[3]).toBe(base.messages[3])
  })

  test('puts a line in the place of an image that is larger than the cap', () => {
    const base = conversationOf([
      person('start'),
      call('a', 'shot', {}),
      answer('a', [image()]),
      agent('done'),
    ])
    expect(outputsOf(clear(clipParts, base, 60)).a).toMatch(/^\[image /)
  })

  test('never makes a text longer, however much its message counts', () => {
    const base = conversationOf([
      {
        role: 'user',
        origin: 'user',
        parts: [
          { ...image(80), width: 40, height: 30 } as ContentPart,
          { type: 'text', text: 'See 10' },
        ],
      },
      agent(lines(40)),
      person('go on'),
    ])
    for (const target of [1, 20, 60, 200])
      expect(JSON.stringify(clear(clipParts, base, target))).toContain('"See 10"')
  })

  test('leaves out what a host puts around an output', () => {
    const output = `${lines(300)}\n<system-reminder>\nmind the gap\n</system-reminder>`
    const base = conversationOf([
      person('start'),
      call('a', 'Read', {}),
      answer('a', output),
      agent('done'),
    ])
    expect(outputsOf(clear(clipParts, base, 500)).a).not.toContain('system-reminder')
  })
})

/** Half of a pair of surrogates. */
const HALF = /\p{Surrogate}/u

describe('clipText', () => {
  test('gives at most the length that was asked for and splits no pair of surrogates', {
    tags: 'property',
  }, () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 400 }),
        fc.integer({ min: 0, max: 300 }),
        (text, length) => {
          const clipped = clipText(text, length)
          expect(clipped.length).toBeLessThanOrEqual(Math.max(length, 0))
          if (!HALF.test(text)) expect(clipped).not.toMatch(HALF)
          if (text.length <= length) expect(clipped).toBe(text)
        },
      ),
    )
  })

  test('tells what an earlier cut took, if its note is not there any more', () => {
    const text = 'x'.repeat(100_000)
    const again = clipText(clipText(text, 4_000), 1_000)
    const [, cut, of] = /\[… (\d+) of (\d+) characters cut …\]/.exec(again) ?? []
    const shown = again.replace(/[^x]/g, '').length
    expect(again.length).toBeLessThanOrEqual(1_000)
    expect(Number(of) - Number(cut)).toBe(shown)
    expect(Number(of)).toBeGreaterThanOrEqual(100_000)
    expect(Number(of)).toBeLessThan(100_050)
  })

  test('tells how many characters are not there', () => {
    const text = 'x'.repeat(5000)
    for (const length of [200, 999, 4100]) {
      const clipped = clipText(text, length)
      const [, cut] = /\[… (\d+) of 5000 characters cut …\]/.exec(clipped) ?? []
      expect(Number(cut)).toBe(5000 - clipped.replace(/[^x]/g, '').length)
    }
  })
})
