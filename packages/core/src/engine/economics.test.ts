import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findModel } from '../models/find-model.ts'
import type { CacheRules, Prices } from '../models/model.ts'
import {
  billPrompt,
  findBreakEven,
  type Pricing,
  priceChoice,
  pricePrompt,
  priceSummary,
  priceTokens,
  UNIT_PRICES,
} from './economics.ts'

const CACHE: CacheRules = {
  automatic: false,
  lifetimesSeconds: [300, 3600],
  minimumPrefixTokens: 1024,
}
/** Sonnet's: a write costs 1.25 of a fresh token, one that lives an hour 2, a read 0.1. */
const PRICES: Prices = {
  input: 3,
  output: 15,
  cachedInput: 0.3,
  cacheWrite: 3.75,
  cacheWriteLong: 6,
}
const PRICING: Pricing = { prices: PRICES, cache: CACHE }

describe('findBreakEven', () => {
  test.each([
    [0.05, 0],
    [0.08, 0],
    [0.25, 0.2125 / 0.075],
    [0.5, 10.5],
    [0.75, 33.5],
    [0.9, 102.5],
  ])('is (1.25 r - 0.1) / (0.1 (1 - r)) requests at r = %s', (r, requests) => {
    const choice = {
      tokens: 100_000,
      compressedTokens: r * 100_000,
      cachedTokens: 100_000,
      keptCachedTokens: 0,
    }
    expect(findBreakEven(choice, PRICING)).toBeCloseTo(requests, 6)
  })

  test('is the same with a head that stays cached, which costs the same either way', () => {
    const choice = {
      tokens: 120_000,
      compressedTokens: 70_000,
      cachedTokens: 120_000,
      keptCachedTokens: 20_000,
    }
    expect(findBreakEven(choice, PRICING)).toBeCloseTo(10.5, 6)
  })

  test('is later with a cache that lives an hour, whose writes cost twice a fresh token', () => {
    const choice = {
      tokens: 100_000,
      compressedTokens: 50_000,
      cachedTokens: 100_000,
      keptCachedTokens: 0,
    }
    expect(findBreakEven(choice, { ...PRICING, isLongLived: true })).toBeCloseTo(18, 6)
  })

  test('is at once with a cold cache and without any cache', () => {
    const choice = {
      tokens: 100_000,
      compressedTokens: 50_000,
      cachedTokens: 0,
      keptCachedTokens: 0,
    }
    expect(findBreakEven(choice, PRICING)).toBe(0)
    expect(
      findBreakEven({ ...choice, cachedTokens: 100_000 }, { prices: PRICES, cache: undefined }),
    ).toBe(0)
  })

  test('counts what the summary costs', () => {
    const choice = {
      tokens: 100_000,
      compressedTokens: 50_000,
      cachedTokens: 0,
      keptCachedTokens: 0,
    }
    // 0.1875 less with this request, 0.015 with each that follows.
    expect(findBreakEven({ ...choice, summaryDollars: 0.3375 }, PRICING)).toBeCloseTo(10, 6)
  })

  test('is never when nothing is saved', () => {
    const choice = {
      tokens: 10_000,
      compressedTokens: 10_000,
      cachedTokens: 0,
      keptCachedTokens: 0,
    }
    expect(findBreakEven(choice, PRICING)).toBe(Number.POSITIVE_INFINITY)
  })

  test('is the number of requests after which both ways have cost the same', {
    tags: 'property',
  }, () => {
    fc.assert(
      fc.property(
        fc.record({
          tokens: fc.integer({ min: 2, max: 1e6 }),
          left: fc.double({ min: 0, max: 0.99, noNaN: true }),
        }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.boolean(),
        ({ tokens, left }, warmShare, isLongLived) => {
          const pricing = { ...PRICING, cache: { ...CACHE, minimumPrefixTokens: 0 }, isLongLived }
          const compressedTokens = Math.floor(tokens * left)
          const cachedTokens = Math.floor(tokens * warmShare)
          const choice = { tokens, compressedTokens, cachedTokens, keptCachedTokens: 0 }
          const requests = findBreakEven(choice, pricing)
          const { wait, compress } = priceChoice(choice, pricing)
          const saved =
            requests *
            (pricePrompt(tokens, tokens, pricing) -
              pricePrompt(compressedTokens, compressedTokens, pricing))
          if (requests === 0) expect(compress).toBeLessThanOrEqual(wait)
          else expect(compress - wait).toBeCloseTo(saved, 9)
        },
      ),
    )
  })
})

describe('billPrompt', () => {
  test('counts each token once', { tags: 'property' }, () => {
    fc.assert(
      fc.property(fc.nat(1e6), fc.nat(2e6), fc.boolean(), (tokens, cachedTokens, isLongLived) => {
        const { input, cachedInput, cacheWrite, cacheWriteLong, output } = billPrompt(
          tokens,
          cachedTokens,
          {
            ...PRICING,
            isLongLived,
          },
        )
        expect(input + cachedInput + cacheWrite + cacheWriteLong).toBe(tokens)
        expect(output).toBe(0)
      }),
    )
  })

  test('takes a prompt below the shortest prefix for fresh input', () => {
    expect(billPrompt(1000, 1000, PRICING)).toMatchObject({
      input: 1000,
      cachedInput: 0,
      cacheWrite: 0,
    })
    expect(billPrompt(2000, 1000, PRICING)).toMatchObject({
      input: 0,
      cachedInput: 0,
      cacheWrite: 2000,
    })
    expect(billPrompt(2000, 1500, PRICING)).toMatchObject({
      input: 0,
      cachedInput: 1500,
      cacheWrite: 500,
    })
  })
})

describe('priceTokens', () => {
  test('takes the whole request times the factor of a long context', () => {
    const prices = {
      ...PRICES,
      longContext: { fromTokens: 200_000, inputFactor: 2, outputFactor: 1.5 },
    }
    const bill = { input: 0, cachedInput: 200_000, cacheWrite: 0, cacheWriteLong: 0, output: 1000 }
    expect(priceTokens(bill, prices)).toBeCloseTo(0.06 + 0.015, 9)
    expect(priceTokens({ ...bill, input: 1 }, prices)).toBeCloseTo(0.12 + 0.0225 + 6e-6, 9)
  })

  test('charges a token that lives an hour as any other where that has no price of its own', () => {
    const { cacheWriteLong: _, ...prices } = PRICES
    const bill = { input: 0, cachedInput: 0, cacheWrite: 0, cacheWriteLong: 1e6, output: 0 }
    expect(priceTokens(bill, prices)).toBeCloseTo(3.75, 9)
    expect(priceTokens(bill, PRICES)).toBeCloseTo(6, 9)
  })

  test('gives every model of the catalogue with prices and a cache a read that is not dearer than a write', () => {
    for (const id of [
      'claude-opus-4-8',
      'claude-haiku-4-5',
      'gpt-5',
      'gpt-5-mini',
      'gemini-2.5-pro',
      'deepseek-chat',
    ]) {
      const { pricesPerMillionTokens: prices, cache } = findModel(id)
      if (!prices || !cache) continue
      const pricing = { prices, cache }
      expect(pricePrompt(50_000, 50_000, pricing), id).toBeLessThan(pricePrompt(50_000, 0, pricing))
    }
  })
})

test('a summary costs its span as fresh input and itself as output', () => {
  expect(priceSummary(PRICES, 100_000, 2000)).toBeCloseTo(0.3 + 0.03, 9)
})

test('unit prices count input tokens, cached or not', () => {
  expect(pricePrompt(5000, 4000, { prices: UNIT_PRICES, cache: CACHE })).toBe(5000)
})
