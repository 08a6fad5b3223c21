import { describe, expect, test } from 'vitest'
import { casesOf } from '../../../../test/property-runs.ts'
import {
  agent,
  conversationOf,
  exchanges,
  person,
  result,
  system,
} from '../conversation/histories.suite.ts'
import { checkInvariants } from '../conversation/invariants/index.ts'
import type { Conversation, Message, OpaquePart } from '../conversation/message.ts'
import { readLedgerText, readSummary } from '../conversation/summary-message.ts'
import { findModel } from '../models/find-model.ts'
import { middleOut, strategies, topDownTruncation } from '../strategies/index.ts'
import { createTokenCounter } from '../tokens/counter.ts'
import { applyStrategies } from './apply-strategies.ts'
import { compressConversation } from './compress-conversation.ts'
import { auto } from './ladder.ts'

const words = 'word '.repeat(3_000)

async function refuse(conversation: Conversation, budgetTokens = 1_000) {
  const { outcome } = await compressConversation(conversation, {
    budgetTokens,
    strategy: middleOut,
  })
  if (outcome.type !== 'cannot-fit') throw new Error(outcome.type)
  return outcome.refusal
}

describe('refusal', () => {
  test('names the tool schemas when they alone are too large', { tags: 'slow' }, async () => {
    const refusal = await refuse({
      ...conversationOf(exchanges(50)),
      tools: [`{"name":"${words}"}`],
    })
    expect(refusal.item).toBe('the tool schemas')
    expect(refusal.itemTokens).toBeGreaterThan(3_000)
  })

  test('names the system prompt when it alone is too large', async () => {
    expect((await refuse(conversationOf([system(words), ...exchanges(50)]))).item).toBe(
      'the system prompt',
    )
  })

  test('names a call in flight by its place in what was given and by its tool', async () => {
    const waiting = [agent(words, 'c1', 'c2'), result('c1')]
    const { item } = await refuse(conversationOf([...exchanges(50), ...waiting]))
    expect(item).toBe('message 101 of 102, an answer of the agent (read)')
  })

  test('tells which messages belong together by an id that they share', async () => {
    const tie = (key: string): OpaquePart => ({
      type: 'opaque',
      kind: 'widget',
      text: words,
      bonds: [{ key, id: 'root' }],
    })
    const messages = exchanges(10).map((message, index): Message => {
      if (message.role !== 'assistant') return message
      return { ...message, parts: [...message.parts, tie(index === 1 ? 'id' : 'parent_id')] }
    })
    const conversation = conversationOf([...messages, person('go on')])
    const options = { budgetTokens: 1_000, strategy: topDownTruncation }
    const { outcome } = await compressConversation(conversation, options)
    expect(outcome).toMatchObject({
      refusal: {
        item: 'message 2 of 21, an answer of the agent, tied by ids to messages 2 to 20',
      },
    })
    const { report } = await compressConversation(conversation, { budgetTokens: 1_500 })
    expect(report.after.tokens).toBeLessThan(report.before.tokens)
    expect(report.problems).toEqual([
      'Ids tie messages 2 to 20 to each other, so they stay or go together.',
    ])
  })

  test('gives a budget that is enough: what it says is the smallest result fits', async () => {
    const conversation = conversationOf([...exchanges(50), person(words)])
    const { smallestTokens } = await refuse(conversation)
    expect(smallestTokens).toBeGreaterThan(3_000)
    const options = { budgetTokens: smallestTokens + 200, strategy: middleOut }
    const { outcome } = await compressConversation(conversation, options)
    expect(outcome.type).toBe('compressed')
  })

  test('names a budget above the one that was refused, also where little more would do', {
    tags: 'slow',
  }, async () => {
    const conversation = conversationOf([...exchanges(50), person(words)])
    let budgetTokens = 100
    for (const strategy of [middleOut, topDownTruncation, auto]) {
      const { outcome } = await compressConversation(conversation, {
        budgetTokens,
        strategy,
        pins: ['The port is 8443.'],
      })
      if (outcome.type !== 'cannot-fit') continue
      expect(outcome.refusal.smallestTokens).toBeGreaterThan(budgetTokens)
      budgetTokens = outcome.refusal.smallestTokens
      const again = await compressConversation(conversation, {
        budgetTokens,
        strategy,
        pins: ['The port is 8443.'],
      })
      expect(again.outcome.type).toBe('compressed')
    }
  })

  test('of pins that are larger than the history comes before any attempt', async () => {
    const history = conversationOf(exchanges(20))
    const counter = createTokenCounter(findModel(''))
    const tokens = counter.countConversation(history).upper
    const pins = ['pinned '.repeat(tokens * 2)]
    const options = { budgetTokens: tokens - 10, pins, counter }
    const { outcome, report } = await compressConversation(history, options)
    expect(outcome).toMatchObject({
      type: 'cannot-fit',
      refusal: { item: 'what was pinned and said', smallestTokens: tokens },
    })
    expect(report.attempts).toEqual([])
    const all = await compressConversation(history, { ...options, budgetTokens: tokens })
    expect(all.outcome.type).toBe('unchanged')
  })

  test('of pins that are larger than the history promises no size if bytes are too many too', async () => {
    const history = conversationOf([person('start')])
    const counter = createTokenCounter(findModel(''))
    const pins = ['pinned '.repeat(50)]
    const options = { budgetTokens: 1, budgetBytes: 10, pins, counter }
    const { outcome } = await compressConversation(history, options)
    expect(outcome).toMatchObject({ type: 'cannot-fit', refusal: { limit: 'bytes' } })
  })

  test('names the pins where they are what is too large', async () => {
    const given = conversationOf([...exchanges(40), person('go on')])
    const { outcome } = await compressConversation(given, {
      budgetTokens: 400,
      strategy: auto,
      pins: ['pinned '.repeat(400)],
    })
    expect(outcome).toMatchObject({
      type: 'cannot-fit',
      refusal: { item: 'what was pinned and said' },
    })
  })

  test('names what is no history at all', async () => {
    const { item, smallestTokens } = await refuse(
      conversationOf([result('a', words), result('b', words)]),
    )
    expect(item).toBe('message 1 of 2, a tool result (read), of which no provider takes anything')
    expect(smallestTokens).toBeGreaterThan(6_000)
  })

  test('says of a conversation without any message that it has none', async () => {
    const options = {
      budgetTokens: 100,
      recall: { tool: 'recall' },
      pins: ['The port is 8443.'],
      strategy: auto,
    }
    const { outcome } = await compressConversation(conversationOf([system(words)]), options)
    expect(outcome).toMatchObject({
      type: 'cannot-fit',
      refusal: { isOverhead: true, reason: 'empty-history' },
    })
    const within = { ...options, budgetTokens: 9_000, targetTokens: 100 }
    const wish = await compressConversation(conversationOf([system(words)]), within)
    expect(wish.outcome).toEqual({ type: 'unchanged', reason: 'empty-history' })
  })
})

describe('a history whose repair is within the budget', () => {
  test.each([
    ['results without calls', [...exchanges(5), result('a', words), person('go on')]],
    [
      'results that came twice',
      [...exchanges(5), agent('', 'c'), result('c'), result('c', words), person('go on')],
    ],
  ])('comes out valid, with its pins: %s', async (_, messages) => {
    const given = conversationOf(messages)
    const options = { budgetTokens: 1_000, pins: ['The port is 8443.'], recall: { tool: 'recall' } }
    const { outcome, conversation, report } = await compressConversation(given, options)
    expect(outcome.type).toBe('compressed')
    expect(report.rungs.map(({ name }) => name)).toEqual(['repair'])
    expect(checkInvariants(conversation)).toEqual([])
    expect(conversation.messages.map(readLedgerText).join('')).toContain('The port is 8443.')
  })

  test('is left alone where it is within the budget as it is', async () => {
    const given = conversationOf([agent('', 'a'), person('go on')])
    const budgetTokens = createTokenCounter(findModel('gpt-5')).countConversation(given).upper
    const { outcome, conversation } = await compressConversation(given, {
      budgetTokens,
      strategy: auto,
    })
    expect(outcome.type).toBe('unchanged')
    expect(conversation).toBe(given)
  })
})

describe('a history that nobody typed a request in', () => {
  const rounds = Array.from({ length: 4 }, (_, i) => [
    agent('', `c${i}`),
    result(`c${i}`, 'line of output\n'.repeat(40)),
  ])
  const given = conversationOf([system('Run the checks.'), ...rounds.flat()])

  test.each(casesOf([auto, ...Object.values(strategies)]))(
    'is never empty afterwards: $name',
    { tags: 'property' },
    async (strategy) => {
      for (let budgetTokens = 0; budgetTokens < 800; budgetTokens += 29) {
        for (const pins of [[], ['The port is 8443.']]) {
          const { outcome, conversation } = await compressConversation(given, {
            budgetTokens,
            strategy,
            pins,
          })
          if (outcome.type !== 'compressed') continue
          const left = conversation.messages.filter(
            (message) => message.role !== 'system' && readSummary(message) !== '',
          )
          expect(left.length).toBeGreaterThan(0)
        }
      }
      const { conversation } = await applyStrategies(
        given,
        [strategy].filter((one) => 'plan' in one),
      )
      expect(conversation.messages.length).toBeGreaterThan(1)
    },
  )
})
