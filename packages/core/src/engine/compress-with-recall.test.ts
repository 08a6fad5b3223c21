import { describe, expect, test } from 'vitest'
import {
  agent,
  conversationOf,
  exchanges,
  person,
  result,
} from '../conversation/histories.suite.ts'
import { type Conversation, type Message, readText } from '../conversation/message.ts'
import { isSummary, readRecallText } from '../conversation/summary-message.ts'
import { findModel } from '../models/find-model.ts'
import { createClearTools } from '../strategies/clear-tools.ts'
import { createTokenCounter } from '../tokens/counter.ts'
import { applyStrategies } from './apply-strategies.ts'
import { compressConversation } from './compress-conversation.ts'
import { auto } from './ladder.ts'
import { withoutRecall } from './report.ts'

const counter = createTokenCounter(findModel('gpt-5'))
const recall = { tool: 'mcp__precis__recall', reference: '0123456789ab' }
const numbered = (messages: readonly Message[]): Message[] =>
  messages.map((message, index) => ({ ...message, records: [index] }))
const reads = (count: number): Message[] =>
  Array.from({ length: count }, (_, index) => [
    agent(`I look at module ${index}.`, `c${index}`),
    result(
      `c${index}`,
      Array.from(
        { length: 12 },
        (_, line) => `src/part-${index}/module-${line}.ts uses ${index}_${line}_kilo`,
      ).join('\n'),
    ),
  ]).flat()
const history = conversationOf(numbered([person('Read all of it.'), ...reads(30), ...exchanges(3)]))
const markersOf = ({ messages }: Conversation) => messages.map(readRecallText).filter(Boolean)
const countTokens = (conversation: Conversation) => counter.countConversation(conversation).upper
const countFacts = (kinds: object, state: string) =>
  Object.values(kinds).reduce(
    (sum: number, counts: Record<string, number>) => sum + (counts[state] ?? 0),
    0,
  )

describe.each([
  ['a summary', { budgetTokens: 2_000 }],
  ['a ladder that summarizes', { budgetTokens: 2_000, strategy: auto }],
  ['a ladder that only clears', { budgetTokens: countTokens(history) - 500, strategy: auto }],
] as const)('%s', (_, options) => {
  test('says once how to look up what was removed, within the budget', async () => {
    const { outcome, conversation } = await compressConversation(history, { ...options, recall })
    expect(outcome.type).toBe('compressed')
    expect(markersOf(conversation)).toHaveLength(1)
    expect(markersOf(conversation)[0]).toContain('mcp__precis__recall with {"query": ')
    expect(markersOf(conversation)[0]).toContain('"reference": "0123456789ab"')
    expect(countTokens(conversation)).toBeLessThanOrEqual(options.budgetTokens)
    expect(conversation.messages.filter(isSummary)).toHaveLength(1)
  })

  test('says nothing of it where that cannot be done', async () => {
    const { conversation } = await compressConversation(history, options)
    expect(markersOf(conversation)).toEqual([])
  })

  test('says it once, and of the newest original, after the next compression', async () => {
    const first = await compressConversation(history, { ...options, recall })
    const longer = {
      ...first.conversation,
      messages: [...first.conversation.messages, ...reads(30), person('go on')],
    }
    const second = await compressConversation(longer, {
      ...options,
      recall: { ...recall, reference: 'ffffffffffff' },
    })
    expect(second.outcome.type).toBe('compressed')
    expect(markersOf(second.conversation)).toHaveLength(1)
    expect(markersOf(second.conversation)[0]).toContain('ffffffffffff')
    expect(second.conversation.messages.map(readText).join('')).not.toContain('0123456789ab')
  })

  test('counts as retrievable what would be missing', async () => {
    const { report } = await compressConversation(history, { ...options, recall })
    const { kinds, facts } = report.receipt
    expect(countFacts(kinds, 'missing')).toBe(0)
    expect(countFacts(kinds, 'retrievable')).toBeGreaterThan(0)
    expect(countFacts(kinds, 'retrievable')).toBe(
      facts.filter(({ state }) => state === 'retrievable').length,
    )
    const without = await compressConversation(history, options)
    expect(countFacts(without.report.receipt.kinds, 'retrievable')).toBe(0)
  })

  test('promises nothing when the original could not be kept after all', async () => {
    const given = await compressConversation(history, { ...options, recall })
    const { conversation, report } = withoutRecall(given)
    expect(markersOf(conversation)).toEqual([])
    expect(countFacts(report.receipt.kinds, 'retrievable')).toBe(0)
    expect(countFacts(report.receipt.kinds, 'missing')).toBe(
      countFacts(given.report.receipt.kinds, 'retrievable'),
    )
    expect(report.after.tokens).toBe(countTokens(conversation))
    expect(report.after.tokens).toBeLessThan(given.report.after.tokens)
  })
})

test('what precis itself wrote is kept nowhere, and its facts are missing', async () => {
  const bare = {
    ...history,
    messages: history.messages.map(({ records: _records, ...message }) => message as Message),
  }
  const { report } = await compressConversation(bare, { budgetTokens: 2_000, recall })
  expect(countFacts(report.receipt.kinds, 'retrievable')).toBe(0)
  expect(countFacts(report.receipt.kinds, 'missing')).toBeGreaterThan(0)
})

test('a budget that leaves no room for the way to recall is kept without it', {
  tags: 'slow',
}, async () => {
  const sizes = await Promise.all(
    Array.from({ length: 14 }, async (_, index) => {
      const options = { budgetTokens: 20 + index * 30, strategy: auto }
      const without = await compressConversation(history, options)
      const withIt = await compressConversation(history, { ...options, recall })
      expect(withIt.outcome.type).toBe(without.outcome.type)
      return `${withIt.outcome.type} ${markersOf(withIt.conversation).length}`
    }),
  )
  expect(new Set(sizes)).toEqual(new Set(['cannot-fit 0', 'compressed 0', 'compressed 1']))
})

test('a tool that takes words alone is named with words alone', async () => {
  const { conversation } = await compressConversation(history, {
    budgetTokens: 2_000,
    recall: { tool: 'recall' },
  })
  expect(markersOf(conversation)[0]).toContain('call recall with {"query": ')
  expect(markersOf(conversation)[0]).not.toContain('reference')
})

test('a clone says it where an earlier compression left its summary, and nowhere else', async () => {
  const first = await compressConversation(history, { budgetTokens: 2_000 })
  const messages = [...first.conversation.messages, ...numbered(reads(30)), person('go on')]
  const steps = [createClearTools({ mode: 'truncate', zone: { fraction: 1 } })]
  const cloned = await applyStrategies({ ...first.conversation, messages }, steps, { recall })
  expect(markersOf(cloned.conversation)).toHaveLength(1)
  expect(markersOf(cloned.conversation)[0]).toContain('0123456789ab')
  const plain = await applyStrategies(history, steps, { recall })
  expect(plain.conversation).not.toBe(history)
  expect(markersOf(plain.conversation)).toEqual([])
  expect(plain.conversation.messages).toHaveLength(history.messages.length)
  expect(countFacts(plain.report.receipt.kinds, 'missing')).toBe(0)
})
