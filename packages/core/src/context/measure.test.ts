import { describe, expect, test } from 'vitest'
import { openTranscript, type Transcript } from '../formats/transcript/transcript.ts'
import { findModel } from '../models/find-model.ts'
import { createTokenCounter } from '../tokens/counter.ts'
import { assistant, user } from './context.suite.ts'
import { Measure } from './measure.ts'

function createMeasure(
  isLoaded: () => boolean = () => true,
  model = 'gpt-5',
  words = 'the parser is fine '.repeat(500),
) {
  return measureOf(
    openTranscript('openai-chat', { messages: [user(words), assistant('yes')] }),
    isLoaded,
    model,
  )
}

function measureOf(transcript: Transcript, isLoaded = () => true, model = 'gpt-5') {
  const windowTokens = 100_000
  const counter = createTokenCounter(findModel(model))
  Object.defineProperty(counter, 'isLoaded', { get: isLoaded })
  return new Measure(transcript, { counter, targetTokens: windowTokens / 2, windowTokens })
}

describe('what a provider reported', () => {
  test('is restored, whenever the vocabulary comes', () => {
    const measure = createMeasure()
    measure.record({ inputTokens: 30_000, outputTokens: 5 })
    let isLoaded = false
    const restored = createMeasure(() => isLoaded)
    restored.load(JSON.parse(JSON.stringify(measure.save())))
    expect(restored.tokens).toBe(30_005)
    isLoaded = true
    expect(restored.tokens).toBe(30_005)
    expect(restored.hiddenTokens).toBe(measure.hiddenTokens)
  })

  test('is without reasoning, unless the answer in the history has it', () => {
    for (const [field, expected] of [
      ['', 30_100],
      ['reasoning_content', 31_000],
      ['reasoning_details', 31_000],
    ] as const) {
      const transcript = openTranscript('openai-chat', { messages: [user('go on')] })
      const measure = measureOf(transcript)
      measure.record({ inputTokens: 30_000, outputTokens: 1_000, reasoningTokens: 900 })
      expect(measure.tokens).toBe(31_000)
      transcript.append([{ ...assistant('yes'), ...(field && { [field]: 'so' }) }])
      expect(measure.tokens).toBe(expected)
    }
  })

  test('is believed above a window that is said to be smaller', () => {
    const measure = createMeasure()
    expect(measure.record({ inputTokens: 150_000, outputTokens: 5 })).toBe(true)
    expect(measure.tokens).toBe(150_005)
  })

  test('is the last of several requests that the provider made of one', () => {
    const measure = createMeasure()
    const { hiddenTokens } = measure
    const last = { inputTokens: 30_000, outputTokens: 5 }
    expect(measure.record({ inputTokens: 110_000, outputTokens: 40, last })).toBe(true)
    expect(measure.tokens).toBe(30_005)
    expect(measure.hiddenTokens).toBe(hiddenTokens)
  })

  test('is believed of a text that a tokenizer may count as few tokens', () => {
    const words = 'Проверь, что разбор команд не меняет порядок аргументов. '.repeat(200)
    const measure = createMeasure(() => true, 'qwen3-coder', words)
    const inputTokens = Math.ceil(measure.tokens * 0.35)
    expect(measure.record({ inputTokens, outputTokens: 5 })).toBe(true)
  })

  test.each([
    ['no tokens', 0],
    ['what was in no cache', 500],
    ['far more than the window, as of several requests', 200_001],
  ])('is not believed when it is %s', (_, inputTokens) => {
    const measure = createMeasure()
    const counted = measure.tokens
    expect(measure.record({ inputTokens, outputTokens: 5 })).toBe(false)
    expect(measure.tokens).toBe(counted)
  })
})
