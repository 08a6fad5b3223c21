import { type Conversation, createTokenCounter, findModel } from '@precis/core'
import type { AssistantMessage, SystemMessage } from '@precis/core/conversation'
import { countModelSummary } from '@precis/core/engine'
import { describe, expect, test } from 'vitest'
import { renderSettings, toSettings } from '../compression/settings.ts'
import { describeTarget, findTarget } from '../compression/target.ts'
import { createModelOption, parseAge, parseBudget } from './options.ts'

const counter = createTokenCounter(findModel('gpt-5'))

const answer: AssistantMessage = {
  role: 'assistant',
  origin: 'agent',
  parts: [
    { type: 'reasoning', text: '', signatureLength: 40_000 },
    { type: 'text', text: 'word '.repeat(1_000).trim() },
  ],
}

const system: SystemMessage = {
  role: 'system',
  origin: 'synthetic',
  parts: [{ type: 'text', text: 'Be brief.' }],
}

const conversation: Conversation = {
  protocol: 'openai-chat',
  messages: [system, answer],
  tools: ['{}'],
}

test('an empty --model is refused, since it names none', () => {
  const { parseArg } = createModelOption('counts')
  expect(() => parseArg?.(' ', undefined)).toThrow('Give the id of a model')
  expect(parseArg?.('gpt-5 ', undefined)).toBe('gpt-5')
})

describe('budget', () => {
  test.each([
    ['8000', 8000],
    ['8_000', 8000],
    ['8k', 8000],
    ['1.5M', 1_500_000],
  ])('%s is %i tokens, whatever there is', (text, tokens) => {
    const target = findTarget({ budget: parseBudget(text) }, conversation, counter)
    expect(target).toEqual({ tokens, source: undefined })
    expect(describeTarget(target)).toBe(tokens.toLocaleString('en'))
  })

  test.each([
    ['100%', '100% of 11,012 = 11,012'],
    ['50%', '50% of 11,012 = 5,506'],
    ['29%', '29% of 11,012 = 3,193'],
    ['0.5%', '0.5% of 11,012 = 55'],
    ['0.001%', '0.001% of 11,012 = 1'],
  ])(
    '%s is a share of everything that counts, system prompt, tools, frame and hidden reasoning included',
    (text, said) => {
      expect(counter.countConversation(conversation).upper).toBe(11_012)
      expect(describeTarget(findTarget({ budget: parseBudget(text) }, conversation, counter))).toBe(
        said,
      )
    },
  )

  test('"model" is the size of a summary by a model, for what there is and for the window', () => {
    const size = (tokens: number, contextWindowTokens: number) =>
      countModelSummary(tokens, { contextWindowTokens })
    expect([80_000, 200_000, 900_000].map((tokens) => size(tokens, 1_000_000))).toEqual([
      4_400, 4_400, 4_400,
    ])
    expect([size(80_000, 32_000), size(3_001, 200_000), size(0, 200_000)]).toEqual([
      3_200, 1_500, 1,
    ])
    const target = findTarget({ budget: parseBudget(' Model ') }, conversation, counter)
    expect(describeTarget(target)).toBe("the size of a model's summary = 4,400")
  })

  test.each([
    [{ windowTokens: 10_000 }, undefined, 'a window of 10,000 = 10,000'],
    [{ windowTokens: 10_000 }, 4_000, 'a window of 10,000 − 4,000 not in the file = 6,000'],
    [
      { windowTokens: 10_000, budget: parseBudget('8k') },
      4_000,
      'a window of 10,000 − 4,000 not in the file = 6,000',
    ],
    [{ windowTokens: 10_000, budget: parseBudget('50%') }, 4_000, '50% of 11,012 = 5,506'],
  ])(
    'of a window and a budget the tighter one holds: %o beside %o tokens',
    (limits, notInFileTokens, said) => {
      expect(describeTarget(findTarget(limits, conversation, counter, notInFileTokens))).toBe(said)
    },
  )

  test('a window alone takes the place of the default, and stands beside what is configured', () => {
    const configuration = { summarizer: { name: 'digest' }, files: [], notices: [] }
    expect(toSettings(configuration, {}).budget).toEqual({ type: 'share', fraction: 0.5 })
    expect(toSettings(configuration, { window: 9_000 })).toMatchObject({
      budget: undefined,
      windowTokens: 9_000,
    })
    const both = toSettings({ ...configuration, budget: '20%' }, { window: 9_000 })
    expect(both).toMatchObject({ budget: { type: 'share', fraction: 0.2 }, windowTokens: 9_000 })
    const texts = [
      toSettings(configuration, {}),
      toSettings(configuration, { window: 9_000 }),
      both,
    ].map(renderSettings)
    expect(new Set(texts).size).toBe(3)
  })

  test.each(['', '0', '-5', '0%', '101%', '1e3', 'many', '8kk', '99999999999999999999'])(
    '"%s" is none',
    (text) => {
      expect(() => parseBudget(text)).toThrow('8k')
    },
  )
})

const NOW = new Date(2026, 10, 21, 12, 0, 0)

describe('an age', () => {
  test.each([
    ['90m', new Date(2026, 10, 21, 10, 30)],
    ['12h', new Date(2026, 10, 21, 0, 0)],
    ['7d', new Date(2026, 10, 14, 12, 0)],
    ['2w', new Date(2026, 10, 7, 12, 0)],
    ['1.5h', new Date(2026, 10, 21, 10, 30)],
    [' 7 D ', new Date(2026, 10, 14, 12, 0)],
  ])('%s is counted back from now', (text, moment) => {
    expect(parseAge(text, NOW)).toEqual(moment)
  })

  test.each([
    ['2026-11-01', new Date(2026, 10, 1)],
    ['2026-11-01T08:30', new Date(2026, 10, 1, 8, 30)],
    ['2026-11-01 08:30', new Date(2026, 10, 1, 8, 30)],
    ['2026-11-01T08:30:00Z', new Date(Date.UTC(2026, 10, 1, 8, 30))],
    ['2026-11-01T08:30:00+02:00', new Date(Date.UTC(2026, 10, 1, 6, 30))],
  ])('%s is a moment, on the clock of this machine where it names no other', (text, moment) => {
    expect(parseAge(text, NOW)).toEqual(moment)
  })

  test.each([
    '',
    '7',
    'd',
    '-3d',
    '7y',
    '2026-13-01',
    '2026-06-31',
    '2026-02-29',
    'yesterday',
    '1e3d',
    '9'.repeat(400),
  ])('%s is refused', (text) => {
    expect(() => parseAge(text, NOW)).toThrow('7d')
  })
})
