import { describe, expect, test } from 'vitest'
import type { ContentPart, Conversation, Part, UserMessage } from '../conversation/message.ts'
import { clearImages } from './clear-images.ts'
import {
  agent,
  answer,
  call,
  carryOut,
  conversationOf,
  image,
  outputsOf,
  person,
  testClearing,
} from './clearing.suite.ts'
import { testStrategy, viewOf } from './strategy.suite.ts'
import type { StrategyOptions } from './strategy.ts'

testStrategy(clearImages)
testClearing(clearImages)

const file: ContentPart = { type: 'file', mediaType: 'application/pdf', bytes: 300_000 }
const show = (text: string, ...media: readonly ContentPart[]): UserMessage => ({
  ...person(text),
  parts: [...person(text).parts, ...media],
})
const shot = (id: string, ...media: readonly ContentPart[]) => [
  call(id, 'shot', {}),
  answer(id, media),
]
const history = conversationOf([
  show('first', image(), file),
  ...shot('a', image(), image()),
  ...shot('b', image()),
  show('last', image()),
])

/** Types of the media that are left, in order. */
function media({ messages }: Conversation): string {
  const all: Part[] = []
  for (const { parts } of messages)
    for (const part of parts) all.push(...(part.type === 'tool-result' ? part.output : [part]))
  return all
    .filter(({ type }) => type === 'image' || type === 'file')
    .map(({ type }) => type[0])
    .join('')
}

function run(options: Partial<StrategyOptions>, conversation = history): Conversation {
  return carryOut(
    conversation,
    clearImages.plan(viewOf(conversation), { targetTokens: Infinity, ...options }),
  )
}

describe('clear-images', () => {
  test('clears the oldest images until there are as few as asked for, files not counted', () => {
    expect(media(history)).toBe('ifiiii')
    expect(media(run({ limits: { images: 4 } }))).toBe('fiiii')
    expect(media(run({ limits: { images: 2 } }))).toBe('fii')
  })

  test('clears those of the last request only when nothing else is left', () => {
    const after = run({ limits: { images: 1 } })
    expect(after.messages.at(-1)).toBe(history.messages.at(-1))
    expect(media(run({ limits: { images: 0 } }))).toBe('f')
  })

  test('clears one image of a result and leaves the other', () => {
    const after = run({ limits: { images: 3 } })
    expect(outputsOf(after).a).toBe('[image image/png 800×600, 88 KB: cleared]|image')
  })

  test('clears files too for a limit in bytes', () => {
    const { bytesBefore } = viewOf(history)
    expect(media(run({ limits: { bytes: bytesBefore.at(-1)! - 200_000 } }))).toBe('iiii')
  })

  test('clears for a limit in tokens, as far as needed', () => {
    const total = viewOf(history).tokensBefore.at(-1)!
    expect(media(run({ targetTokens: total - 10 }))).toBe('fiiii')
    expect(media(run({ targetTokens: 0 }))).toBe('')
  })

  test('says what stood there', () => {
    const [, picture, document] = run({ targetTokens: 0 }).messages[0]!.parts
    expect(picture).toEqual({ type: 'text', text: '[image image/png 800×600, 88 KB: cleared]' })
    expect(document).toEqual({ type: 'text', text: '[file application/pdf, 293 KB: cleared]' })
  })

  test('leaves all alone within its limits, and words in any case', () => {
    expect(
      clearImages.plan(viewOf(history), { targetTokens: Infinity, limits: { images: 5 } }),
    ).toEqual({
      noop: 'already-under-target',
    })
    const words = conversationOf([person('hello '.repeat(500)), agent('ok')])
    expect(clearImages.plan(viewOf(words), { targetTokens: 5 })).toEqual({
      noop: 'nothing-eligible',
    })
  })
})
