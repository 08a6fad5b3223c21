import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findModel } from '../models/find-model.ts'
import { countImageTokens } from './image-tokens.ts'

describe('countImageTokens', () => {
  test.each([
    // Anthropic publishes 1 296 for a square of 1 000 pixels, and one visual token for a patch of
    // 28.
    ['claude-opus-4-8', 1_000, 1_000, 1_296],
    ['claude-opus-4-8', 200, 200, 64],
    ['claude-opus-4-6', 1_092, 1_092, 1_521],
    ['claude-sonnet-4-5', 4_000, 3_000, 1_568],
    ['claude-opus-4-7', 4_000, 3_000, 4_784],
    ['claude-opus-5', 2_576, 100, 368],
    // The tiles of OpenAI's guide.
    ['gpt-4o', 1_024, 1_024, 765],
    ['gpt-4o', 2_048, 4_096, 1_105],
    ['gpt-4.1', 512, 512, 255],
    ['gpt-4o-mini', 512, 512, 8_500],
    ['gpt-5', 1_024, 1_024, 630],
    ['o3', 512, 512, 225],
    // The patches of OpenAI's guide.
    ['gpt-4.1-mini', 1_024, 1_024, 1_659],
    ['gpt-5-nano', 1_024, 1_024, 2_520],
    ['o4-mini', 32, 32, 2],
    ['gpt-5.4', 640, 480, 360],
    ['gpt-5.4', 4_000, 3_000, 3_000],
    ['gpt-5.4-mini', 4_000, 3_000, 2_489],
    ['gpt-5.3-codex', 1_024, 1_024, 1_229],
    ['gpt-5.5', 4_000, 3_000, 12_000],
    ['gpt-6-sol', 4_000, 3_000, 14_100],
    ['gemini-2.5-flash', 384, 384, 258],
    ['gemini-2.5-flash', 960, 540, 1_548],
    ['gemini-3-pro-preview', 4_000, 3_000, 1_120],
    ['glm-4.6v', 280, 280, 100],
  ])('%s takes %i × %i for %i tokens', (id, width, height, tokens) => {
    expect(countImageTokens({ width, height, bytes: 1 }, findModel(id))).toBe(tokens)
  })

  test('an image of unknown size counts as a large screenshot', () => {
    expect(countImageTokens({ bytes: 0 }, findModel('claude-opus-4-8'))).toBe(4_784)
    expect(countImageTokens({ bytes: 0 }, findModel('claude-sonnet-4-5'))).toBe(1_568)
    expect(countImageTokens({ bytes: 0 }, findModel('gpt-6-sol'))).toBe(4_916)
    expect(countImageTokens({ bytes: 0 }, findModel('gemini-2.5-pro'))).toBe(2_322)
  })

  test('a small file of unknown size counts less', () => {
    expect(countImageTokens({ bytes: 784 }, findModel('claude-opus-4-8'))).toBe(100)
  })

  test('any measures give a positive number of tokens', { tags: 'property' }, () => {
    const ids = fc.constantFrom(
      'claude-opus-5',
      'claude-3-opus',
      'gpt-4o',
      'gpt-5.4',
      'gpt-6-sol',
      'gemini-2.5-pro',
      'x',
    )
    const measure = fc.oneof(
      fc.double(),
      fc.integer(),
      fc.constantFrom(0, -1, Number.NaN, Number.POSITIVE_INFINITY),
    )
    fc.assert(
      fc.property(ids, measure, measure, measure, (id, width, height, bytes) => {
        const tokens = countImageTokens({ width, height, bytes }, findModel(id))
        return Number.isInteger(tokens) && tokens > 0 && tokens <= 100_000
      }),
    )
  })
})
