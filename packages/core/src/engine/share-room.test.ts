import { describe, expect, test } from 'vitest'
import { agent, conversationOf, person, result } from '../conversation/histories.suite.ts'
import { type Conversation, type Message, readText } from '../conversation/message.ts'
import { inSteps } from '../conversation/steps.ts'
import { isSummary } from '../conversation/summary-message.ts'
import { type FactSurvey, surveyFacts } from '../facts/survey.ts'
import { findModel } from '../models/find-model.ts'
import { middleOut } from '../strategies/index.ts'
import type { Summarizer } from '../summarizers/summarizer.ts'
import { createTokenCounter } from '../tokens/counter.ts'
import { compressConversation } from './compress-conversation.ts'
import { auto } from './ladder.ts'
import type { CompressOptions } from './options.ts'
import { OWN_SHARE, SharedRoom } from './share-room.ts'
import { createView } from './view.ts'

const counter = createTokenCounter(findModel('gpt-5'))
const countTokens = (conversation: Conversation) => counter.countConversation(conversation).upper

const compress = (
  conversation: Conversation,
  share: number,
  options: Partial<CompressOptions> = {},
) =>
  compressConversation(conversation, {
    strategy: auto,
    budgetTokens: Math.floor(countTokens(conversation) * share),
    ...options,
  })

/**
 * Rounds of a call and a result of many words, in which `name` gives the words that a digest would
 * keep.
 */
function rounds(count: number, name: (round: number, line: number) => string): Message[] {
  return Array.from({ length: count }, (_, round) => [
    agent(`I look at module ${round}.`, `c${round}`),
    result(
      `c${round}`,
      Array.from(
        { length: 30 },
        (_, line) => `${name(round, line)} of the module says nothing that is new`,
      ).join('\n'),
    ),
  ]).flat()
}

const plain = conversationOf([
  person('go'),
  ...rounds(80, (_, line) => `line ${line}`),
  agent('done'),
  person('and?'),
])
const telling = conversationOf([
  person('go'),
  ...rounds(80, (round) => `src/module${round}.ts`),
  agent('done'),
  person('and?'),
])

describe('how the room is shared out', () => {
  test('what a summary does not need goes to the tail', { tags: 'slow' }, async () => {
    for (const strategy of [auto, middleOut]) {
      for (const share of [0.12, 0.6]) {
        const { conversation, report } = await compress(plain, share, { strategy })
        expect(countTokens(conversation)).toBeGreaterThan(countTokens(plain) * share * 0.85)
        expect(report.spans.tail).toBeGreaterThan(plain.messages.length * share * 0.5)
      }
    }
  })

  test('but not where the host says how long the tail is', async () => {
    const keep = { tail: { messages: 6 } }
    const { report } = await compress(plain, 0.6, { strategy: middleOut, keep })
    expect(report.spans.tail).toBe(6)
  })

  test('the beginning stays where the host asks for it', { tags: 'slow' }, async () => {
    // The first rounds tell nothing, so that more would be kept without them.
    const nothing = rounds(20, () => 'line')
    const messages = [
      person('go'),
      ...nothing,
      ...telling.messages.slice(1, -2),
      agent('done'),
      person('and?'),
    ]
    const late = conversationOf(messages)
    const keep = { head: { messages: 20 } }
    for (const share of [0.3, 0.4, 0.5, 0.6]) {
      const { conversation } = await compress(late, share, { keep })
      expect(conversation.messages.slice(0, 20)).toEqual(messages.slice(0, 20))
    }
  })

  test('a summary is taken where clearing loses more, and clearing where it loses nothing', async () => {
    const summarized = await compress(telling, 0.7)
    expect(summarized.conversation.messages.some(isSummary)).toBe(true)
    for (let round = 0; round < 80; round++) {
      const text = summarized.conversation.messages
        .map((message) => JSON.stringify(message.parts))
        .join('\n')
      expect(text).toContain(`src/module${round}.ts`)
    }
    const cleared = await compress(plain, 0.7)
    expect(cleared.conversation.messages.some(isSummary)).toBe(false)
  })

  test('a model is asked once, for the way that was chosen, and not at all where clearing is', async () => {
    let asked = 0
    const counts: Summarizer = {
      name: 'counts',
      summarize: async () => ({ text: `Summary ${++asked} of the work.` }),
    }
    const { conversation, report } = await compress(telling, 0.7, { summarizer: counts })
    expect(asked).toBe(1)
    expect(report.summarizer).toBe('counts')
    expect(readText(conversation.messages.find(isSummary)!)).toContain('Summary 1 of the work.')
    const cleared = await compress(plain, 0.7, { summarizer: counts })
    expect(asked).toBe(1)
    expect(cleared.report.summarizer).toBeUndefined()
  })
})

describe('a room', () => {
  const view = createView(telling, counter)
  const pause = async () => {}
  const readSurvey = () => inSteps(surveyFacts(telling.messages, {}), pause)

  const createRoom = (targetTokens: number, read: () => Promise<FactSurvey>) =>
    new SharedRoom({
      view,
      targetTokens,
      countTokens,
      isFree: true,
      isHeadFixed: true,
      pause,
      readSurvey: read,
      plan: ({ tailTokens }) => {
        const start = view.tokensBefore.at(-1)! - Math.min(tailTokens, targetTokens / 2)
        const end = view.tokensBefore.findIndex((tokens) => tokens > start)
        return [{ ...span, end }]
      },
    })

  /** A result that has the first `count` files. */
  const fitOf = (count: number, text = '') => {
    const names = Array.from(
      { length: count },
      (_, module) => `src/module${module}.ts c${module}.ts`,
    )
    return { result: conversationOf([person('go'), agent(names.join(' ') + text)]), taken: [] }
  }

  const total = countTokens(telling)
  const span = {
    type: 'summarize',
    start: 1,
    targetTokens: 100,
    brief: 'tail',
    keep: [],
  } as const

  test('tries no other tail if one summary lost far more than the best result', async () => {
    for (const [cleared, isTried] of [
      [79, false],
      [20, true],
    ] as const) {
      const room = createRoom(total / 2, readSurvey)
      room.note(fitOf(cleared))
      room.note(fitOf(10), OWN_SHARE, [{ ...span, end: 161 }])
      expect((await room.next()) !== undefined).toBe(isTried)
    }
  })

  test('compares no facts if a tail only gets what a summary left', async () => {
    const room = createRoom(total / 10, () => Promise.reject(new Error('The facts were read.')))
    room.note(fitOf(10), OWN_SHARE, [{ ...span, end: 161 }])
    const widened = await room.next()
    expect(widened?.tailTokens).toBeGreaterThan(0)
    const fit = fitOf(10, ' and more')
    room.note(fit, widened, [{ ...span, end: 150 }])
    expect((await room.best())?.fit).toBe(fit)
  })

  test('prefers the result with the answer to the one with a name more', async () => {
    const answer = 'I measured 641 ms for the whole queue, and 24 kB of memory at its end.'
    const history = conversationOf([
      person('How long does the queue take, and how much memory? See src/a.ts and src/b.ts.'),
      agent(answer),
      person('Thanks. Go on.'),
      agent('', 'c1'),
      result('c1', 'src/c.ts and src/d.ts'),
      person('and?'),
    ])
    const room = new SharedRoom({
      view: createView(history, counter),
      targetTokens: 100,
      countTokens,
      isFree: true,
      isHeadFixed: true,
      pause,
      readSurvey: () => inSteps(surveyFacts(history.messages, {}), pause),
      plan: () => undefined,
    })
    const saying = (text: string) => ({ result: conversationOf([person(text)]), taken: [] })
    const withNames = saying('src/a.ts src/b.ts src/c.ts src/d.ts 641 ms 24 kB')
    const withAnswer = saying(`src/a.ts src/b.ts src/c.ts ${answer}`)
    const withOne = saying(`src/a.ts ${answer}`)
    room.note(withNames)
    room.note(withOne)
    room.note(withAnswer)
    expect((await room.best())?.fit).toBe(withAnswer)
  })
})
