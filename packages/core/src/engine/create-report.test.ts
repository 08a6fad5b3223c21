import { describe, expect, test } from 'vitest'
import { agent, conversationOf, exchanges, person } from '../conversation/histories.suite.ts'
import { findModel } from '../models/find-model.ts'
import { middleOut } from '../strategies/middle-out.ts'
import { topDownTruncation } from '../strategies/top-down-truncation.ts'
import { createTokenCounter } from '../tokens/counter.ts'
import { compressConversation } from './compress-conversation.ts'
import { readReceipt } from './index.ts'

const work = Array.from({ length: 60 }, (_, index) =>
  agent(`step ${index} of the long way `.repeat(10)),
)
/** 40 messages, the last request, and 60 steps of about 70 tokens. */
const history = conversationOf([...exchanges(20), person('the last wish'), ...work])

describe('report', () => {
  test('counts the messages of its spans as they stand in the result, a request kept from the middle with the tail', async () => {
    const { report, conversation } = await compressConversation(history, {
      strategy: middleOut,
      budgetTokens: 2_000,
    })
    const given = new Set(history.messages)
    const stayed = conversation.messages.filter((message) => given.has(message)).length
    const { head, middle, tail } = report.spans
    expect(head + tail).toBe(stayed)
    expect(middle).toBe(history.messages.length - stayed)
    expect(conversation.messages[head]?.origin).toBe('synthetic')
    expect(conversation.messages.slice(-tail)[0]).toBe(history.messages[40])
  })

  test('names no summarizer where none was asked', async () => {
    const options = { strategy: topDownTruncation, budgetTokens: 2_000 }
    const { report, conversation } = await compressConversation(history, options)
    expect(report).toMatchObject({ strategy: 'top-down-truncation', summarizer: undefined })
    const given = new Set(history.messages)
    const stayed = conversation.messages.filter((message) => given.has(message)).length
    expect(report.spans).toEqual({ head: 0, middle: 101 - stayed, tail: stayed })
    expect(conversation.messages).toHaveLength(report.after.messages)
  })

  test('of a conversation that fits says that nothing was done', async () => {
    const { report } = await compressConversation(history, { budgetTokens: 100_000 })
    expect(report).toMatchObject({
      summarizer: undefined,
      rungs: [],
      spans: { head: 101, middle: 0, tail: 0 },
    })
    expect(report.after).toEqual(report.before)
  })

  test('gives the repair of a broken history as a step of its own', async () => {
    const broken = conversationOf([agent('', 'never answered'), ...history.messages])
    const { report } = await compressConversation(broken, { budgetTokens: 2_000 })
    expect(report.rungs.map(({ name }) => name)).toEqual(['repair', 'middle-out'])
    expect(report.rungs[0]?.tokensBefore).toBe(report.before.tokens)
    expect(report.rungs[1]?.tokensAfter).toBe(report.after.tokens)
  })

  test('prices one request by the model that counts, and not at all when its price is unknown', async () => {
    const price = findModel('gpt-5').pricesPerMillionTokens?.input ?? Number.NaN
    const { report } = await compressConversation(history, { budgetTokens: 2_000 })
    expect(report.cost?.after).toBeCloseTo((report.after.tokens * price) / 1e6, 12)
    const stranger = await compressConversation(history, {
      model: 'model-from-mars',
      budgetTokens: 2_000,
    })
    expect(stranger.report).toMatchObject({
      model: 'model-from-mars',
      modelKnown: false,
      cost: undefined,
    })
  })

  test('counts for the model that will read, not for the one that wrote', async () => {
    const { report } = await compressConversation(history, {
      model: 'claude-opus-4-8',
      budgetTokens: 3_000,
    })
    const counter = createTokenCounter(findModel('claude-opus-4-8'))
    expect(report.before.tokens).toBe(counter.countConversation(history).upper)
    expect(report.before.tokens).not.toBe(
      createTokenCounter(findModel('gpt-5')).countConversation(history).upper,
    )
  })

  test('that is none is refused by the promise of its receipt', async () => {
    const refused = readReceipt(undefined as never).catch((error: unknown) => String(error))
    expect(await refused).toBe('TypeError: Reading a receipt: report is undefined. Give an object.')
  })
})
