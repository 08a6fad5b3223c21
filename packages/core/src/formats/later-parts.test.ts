import { describe, expect, test } from 'vitest'
import { auto, bands, compress, middleOut, tailSummary } from '../index.ts'
import type { RequestFormat } from './request-formats.ts'

/** Two parts of types that do not exist yet. The second names the first, `mark` is in both. */
const PAIRS: Readonly<Record<string, readonly [object, object]>> = {
  'a text that names evidence': [
    { type: 'evidence', id: 'ev_1', mark: 'first' },
    { type: 'text', text: 'Because of it.', anchored_to: 'ev_1', mark: 'second' },
  ],
  'an answer with the handle of its call': [
    { type: 'sandbox_open', handle: 'h17', mark: 'first' },
    { type: 'sandbox_result', handle: 'h17', mark: 'second' },
  ],
  'a cue that names its stage in its depth': [
    { type: 'stage', id: 'st_1', mark: 'first' },
    { type: 'cue', a: { b: { c: { stage: 'st_1' } } }, mark: 'second' },
  ],
}

const WORDS = 'The parser reads one token after the other and keeps its place. '

/** Exchanges, with the first part in an answer and the second in a later one. */
function createAnswers(first: object, second: object, say: (text: string) => object): object[][] {
  const filler = (at: number) => say(`${at} ${WORDS.repeat(12)}`)
  return Array.from({ length: 10 }, (_, at) => [
    filler(at),
    ...(at === 2 ? [first] : at === 4 ? [second] : []),
  ])
}

const toChat = (pair: readonly [object, object]) => ({
  messages: [
    ...createAnswers(...pair, (text) => ({ type: 'text', text })).flatMap((content, at) => [
      { role: 'user', content: `Do step ${at}.` },
      { role: 'assistant', content },
    ]),
    { role: 'user', content: 'Go on.' },
  ],
})

/** A part of Gemini has its type as its key. */
const toGeminiPart = ({ type, mark, ...members }: Record<string, unknown>): object => {
  if (type === 'text') return { ...members, mark }
  const name = String(type).replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
  return { [name]: { ...members, mark } }
}

const toGemini = ([first, second]: readonly [object, object]) => ({
  contents: [
    ...createAnswers(toGeminiPart({ ...first }), toGeminiPart({ ...second }), (text) => ({
      text,
    })).flatMap((parts, at) => [
      { role: 'user', parts: [{ text: `Do step ${at}.` }] },
      { role: 'model', parts },
    ]),
    { role: 'user', parts: [{ text: 'Go on.' }] },
  ],
})

const BODIES: readonly (readonly [RequestFormat, (pair: readonly [object, object]) => object])[] = [
  ['anthropic-messages', toChat],
  ['openai-chat', toChat],
  ['ai-sdk', toChat],
  ['gemini-contents', toGemini],
]

describe.each(BODIES)('in %s', (format, write) => {
  test.each(Object.entries(PAIRS))('%s stays or goes with it', async (_, pair) => {
    for (const strategy of [auto, tailSummary, middleOut, bands])
      for (const budgetTokens of [700, 1100]) {
        const { messages } = await compress(write(pair), { format, strategy, budgetTokens })
        const text = JSON.stringify(messages)
        const isLeft = (mark: string) => text.includes(`"mark":"${mark}"`)
        expect(isLeft('first'), `${strategy.name} ${budgetTokens}`).toBe(isLeft('second'))
      }
  })
})
