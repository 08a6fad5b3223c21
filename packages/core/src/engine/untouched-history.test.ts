import { describe, expect, test } from 'vitest'
import { agent, conversationOf, person, result, system } from '../conversation/histories.suite.ts'
import { checkInvariants } from '../conversation/invariants/index.ts'
import type { Conversation, Message } from '../conversation/message.ts'
import { findModel } from '../models/find-model.ts'
import { createBands, createClearTools, middleOut, strategies } from '../strategies/index.ts'
import type { Plan, Strategy } from '../strategies/strategy.ts'
import type { Summarizer } from '../summarizers/summarizer.ts'
import { createTokenCounter } from '../tokens/counter.ts'
import { applyStrategies } from './apply-strategies.ts'
import { compressConversation } from './compress-conversation.ts'
import { createCompressionMemory } from './compression-memory.ts'
import { auto } from './ladder.ts'

const counter = createTokenCounter(findModel('gpt-5'))
const countTokens = (conversation: Conversation) => counter.countConversation(conversation).upper

const rounds = (count: number, name = 'c'): Message[] =>
  Array.from({ length: count }, (_, index) => [
    agent(`I look at module ${index}.`, `${name}${index}`),
    result(`${name}${index}`, `line of module ${index}\n`.repeat(40)),
  ]).flat()
const work = (count = 40) =>
  conversationOf([
    person('Go on with the parser.'),
    ...rounds(count),
    agent('done'),
    person('and now?'),
  ])

const planning = (made: Plan): Strategy => ({
  name: 'made-up',
  summarizes: false,
  plan: () => made,
})

describe('a plan that is wrong', () => {
  test.each<readonly [string, Plan, RegExp]>([
    [
      'parts a call from its result',
      { edits: [{ type: 'drop', start: 1, end: 2 }] },
      /"made-up".*bug of the strategy; nothing was changed/,
    ],
    [
      'has edits that overlap',
      {
        edits: [
          { type: 'drop', start: 1, end: 5 },
          { type: 'drop', start: 3, end: 7 },
        ],
      },
      /must lie between 5 and 83/,
    ],
    [
      'names one message twice',
      {
        edits: [
          { type: 'drop', start: 3, end: 5 },
          { type: 'drop', start: 3, end: 5 },
        ],
      },
      /must lie/,
    ],
    [
      'leaves the history',
      { edits: [{ type: 'drop', start: 81, end: 90 }] },
      /must lie between 0 and 83/,
    ],
  ])('because it %s is an error, and changes nothing', async (_, made, words) => {
    const conversation = work()
    const before = structuredClone(conversation)
    await expect(
      compressConversation(conversation, { budgetTokens: 500, strategy: planning(made) }),
    ).rejects.toThrow(words)
    await expect(applyStrategies(conversation, [planning(made)])).rejects.toThrow(words)
    expect(conversation).toEqual(before)
  })

  test('because it parts what names an id of an unknown type is an error, and changes nothing', async () => {
    const carry = (key: string): Message => ({
      role: 'assistant',
      origin: 'agent',
      parts: [{ type: 'opaque', kind: `hologram_${key}`, text: key, bonds: [{ key, id: 'h1' }] }],
    })
    const conversation = conversationOf([
      person('Go on with the parser.'),
      carry('id'),
      ...rounds(40),
      carry('of_id'),
      person('and now?'),
    ])
    const before = structuredClone(conversation)
    const words =
      'Checking the plan of "made-up": message 82 has hologram_of_id without what belongs to it.'
    const strategy = planning({ edits: [{ type: 'drop', start: 1, end: 82 }] })
    await expect(
      compressConversation(conversation, { budgetTokens: 500, strategy }),
    ).rejects.toThrow(words)
    await expect(applyStrategies(conversation, [strategy])).rejects.toThrow(words)
    expect(conversation).toEqual(before)
    const whole = planning({ edits: [{ type: 'drop', start: 1, end: 83 }] })
    const { outcome } = await compressConversation(conversation, {
      budgetTokens: 500,
      strategy: whole,
    })
    expect(outcome.type).toBe('compressed')
  })
})

describe('a history that nobody can change', () => {
  test.each([...Object.values(strategies), auto])('is compressed with $name', async (strategy) => {
    const conversation = freeze(work())
    const compression = await compressConversation(conversation, { budgetTokens: 2_500, strategy })
    expect(['compressed', 'cannot-fit']).toContain(compression.outcome.type)
    expect(compression.conversation === conversation).toBe(
      compression.outcome.type !== 'compressed',
    )
  })

  test('is cloned step by step', async () => {
    const steps = [
      createClearTools({ mode: 'truncate', zone: { fraction: 1 } }),
      createBands({ bands: [{ start: 0, end: 100, level: 'compress' }], minTokens: 1 }),
      createClearTools({ mode: 'remove', zone: { fraction: 1 } }),
    ]
    const { conversation, report } = await applyStrategies(freeze(work()), steps)
    expect(report.after.tokens).toBeLessThan(report.before.tokens)
    expect(checkInvariants(conversation)).toEqual([])
  })
})

function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const member of Object.values(value)) freeze(member)
  }
  return value
}

describe('the size of a history', () => {
  test('counts nothing that no model sees: origin, places in a document, what lies beside it', () => {
    const plain = conversationOf([person('hello'), agent('hi', 'c'), result('c')])
    const dressed: Conversation = {
      ...plain,
      messages: plain.messages.map(
        (message, index): Message => ({
          ...message,
          origin: 'synthetic',
          records: [index, index + 1],
        }),
      ),
      workingDirectory: '/work/shop',
      document: { bytes: 'x'.repeat(10_000) },
    }
    expect(countTokens(dressed)).toBe(countTokens(plain))
  })

  test('counts system prompt and tool schemas of a history without any message', async () => {
    const empty = {
      ...conversationOf([system('You are careful. '.repeat(100))]),
      tools: [`{"name":"${'read '.repeat(100)}"}`],
    }
    const { outcome, report } = await compressConversation(empty, {
      budgetTokens: 50,
      strategy: auto,
    })
    expect(report.before.tokens).toBeGreaterThan(400)
    expect(outcome).toMatchObject({ type: 'cannot-fit', refusal: { isOverhead: true } })
  })

  test('leaves the same room for messages however it is shared between system prompt and tool schemas', async () => {
    const words = 'use it with care '.repeat(150)
    const told = { ...work(), messages: [system(words), ...work().messages] }
    const tooled = { ...work(), tools: [JSON.stringify({ name: 'tool', description: words })] }
    for (const conversation of [told, tooled]) {
      const { outcome, report } = await compressConversation(conversation, { budgetTokens: 2_000 })
      expect(outcome.type).toBe('compressed')
      expect(report.after.tokens).toBeLessThanOrEqual(2_000)
      expect(report.after.tokens).toBeGreaterThan(1_500)
    }
  })
})

describe('what came to nothing', () => {
  const empty: Summarizer = { name: 'empty', summarize: async () => ({ text: '' }) }

  test('that kept too few facts is tried again for another least share of them', async () => {
    const memory = createCompressionMemory()
    const options = { memory, budgetTokens: 1_000 }
    const conversation = conversationOf(
      Array.from({ length: 60 }, (_, step) => [
        person(`Never change src/secret${step}.ts.`),
        agent(`I changed src/file${step}.ts, as ${step}abcde${step} says.`),
      ]).flat(),
    )
    const strict = await compressConversation(conversation, { ...options, minRecall: 1 })
    expect(strict.outcome.type).toBe('recall-too-low')
    expect((await compressConversation(conversation, options)).outcome.type).toBe('compressed')
  })

  test('is tried again within other limits, and not before', async () => {
    let asked = 0
    const memory = createCompressionMemory()
    const conversation = work()
    const counting: Summarizer = {
      name: 'counting',
      summarize: async () => {
        asked++
        return { text: '' }
      },
    }
    const options = { memory, strategy: middleOut, summarizer: counting }
    const limits = [
      { budgetTokens: 1_000 },
      { budgetTokens: 1_500 },
      { budgetTokens: 1_500, budgetBytes: 9_000 },
    ]
    for (const limit of limits.flatMap((one) => [one, one])) {
      const { outcome } = await compressConversation(conversation, { ...options, ...limit })
      expect(outcome.type).toBe('summary-failed')
    }
    expect(asked).toBe(3)
  })

  test('leaves no trace: the next compression with a summarizer that works gives what it always gave', async () => {
    const conversation = work()
    const fresh = await compressConversation(conversation, { budgetTokens: 1_500 })
    await compressConversation(conversation, {
      budgetTokens: 1_500,
      summarizer: empty,
      strategy: middleOut,
    })
    expect(await compressConversation(conversation, { budgetTokens: 1_500 })).toEqual(fresh)
  })

  test('tells what was paid for it', async () => {
    const usage = { calls: 2, inputTokens: 900, outputTokens: 40 }
    const paid: Summarizer = {
      name: 'paid',
      summarize: async () => ({ text: '', usage, problems: ['no tag'] }),
    }
    const { outcome, report } = await compressConversation(work(), {
      budgetTokens: 1_500,
      summarizer: paid,
      strategy: middleOut,
    })
    expect(outcome.type).toBe('summary-failed')
    expect(report).toMatchObject({ usage, problems: ['no tag'], summarizer: undefined })
    expect(report.after).toEqual(report.before)
  })
})
