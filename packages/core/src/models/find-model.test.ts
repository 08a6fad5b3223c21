import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CATALOGUE_ROWS } from './catalogue.data.ts'
import { findModel, modelIds } from './find-model.ts'

describe('findModel', () => {
  test('knows the limits and prices of a current model', () => {
    expect(findModel('claude-opus-5-5')).toEqual({
      id: 'claude-opus-5-5',
      provider: 'anthropic',
      known: true,
      row: 'claude-opus-5-5',
      contextWindowTokens: 1_000_000,
      outputLimitTokens: 128_000,
      encoding: 'claude-2026',
      pricesPerMillionTokens: {
        input: 4,
        output: 20,
        cachedInput: 0.2,
        cacheWrite: 5,
        cacheWriteLong: 8,
      },
      cache: { automatic: false, lifetimesSeconds: [300, 3600], minimumPrefixTokens: 512 },
    })
  })

  test.each([
    ['claude-opus-4-5-20251101', 'claude-opus-4-5', 'claude', 200_000],
    ['claude-opus-4-6', 'claude-opus-4-6', 'claude', 1_000_000],
    ['claude-opus-4-7', 'claude-opus-4-7', 'claude-2026', 1_000_000],
    ['claude-opus-4-8', 'claude-opus-4-8', 'claude-2026', 1_000_000],
    ['claude-opus-4-20250514', 'claude-opus-4', 'claude', 200_000],
    ['claude-opus-5', 'claude-opus-5', 'claude-2026', 1_000_000],
    ['claude-sonnet-5-5', 'claude-sonnet-5', 'claude-2026', 1_000_000],
    ['claude-haiku-4-5-20251001', 'claude-haiku-4-5', 'claude', 200_000],
    ['claude-3-5-sonnet-latest', 'claude-3-5-sonnet', 'claude', 200_000],
    ['anthropic/claude-opus-4-8', 'claude-opus-4-8', 'claude-2026', 1_000_000],
    ['openrouter/anthropic/claude-opus-4.8:beta', 'claude-opus-4-8', 'claude-2026', 1_000_000],
    ['us.anthropic.claude-sonnet-4-5-20250929-v1:0', 'claude-sonnet-4-5', 'claude', 200_000],
    [
      'arn:aws:bedrock:us-east-1::foundation-model/anthropic.claude-opus-4-6-v1',
      'claude-opus-4-6',
      'claude',
      1_000_000,
    ],
    ['claude-sonnet-4-5@20250929', 'claude-sonnet-4-5', 'claude', 200_000],
    ['claude-sonnet-4-5[1m]', 'claude-sonnet-4-5', 'claude', 1_000_000],
    ['claude-4.5-sonnet', 'claude-sonnet-4-5', 'claude', 200_000],
    ['claude-3.7-sonnet', 'claude-3-7-sonnet', 'claude', 200_000],
    ['gpt-4', 'gpt-4', 'cl100k_base', 8_192],
    ['gpt-4-turbo-2024-04-09', 'gpt-4-turbo', 'cl100k_base', 128_000],
    ['gpt-35-turbo', 'gpt-3.5-turbo', 'cl100k_base', 16_385],
    ['gpt-4o-2024-11-20', 'gpt-4o', 'o200k_base', 128_000],
    ['gpt-4.1', 'gpt-4.1', 'o200k_base', 1_000_000],
    ['azure/gpt-5-4', 'gpt-5.4', 'o200k_base', 1_050_000],
    ['ft:gpt-4o-mini-2024-07-18:owner::id', 'gpt-4o-mini', 'o200k_base', 128_000],
    ['ft:gpt-3.5-turbo-0125:owner:name:id', 'gpt-3.5-turbo', 'cl100k_base', 16_385],
    ['openai:gpt-5.4', 'gpt-5.4', 'o200k_base', 1_050_000],
    [
      'bedrock:us.anthropic.claude-sonnet-4-5-20250929-v1:0',
      'claude-sonnet-4-5',
      'claude',
      200_000,
    ],
    ['gpt-5.1-codex-max', 'gpt-5.1-codex-max', 'o200k_base', 400_000],
    ['gpt-5.3-codex', 'gpt-5.3-codex', 'o200k_base', 400_000],
    ['gpt-6-sol', 'gpt-6-sol', 'o200k_base', 1_050_000],
    ['models/gemini-3-pro-preview', 'gemini-3-pro-preview', 'gemini', 1_000_000],
    ['gemini-3.1-pro-preview-customtools', 'gemini-3.1-pro-preview', 'gemini', 1_000_000],
    ['gemini-2.5-flash', 'gemini-2.5-flash', 'gemini', 1_048_576],
    ['deepseek/deepseek-v4-pro', 'deepseek-v4-pro', 'unknown', 1_000_000],
    ['moonshotai/kimi-k2.5', 'kimi-k2.5', 'unknown', 262_144],
    ['z-ai/glm-5.3', 'glm-5.3', 'unknown', 1_000_000],
    ['GLM-5.3', 'glm-5.3', 'unknown', 1_000_000],
    ['x-ai/grok-4.6', 'grok-4.6', 'unknown', 500_000],
    ['qwen/qwen3-coder-plus', 'qwen3-coder-plus', 'unknown', 1_000_000],
    ['mistralai/devstral-2512', 'devstral-2512', 'unknown', 262_144],
  ])('finds %s as %s', (id, row, encoding, contextWindowTokens) => {
    expect(findModel(id)).toMatchObject({ id, known: true, row, encoding, contextWindowTokens })
  })

  test.each([
    ['claude-opus-6', 'anthropic', 200_000, 'claude-2026'],
    ['opus', 'anthropic', 200_000, 'claude-2026'],
    ['sonnet[1m]', 'anthropic', 1_000_000, 'claude-2026'],
    ['gpt-6-nova', 'openai', 400_000, 'o200k_base'],
    ['gemini-4-carbon', 'google', 1_000_000, 'gemini'],
    ['gemini-pro-latest', 'google', 1_000_000, 'gemini'],
    ['meta.llama3-3-70b-instruct-v1:0', 'other', 128_000, 'unknown'],
  ])('takes the limits of the family for %s', (id, provider, contextWindowTokens, encoding) => {
    const model = findModel(id)
    expect(model).toMatchObject({ known: true, provider, contextWindowTokens, encoding })
    expect(model.row).toBeUndefined()
    expect(model.pricesPerMillionTokens).toBeUndefined()
  })

  test('gives cautious defaults for a stranger', () => {
    expect(findModel('my-own-model')).toEqual({
      id: 'my-own-model',
      provider: 'other',
      known: false,
      contextWindowTokens: 128_000,
      outputLimitTokens: 8_192,
      encoding: 'unknown',
      pricesPerMillionTokens: undefined,
      cache: undefined,
    })
  })

  test('does not take a longer number for a version', () => {
    expect(findModel('gpt-50').row).toBeUndefined()
    expect(findModel('claude-opus-45').row).toBeUndefined()
  })

  test('says from where a long prompt is dearer', () => {
    expect(findModel('gpt-5.4').pricesPerMillionTokens?.longContext).toEqual({
      fromTokens: 272_000,
      inputFactor: 2,
      outputFactor: 1.5,
    })
  })

  test('charges plain input where a cache has no price of its own', () => {
    expect(findModel('gpt-5.4').pricesPerMillionTokens).toMatchObject({
      input: 2.5,
      cachedInput: 0.25,
      cacheWrite: 2.5,
    })
    expect(findModel('gpt-5-pro').pricesPerMillionTokens).toMatchObject({
      input: 15,
      cachedInput: 15,
      cacheWrite: 15,
    })
  })

  test('gives a usable model for any string', { tags: 'property' }, () => {
    const hostile = [
      '',
      '__proto__',
      'constructor',
      '[1m]',
      '/',
      ':',
      '@',
      '.'.repeat(5_000),
      '-'.repeat(100_000),
    ]
    for (const id of hostile) expect(isUsable(findModel(id))).toBe(true)
    fc.assert(fc.property(fc.string(), (id) => isUsable(findModel(id))))
    const tail = fc.tuple(fc.constantFrom(...modelIds), fc.string())
    fc.assert(fc.property(tail, ([id, end]) => isUsable(findModel(id + end))))
  })
})

describe('the catalogue', () => {
  test('finds each of its ids as itself', () => {
    for (const id of modelIds) expect(findModel(id).row).toBe(id)
  })

  test('is sorted, without twins and with sane numbers', () => {
    const lines = CATALOGUE_ROWS.trim().split('\n')
    expect([...lines].sort()).toEqual(lines)
    expect(new Set(modelIds).size).toBe(lines.length)
    for (const id of modelIds) {
      const {
        provider,
        contextWindowTokens,
        outputLimitTokens,
        pricesPerMillionTokens: prices,
      } = findModel(id)
      expect(contextWindowTokens, id).toBeGreaterThanOrEqual(4_096)
      expect(contextWindowTokens, id).toBeLessThanOrEqual(10_000_000)
      expect(outputLimitTokens, id).toBeLessThan(contextWindowTokens)
      if (prices !== undefined) {
        expect(prices.cachedInput, id).toBeLessThanOrEqual(prices.input)
        if (provider !== 'other') expect(prices.cacheWrite, id).toBeGreaterThanOrEqual(prices.input)
      }
    }
  })
})

function isUsable({
  contextWindowTokens,
  outputLimitTokens,
}: ReturnType<typeof findModel>): boolean {
  return contextWindowTokens > 0 && outputLimitTokens > 0 && outputLimitTokens < contextWindowTokens
}
