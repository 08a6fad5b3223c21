import { describe, expect, test } from 'vitest'
import { findModel } from './find-model.ts'

describe('cache rules', () => {
  test.each([
    ['claude-opus-4-5-20251101', 4_096],
    ['claude-opus-4-7', 2_048],
    ['claude-opus-4-8', 1_024],
    ['claude-opus-4-1', 1_024],
    ['claude-opus-5', 512],
    ['claude-sonnet-5', 1_024],
    ['claude-haiku-4-5', 4_096],
    ['claude-3-haiku-20240307', 2_048],
    ['claude-novum-9', 4_096],
  ])('%s caches no prefix under %i tokens', (id, tokens) => {
    expect(findModel(id).cache).toEqual({
      automatic: false,
      lifetimesSeconds: [300, 3_600],
      minimumPrefixTokens: tokens,
    })
  })

  test('Claude writes for 1.25 and 2 times the input price', () => {
    const prices = findModel('claude-opus-4-8').pricesPerMillionTokens
    expect(prices).toMatchObject({
      input: 5,
      cachedInput: 0.5,
      cacheWrite: 6.25,
      cacheWriteLong: 10,
    })
  })

  test('OpenAI caches by itself, for a day on request since gpt-4.1', () => {
    expect(findModel('gpt-4o').cache).toEqual({
      automatic: true,
      lifetimesSeconds: [300],
      minimumPrefixTokens: 1_024,
    })
    expect(findModel('gpt-5.4').cache?.lifetimesSeconds).toEqual([300, 86_400])
  })

  test('Gemini Pro needs a longer prefix than Flash', () => {
    expect(findModel('gemini-3-pro-preview').cache?.minimumPrefixTokens).toBe(4_096)
    expect(findModel('gemini-3-flash-preview').cache?.minimumPrefixTokens).toBe(1_024)
  })

  test('an open-weight model without a cached price has no cache', () => {
    expect(findModel('deepseek-v4-pro').cache?.minimumPrefixTokens).toBe(64)
    expect(findModel('qwen3-max').cache).toBeUndefined()
  })
})
